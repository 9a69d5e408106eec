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
