#if canImport(os)
    import Foundation
    import os

    /// A logger that writes requests, responses and failures to the unified log, redacted like ``ConsoleLogger``.
    ///
    /// Failures have the type `error`. Requests and responses have the type `info`, or `debug` if they are logged with headers and bodies.
    /// Entries are marked as public because secrets are already redacted.
    public struct OSLogLogger: NetworkErrorLogger, DataTransferErrorLogger {
        private let logger: Logger
        let level: LogLevel
        let text: LogText

        /// Creates a logger for a subsystem.
        ///
        /// - Parameters:
        ///   - subsystem: The subsystem of the entries, usually the bundle identifier.
        ///   - category: The category of the entries. Default: `network`.
        ///   - level: The level of detail. Default: ``LogLevel/info``.
        ///   - redaction: The redaction rules.
        ///   - maximumBodyBytes: The maximum number of bytes of a body that is shown. Default: 1024, because the unified log cuts long
        ///     entries.
        public init(
            subsystem: String,
            category: String = "network",
            level: LogLevel = .info,
            redaction: Redaction = .default,
            maximumBodyBytes: Int = 1024
        ) {
            self.logger = Logger(subsystem: subsystem, category: category)
            self.level = level
            self.text = LogText(redaction: redaction, maximumBodyBytes: maximumBodyBytes)
        }
    }

    extension OSLogLogger: TextLogger {
        func write(_ entry: String, isFailure: Bool) {
            if isFailure {
                logger.error("\(entry, privacy: .public)")
            } else if level >= .debug {
                logger.debug("\(entry, privacy: .public)")
            } else {
                logger.info("\(entry, privacy: .public)")
            }
        }
    }
#endif
