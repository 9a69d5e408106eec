#if canImport(os)
    import Foundation
    import os

    /// A logger that writes requests, responses and failures to the unified log, redacted like ``ConsoleLogger``.
    ///
    /// Failures have the type `error`. Requests and responses have the type `info`, or `debug` if they are logged with headers and bodies.
    /// Entries are marked as public because secrets are already redacted.
    public struct OSLogLogger: NetworkErrorLogger, DataTransferErrorLogger {
        private let logger: Logger
        private let level: LogLevel
        private let text: LogText

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

        /// Whether the logger's level is above ``LogLevel/off``.
        public var isEnabled: Bool { level > .off }

        /// Writes an entry at ``LogLevel/info`` and above.
        public func log(request: LoggedRequest) {
            guard level >= .info else { return }
            write(text.request(request, isDetailed: level >= .debug))
        }

        /// Writes an entry at ``LogLevel/info`` and above.
        public func log(response: LoggedResponse, for request: LoggedRequest) {
            guard level >= .info else { return }
            write(text.response(response, for: request, isDetailed: level >= .debug))
        }

        /// Writes an entry at ``LogLevel/error`` and above.
        public func log(error: any Error, for request: LoggedRequest?) {
            guard level >= .error else { return }
            let entry = text.error(error, for: request)
            logger.error("\(entry, privacy: .public)")
        }

        /// Writes an entry about the call: always at ``LogLevel/debug``, and at ``LogLevel/info`` if the entries of its attempts are not
        /// sufficient.
        public func log(outcome: LoggedOutcome, for request: LoggedRequest?) {
            guard let request, level >= (outcome.isPlain ? .debug : .info) else { return }
            write(text.outcome(outcome, for: request))
        }

        /// Writes an entry at ``LogLevel/error`` and above.
        public func log(error: any Error) {
            log(error: error, for: nil)
        }

        private func write(_ entry: String) {
            if level >= .debug {
                logger.debug("\(entry, privacy: .public)")
            } else {
                logger.info("\(entry, privacy: .public)")
            }
        }
    }
#endif
