#if canImport(os)
    import Foundation
    import os

    /// Writes requests, responses and failures to the unified log, redacted like ``ConsoleLogger``.
    ///
    /// Failures have the type `error`, requests and responses `info`, or `debug` with headers and bodies. Entries are marked
    /// public because they hold no secret any more.
    public struct OSLogLogger: NetworkErrorLogger, DataTransferErrorLogger {
        private let logger: Logger
        private let level: LogLevel
        private let text: LogText

        /// Makes a logger.
        ///
        /// - Parameters:
        ///   - subsystem: The subsystem of the entries, usually the bundle identifier.
        ///   - category: Their category, `network` by default.
        ///   - level: How much is told, ``LogLevel/info`` by default.
        ///   - redaction: Which names are secret.
        ///   - maximumBodyBytes: How much of a body is shown; 1024 by default, as the unified log cuts entries itself.
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

        /// Whether the level is above ``LogLevel/off``.
        public var isEnabled: Bool { level > .off }

        /// Writes an entry from ``LogLevel/info``.
        public func log(request: LoggedRequest) {
            guard level >= .info else { return }
            write(text.request(request, isDetailed: level >= .debug))
        }

        /// Writes an entry from ``LogLevel/info``.
        public func log(response: LoggedResponse, for request: LoggedRequest) {
            guard level >= .info else { return }
            write(text.response(response, for: request, isDetailed: level >= .debug))
        }

        /// Writes an entry from ``LogLevel/error``.
        public func log(error: any Error, for request: LoggedRequest?) {
            guard level >= .error else { return }
            let entry = text.error(error, for: request)
            logger.error("\(entry, privacy: .public)")
        }

        /// Writes an entry from ``LogLevel/info`` where the attempts' entries do not say it all, and at ``LogLevel/debug`` always.
        public func log(outcome: LoggedOutcome, for request: LoggedRequest?) {
            guard let request, level >= (outcome.isPlain ? .debug : .info) else { return }
            write(text.outcome(outcome, for: request))
        }

        /// Writes an entry from ``LogLevel/error``.
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
