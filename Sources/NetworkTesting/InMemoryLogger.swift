import NetworkCore
import NetworkLogging
import NetworkSupport

/// A logger for tests that stores all events in memory.
///
/// Unlike the loggers that print, it redacts nothing: events contain secrets as they were logged.
public final class InMemoryLogger: NetworkErrorLogger, DataTransferErrorLogger {
    /// An event that was logged.
    package enum Event: Sendable {
        /// A request attempt, logged before it is sent.
        case request(LoggedRequest)
        /// A response and the request that it belongs to.
        case response(LoggedResponse, LoggedRequest)
        /// An error of the network layer, and its request if there is one.
        case networkError(any Error, LoggedRequest?)
        /// The outcome of a call, and its request if there is one.
        case outcome(LoggedOutcome, LoggedRequest?)
        /// An error of the data transfer layer.
        case dataTransferError(any Error)
    }

    private let logged = Locked<[Event]>([])

    /// Creates a logger without events.
    public init() {}

    /// All events, in the order in which they were logged.
    package var events: [Event] { logged.withLock { $0 } }

    /// The logged requests, in order.
    public var requests: [LoggedRequest] {
        events.compactMap { if case .request(let request) = $0 { request } else { nil } }
    }

    /// The logged responses, in order.
    public var responses: [LoggedResponse] {
        events.compactMap { if case .response(let response, _) = $0 { response } else { nil } }
    }

    /// The logged errors of the network layer, in order.
    public var networkErrors: [any Error] {
        events.compactMap { if case .networkError(let error, _) = $0 { error } else { nil } }
    }

    /// The logged outcomes of calls, in order.
    public var outcomes: [LoggedOutcome] {
        events.compactMap { if case .outcome(let outcome, _) = $0 { outcome } else { nil } }
    }

    /// The logged errors of the data transfer layer, in order.
    public var dataTransferErrors: [any Error] {
        events.compactMap { if case .dataTransferError(let error) = $0 { error } else { nil } }
    }

    /// Stores the request of an attempt.
    public func log(request: LoggedRequest) {
        logged.withLock { $0.append(.request(request)) }
    }

    /// Stores a response event with its request.
    public func log(response: LoggedResponse, for request: LoggedRequest?) {
        guard let request else { return }
        logged.withLock { $0.append(.response(response, request)) }
    }

    /// Stores an error of the network layer.
    public func log(error: any Error, for request: LoggedRequest?) {
        logged.withLock { $0.append(.networkError(error, request)) }
    }

    /// Stores the outcome of a call.
    public func log(outcome: LoggedOutcome, for request: LoggedRequest?) {
        logged.withLock { $0.append(.outcome(outcome, request)) }
    }

    /// Stores an error of the data transfer layer.
    public func log(error: any Error) {
        logged.withLock { $0.append(.dataTransferError(error)) }
    }
}

extension InMemoryLogger: RedactedStringConvertible {}
