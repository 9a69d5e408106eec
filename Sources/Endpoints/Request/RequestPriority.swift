/// The class of a request in the queues of this client: those of a `ConcurrencyGate`, and those for connections.
///
/// ```swift
/// var thumbnail = Endpoint<Data>(path: "thumbnail/7", responseDecoder: .rawData)
/// thumbnail.priority = .low
/// ```
///
/// Among the waiting requests to one host (scheme and port included), those of a higher class are sent first, and those of one class
/// in the order of arrival. A lower class is not delayed forever: after 8 requests of higher classes were sent while it waited, its
/// first one is next. The hosts take turns, whatever the classes of their requests. The priority is not sent to the server.
public enum RequestPriority: Sendable, Hashable, CaseIterable, Comparable {
    /// For requests that need not be sent soon, such as prefetching.
    case low
    /// The default.
    case normal
    /// For requests that a person waits for.
    case high
}
