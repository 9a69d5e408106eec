/// Hears about every request, response and failure of the network layer, and how each call ended.
///
/// A call is sent once, several times, or not at all: interceptors retry it, follow a challenge, or answer from a cache. Attempts are told
/// from behind all interceptors, as they are sent, with the fields that interceptors have added; what belongs to one call has the same
/// ``LoggedRequest/identifier``. What an engine adds itself, such as `Host` and stored cookies, is not among the fields.
///
/// Only ``log(error:for:)`` has to be implemented. Methods are called on whatever thread the event happened on, possibly
/// on several at once, and the transfer waits for them: return soon.
public protocol NetworkErrorLogger: Sendable {
    /// Whether records should be built and handed over at all. `true` by default; asked before every event.
    var isEnabled: Bool { get }

    /// A request is about to be sent, as the interceptors have made it. Called once per attempt, and not where a cache or another interceptor
    /// answers. Does nothing by default.
    func log(request: LoggedRequest)

    /// A response to an attempt has arrived in full, whatever its status; in a streamed exchange, its head. Does nothing by default.
    ///
    /// - Parameter request: The attempt that it answers.
    func log(response: LoggedResponse, for request: LoggedRequest)

    /// An attempt has failed, or a call has for a reason that no attempt had: a status that the endpoint does not accept, an interceptor.
    /// Called once per failure.
    ///
    /// - Parameter request: The last attempt; where there was none, the call as it was built; `nil` where no request could be built.
    func log(error: any Error, for request: LoggedRequest?)

    /// A call has ended. Called once per call, after the entries of its attempts; of a stream, when its body has been read or let go of. Does
    /// nothing by default.
    ///
    /// - Parameter request: The call as it was built, before interceptors; `nil` where no request could be built.
    func log(outcome: LoggedOutcome, for request: LoggedRequest?)
}

extension NetworkErrorLogger {
    /// `true`.
    public var isEnabled: Bool { true }
    /// Does nothing.
    public func log(request: LoggedRequest) {}
    /// Does nothing.
    public func log(response: LoggedResponse, for request: LoggedRequest) {}
    /// Does nothing.
    public func log(outcome: LoggedOutcome, for request: LoggedRequest?) {}
}

/// Hears about every failure of the data-transfer layer: what could not be decoded, and what the network refused.
///
/// ``log(error:)`` is called once per failed call, on whatever thread the failure was found on, possibly on several at once.
public protocol DataTransferErrorLogger: Sendable {
    /// Whether errors should be handed over at all. `true` by default; asked before every event.
    var isEnabled: Bool { get }

    /// A call has failed with this error, the one the caller gets.
    func log(error: any Error)
}

extension DataTransferErrorLogger {
    /// `true`.
    public var isEnabled: Bool { true }
}

extension DataTransferErrorLogger where Self: NetworkErrorLogger {
    /// `true`; says which default counts for a type that hears both layers.
    public var isEnabled: Bool { true }
}

/// A logger that hears nothing: `isEnabled` is false, so no record is ever built for it.
public struct SilentLogger: NetworkErrorLogger, DataTransferErrorLogger {
    /// Makes a silent logger.
    public init() {}

    /// `false`.
    public var isEnabled: Bool { false }
    /// Does nothing.
    public func log(error: any Error, for request: LoggedRequest?) {}
    /// Does nothing.
    public func log(error: any Error) {}
}

extension NetworkErrorLogger where Self == SilentLogger {
    /// A logger that hears nothing.
    public static var silent: SilentLogger { SilentLogger() }
}

extension DataTransferErrorLogger where Self == SilentLogger {
    /// A logger that hears nothing.
    public static var silent: SilentLogger { SilentLogger() }
}
