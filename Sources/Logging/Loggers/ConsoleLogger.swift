import Foundation

/// A logger that writes requests, responses and failures as text, by default to standard error.
///
/// All text is redacted (``Redaction``) and cut at a limit. Control, line-breaking and direction-changing characters are escaped, so
/// that a server cannot forge a line or control a terminal. Each event is one call of `output`.
public struct ConsoleLogger: NetworkErrorLogger, DataTransferErrorLogger {
    /// The level of detail of the entries.
    public var level: LogLevel

    private let text: LogText
    private let output: @Sendable (String) -> Void

    /// Creates a logger that writes to an output.
    ///
    /// - Parameters:
    ///   - level: The level of detail. Default: ``LogLevel/info``, one line per request, response and failure.
    ///   - redaction: The redaction rules.
    ///   - maximumBodyBytes: The maximum number of bytes of a body that ``LogLevel/debug`` shows, before indentation. Default: 4096;
    ///     0 shows no bodies.
    ///   - output: Receives one entry at a time, without a line feed at the end; at ``LogLevel/debug``, an entry can have several lines
    ///     separated by line feeds. Called on the thread of the event, possibly on several threads concurrently; it should not block.
    ///     Default: ``StandardError/write(_:)``, which does not block and does not mix entries.
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

    /// A logger that writes one line per request, response and failure to standard error.
    public static var console: ConsoleLogger { ConsoleLogger() }

    /// Returns a logger that writes to standard error at a level of detail.
    public static func console(level: LogLevel) -> ConsoleLogger { ConsoleLogger(level: level) }

    /// Whether ``level`` is above ``LogLevel/off``.
    public var isEnabled: Bool { level > .off }

    /// Writes a line at ``LogLevel/info`` and above, with headers and body at ``LogLevel/debug``.
    public func log(request: LoggedRequest) {
        guard level >= .info else { return }
        output(text.request(request, isDetailed: level >= .debug))
    }

    /// Writes a line at ``LogLevel/info`` and above, with headers, phases and body at ``LogLevel/debug``.
    public func log(response: LoggedResponse, for request: LoggedRequest) {
        guard level >= .info else { return }
        output(text.response(response, for: request, isDetailed: level >= .debug))
    }

    /// Writes a line at ``LogLevel/error`` and above.
    public func log(error: any Error, for request: LoggedRequest?) {
        guard level >= .error else { return }
        output(text.error(error, for: request))
    }

    /// Writes a line about the call if the lines of its attempts are not sufficient.
    ///
    /// At ``LogLevel/info``, that is the case if there was not exactly one attempt, or if the response did not come from the call's own
    /// attempt. At ``LogLevel/debug``, the line is always written.
    public func log(outcome: LoggedOutcome, for request: LoggedRequest?) {
        guard let request, level >= (outcome.isPlain ? .debug : .info) else { return }
        output(text.outcome(outcome, for: request))
    }

    /// Writes a line at ``LogLevel/error`` and above.
    public func log(error: any Error) {
        log(error: error, for: nil)
    }
}

extension NetworkErrorLogger where Self == ConsoleLogger {
    /// A logger that writes one line per request, response and failure to standard error.
    public static var console: ConsoleLogger { ConsoleLogger() }

    /// Returns a logger that writes to standard error at a level of detail.
    public static func console(level: LogLevel) -> ConsoleLogger { ConsoleLogger(level: level) }
}

extension DataTransferErrorLogger where Self == ConsoleLogger {
    /// A logger that writes one line per failure to standard error.
    public static var console: ConsoleLogger { ConsoleLogger() }

    /// Returns a logger that writes to standard error at a level of detail.
    public static func console(level: LogLevel) -> ConsoleLogger { ConsoleLogger(level: level) }
}

/// A level of detail of a logger. Each level includes the ones before it.
public enum LogLevel: Int, Sendable, Hashable, CaseIterable, Comparable {
    /// No entries are written.
    case off
    /// Only failures are written.
    case error
    /// One line per request and one per response: method, URL, status, duration, sizes.
    case info
    /// As ``info``, with headers and bodies, which are redacted and cut at a limit.
    case debug

    /// Returns whether `lhs` is less detailed than `rhs`.
    public static func < (lhs: LogLevel, rhs: LogLevel) -> Bool {
        lhs.rawValue < rhs.rawValue
    }
}
