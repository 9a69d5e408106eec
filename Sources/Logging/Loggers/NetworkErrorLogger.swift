/// Hears about every request, response and failure of the network layer.
///
/// Only ``log(error:for:)`` has to be implemented. Methods are called on whatever thread the event happened on, possibly
/// on several at once, and the transfer waits for them: return soon.
public protocol NetworkErrorLogger: Sendable {
    /// Whether records should be built and handed over at all. `true` by default; asked before every event.
    var isEnabled: Bool { get }

    /// A request is about to be sent. Called once per attempt. Does nothing by default.
    func log(request: LoggedRequest)

    /// A response has arrived in full, whatever its status. Does nothing by default.
    func log(response: LoggedResponse, for request: LoggedRequest)

    /// A request has failed. Called once per failure; `request` is `nil` where none could be built.
    func log(error: any Error, for request: LoggedRequest?)
}

extension NetworkErrorLogger {
    /// `true`.
    public var isEnabled: Bool { true }
    /// Does nothing.
    public func log(request: LoggedRequest) {}
    /// Does nothing.
    public func log(response: LoggedResponse, for request: LoggedRequest) {}
}
