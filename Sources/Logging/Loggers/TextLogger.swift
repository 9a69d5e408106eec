/// A logger that writes each event as text, in the detail that its level states.
protocol TextLogger: NetworkErrorLogger, DataTransferErrorLogger {
    /// The level of detail of the entries.
    var level: LogLevel { get }
    /// The texts of the entries.
    var text: LogText { get }

    /// Writes an entry, whose lines are separated by line feeds.
    func write(_ entry: String, isFailure: Bool)
}

extension TextLogger {
    /// Whether the logger's level is above ``LogLevel/off``.
    public var isEnabled: Bool { level > .off }

    /// Writes an entry at ``LogLevel/info`` and above, with headers and body at ``LogLevel/debug``.
    public func log(request: LoggedRequest) {
        guard level >= .info else { return }
        write(text.request(request, isDetailed: level >= .debug), isFailure: false)
    }

    /// Writes an entry at ``LogLevel/info`` and above, with headers, phases and body at ``LogLevel/debug``.
    public func log(response: LoggedResponse, for request: LoggedRequest?) {
        guard level >= .info else { return }
        write(text.response(response, for: request, isDetailed: level >= .debug), isFailure: false)
    }

    /// Writes an entry at ``LogLevel/error`` and above.
    public func log(error: any Error, for request: LoggedRequest?) {
        guard level >= .error else { return }
        write(text.error(error, for: request), isFailure: true)
    }

    /// Writes an entry about the call if the entries of its attempts are not sufficient.
    ///
    /// At ``LogLevel/info``, that is the case if there was not exactly one attempt, or if the response did not come from the call's own
    /// attempt. At ``LogLevel/debug``, the entry is always written.
    public func log(outcome: LoggedOutcome, for request: LoggedRequest?) {
        guard let request, level >= (outcome.isPlain ? .debug : .info) else { return }
        write(text.outcome(outcome, for: request), isFailure: false)
    }

    /// Writes an entry at ``LogLevel/error`` and above.
    public func log(error: any Error) {
        log(error: error, for: nil)
    }
}

/// A level of detail of a logger. Each level includes the ones before it.
public enum LogLevel: Sendable, Hashable, CaseIterable, Comparable {
    /// No entries are written.
    case off
    /// Only failures are written.
    case error
    /// One line per request and one per response: method, URL, status, duration, sizes.
    case info
    /// As ``info``, with headers and bodies, which are redacted and cut at a limit.
    case debug
}
