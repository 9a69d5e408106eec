/// A logger that receives every request, response and failure of the network layer, and the outcome of each call.
///
/// A call is sent once, several times or not at all, because interceptors can retry it, respond to a challenge, or return a cached response.
/// Each attempt is logged after all interceptors, with the header fields that they added. All entries of a call have the same
/// ``LoggedRequest/identifier``. Header fields that the engine adds, such as `Host` and stored cookies, are not logged.
///
/// ```swift
/// struct ShortLogger: NetworkErrorLogger {
///     func log(request: LoggedRequest) { print("sent", request) }
///     func log(response: LoggedResponse, for request: LoggedRequest?) {
///         print("received", response)
///     }
///     func log(error: any Error, for request: LoggedRequest?) { print(error) }
///     func log(outcome: LoggedOutcome, for request: LoggedRequest?) {
///         print("ended", outcome)
///     }
/// }
/// ```
///
/// Only ``log(error:for:)`` is required. A method with another signature is not called: the types are exactly these. The methods are called on the thread of the event, possibly on several threads concurrently. The
/// transfer waits for them, so they should return quickly.
public protocol NetworkErrorLogger: Sendable {
    /// Whether records are created and passed to this logger. Read before every event. Default: `true`.
    var isEnabled: Bool { get }

    /// Whether only failures are of interest: then ``log(request:)`` and ``log(response:for:)`` are not called, nor is
    /// ``log(outcome:for:)`` for a call that succeeded, and no record is created for them. Read once per call. Default: `false`.
    var logsOnlyFailures: Bool { get }

    /// Logs an attempt before it is sent.
    ///
    /// Called once per attempt, and not at all if a cache or another interceptor returns the response. The default implementation does
    /// nothing.
    ///
    /// - Parameter request: The request as it is sent, after all interceptors.
    func log(request: LoggedRequest)

    /// Logs the response to an attempt, whatever its status.
    ///
    /// Called when the response is complete; for a stream, when its head has been received. The default implementation does nothing.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - request: The attempt to which the response belongs; never `nil`, but optional like that of the other methods.
    func log(response: LoggedResponse, for request: LoggedRequest?)

    /// Logs the failure of an attempt, or of a call that failed for another reason: a status that the endpoint does not accept, or an
    /// error in an interceptor.
    ///
    /// Called once per failure, so several times for a call whose attempts fail. For one entry per call, use ``log(outcome:for:)``.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - request: The last attempt; if there was none, the call's request before interceptors; `nil` if no request could be created.
    func log(error: any Error, for request: LoggedRequest?)

    /// Logs the outcome of a call.
    ///
    /// Called once per call, after the entries of its attempts; for a stream, when its body has been read or released. The default
    /// implementation does nothing.
    ///
    /// - Parameters:
    ///   - outcome: The outcome.
    ///   - request: The call's request before interceptors; `nil` if no request could be created.
    func log(outcome: LoggedOutcome, for request: LoggedRequest?)
}

extension NetworkErrorLogger {
    /// Always `true`; the default implementation.
    public var isEnabled: Bool { true }
    /// Always `false`; the default implementation.
    public var logsOnlyFailures: Bool { false }
    /// Does nothing; the default implementation.
    public func log(request: LoggedRequest) {}
    /// Does nothing; the default implementation.
    public func log(response: LoggedResponse, for request: LoggedRequest?) {}
    /// Does nothing; the default implementation.
    public func log(outcome: LoggedOutcome, for request: LoggedRequest?) {}
}

/// A logger that receives every failure of the data-transfer layer: decoding errors and network errors.
///
/// ``log(error:)`` is called once per failed call, on the thread on which the failure was detected, possibly on several threads
/// concurrently.
public protocol DataTransferErrorLogger: Sendable {
    /// Whether errors are passed to this logger. Read before every event. Default: `true`.
    var isEnabled: Bool { get }

    /// Logs the error with which a call failed, the same error that the caller receives.
    func log(error: any Error)
}

extension DataTransferErrorLogger {
    /// Always `true`; the default implementation.
    public var isEnabled: Bool { true }
}

extension DataTransferErrorLogger where Self: NetworkErrorLogger {
    /// Always `true`; resolves the ambiguity for a type that conforms to both logger protocols.
    public var isEnabled: Bool { true }
}

/// A logger that receives nothing: `isEnabled` is `false`, so no records are created for it.
package struct SilentLogger: NetworkErrorLogger, DataTransferErrorLogger {
    /// Creates a logger that receives nothing.
    package init() {}

    /// Always `false`, so that the logger is never called.
    package var isEnabled: Bool { false }
    /// Does nothing with the error.
    package func log(error: any Error, for request: LoggedRequest?) {}
    /// Does nothing with the error.
    package func log(error: any Error) {}
}

extension NetworkErrorLogger where Self == SilentLogger {
    /// A logger that receives nothing.
    package static var silent: SilentLogger { SilentLogger() }
}

extension DataTransferErrorLogger where Self == SilentLogger {
    /// A logger that receives nothing.
    package static var silent: SilentLogger { SilentLogger() }
}
