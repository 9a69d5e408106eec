import NetworkCore
import NetworkLogging

/// A logger that remembers, for tests.
///
/// Unlike the loggers for people it keeps everything as it came, secrets included.
public final class InMemoryLogger: NetworkErrorLogger, DataTransferErrorLogger {
    /// What was heard.
    public enum Event: Sendable {
        /// An attempt, before it is sent.
        case request(LoggedRequest)
        /// A response, and the request it answers.
        case response(LoggedResponse, LoggedRequest)
        /// A failure of the network layer.
        case networkError(any Error, LoggedRequest?)
        /// The end of a call.
        case outcome(LoggedOutcome, LoggedRequest?)
        /// A failure of the data transfer layer.
        case dataTransferError(any Error)
    }

    private let heard = Locked<[Event]>([])

    /// A logger that has heard nothing.
    public init() {}

    /// Everything, in order.
    public var events: [Event] { heard.withLock { $0 } }

    /// Requests, in order.
    public var requests: [LoggedRequest] {
        events.compactMap { if case .request(let request) = $0 { request } else { nil } }
    }

    /// Responses, in order.
    public var responses: [LoggedResponse] {
        events.compactMap { if case .response(let response, _) = $0 { response } else { nil } }
    }

    /// Failures of the network layer.
    public var networkErrors: [any Error] {
        events.compactMap { if case .networkError(let error, _) = $0 { error } else { nil } }
    }

    /// Ends of calls, in order.
    public var outcomes: [LoggedOutcome] {
        events.compactMap { if case .outcome(let outcome, _) = $0 { outcome } else { nil } }
    }

    /// Failures of the data transfer layer.
    public var dataTransferErrors: [any Error] {
        events.compactMap { if case .dataTransferError(let error) = $0 { error } else { nil } }
    }

    /// Remembers a request.
    public func log(request: LoggedRequest) {
        heard.withLock { $0.append(.request(request)) }
    }

    /// Remembers a response and its request.
    public func log(response: LoggedResponse, for request: LoggedRequest) {
        heard.withLock { $0.append(.response(response, request)) }
    }

    /// Remembers a failure of the network layer.
    public func log(error: any Error, for request: LoggedRequest?) {
        heard.withLock { $0.append(.networkError(error, request)) }
    }

    /// Remembers the end of a call.
    public func log(outcome: LoggedOutcome, for request: LoggedRequest?) {
        heard.withLock { $0.append(.outcome(outcome, request)) }
    }

    /// Remembers a failure of the data transfer layer.
    public func log(error: any Error) {
        heard.withLock { $0.append(.dataTransferError(error)) }
    }
}
