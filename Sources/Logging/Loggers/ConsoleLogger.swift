import Foundation

/// Writes requests, responses and failures as text, to standard error unless told otherwise.
///
/// Everything goes through ``Redaction``, is cut at a limit, and has its control, line-breaking and direction-changing
/// characters written out, so that no server can forge a line or repaint a terminal. One event is one call of `output`.
public struct ConsoleLogger: NetworkErrorLogger, DataTransferErrorLogger {
    /// How much is told.
    public var level: LogLevel

    private let text: LogText
    private let output: @Sendable (String) -> Void

    /// Makes a logger.
    ///
    /// - Parameters:
    ///   - level: How much is told. ``LogLevel/info`` by default: a line per request, response and failure.
    ///   - redaction: Which names are secret.
    ///   - maximumBodyBytes: How much of a body ``LogLevel/debug`` shows, before it is indented. 4096 by default; 0 shows none.
    ///   - output: Gets one entry at a time, several lines joined by line feeds at ``LogLevel/debug``, without a line feed
    ///     at the end. Called on the thread of the event, on several threads at once: it should not block. By default
    ///     ``StandardError/write(_:)``, which never does, and never mixes two.
    public init(
        level: LogLevel = .info,
        redaction: Redaction = .default,
        maximumBodyBytes: Int = 4096,
        output: @escaping @Sendable (String) -> Void = StandardError.write
    ) {
        self.level = level
        self.text = LogText(redaction: redaction, maximumBodyBytes: maximumBodyBytes)
        self.output = output
    }

    /// A logger that tells a line per request, response and failure.
    public static var console: ConsoleLogger { ConsoleLogger() }

    /// A logger that tells as much as `level` says.
    public static func console(level: LogLevel) -> ConsoleLogger { ConsoleLogger(level: level) }

    /// Whether ``level`` is above ``LogLevel/off``.
    public var isEnabled: Bool { level > .off }

    /// Writes a line from ``LogLevel/info``, with headers and body at ``LogLevel/debug``.
    public func log(request: LoggedRequest) {
        guard level >= .info else { return }
        output(text.request(request, isDetailed: level >= .debug))
    }

    /// Writes a line from ``LogLevel/info``, with headers, phases and body at ``LogLevel/debug``.
    public func log(response: LoggedResponse, for request: LoggedRequest) {
        guard level >= .info else { return }
        output(text.response(response, for: request, isDetailed: level >= .debug))
    }

    /// Writes a line from ``LogLevel/error``.
    public func log(error: any Error, for request: LoggedRequest?) {
        guard level >= .error else { return }
        output(text.error(error, for: request))
    }

    /// Writes a line from ``LogLevel/info`` where the attempts' lines do not say it all: with more attempts or fewer than one, or an answer
    /// from elsewhere; at ``LogLevel/debug`` always.
    public func log(outcome: LoggedOutcome, for request: LoggedRequest?) {
        guard let request, level >= (outcome.isPlain ? .debug : .info) else { return }
        output(text.outcome(outcome, for: request))
    }

    /// Writes a line from ``LogLevel/error``.
    public func log(error: any Error) {
        log(error: error, for: nil)
    }
}

extension NetworkErrorLogger where Self == ConsoleLogger {
    /// A logger that writes a line per request, response and failure to standard error.
    public static var console: ConsoleLogger { ConsoleLogger() }

    /// A logger that writes to standard error as much as `level` says.
    public static func console(level: LogLevel) -> ConsoleLogger { ConsoleLogger(level: level) }
}

extension DataTransferErrorLogger where Self == ConsoleLogger {
    /// A logger that writes a line per failure to standard error.
    public static var console: ConsoleLogger { ConsoleLogger() }

    /// A logger that writes to standard error as much as `level` says.
    public static func console(level: LogLevel) -> ConsoleLogger { ConsoleLogger(level: level) }
}

/// How much a logger tells. Each level includes the ones before it.
public enum LogLevel: Int, Sendable, Hashable, CaseIterable, Comparable {
    /// Nothing.
    case off
    /// Failures only.
    case error
    /// One line per request and one per response: method, URL, status, duration, sizes.
    case info
    /// Headers and bodies too, redacted and cut at a limit.
    case debug

    /// Whether `lhs` tells less than `rhs`.
    public static func < (lhs: LogLevel, rhs: LogLevel) -> Bool {
        lhs.rawValue < rhs.rawValue
    }
}
