import Endpoints
import NetworkCore

/// The events of a source that is connected to again and again (WHATWG HTML §9.2).
///
/// ```swift
/// for try await event in service.events(ticker) { print(event.type, event.data) }
/// ```
///
/// It is cold: nothing is requested before a loop asks for the first event, and each loop has connections of its own. After a connection has
/// ended it is made anew, as ``EventReconnection`` says, with the ID of the last event as `Last-Event-ID`. The stream ends when the server
/// answers 204. Leaving the loop or cancelling its task closes the socket, and ends a pause.
///
/// A connection that is silent for as long as the idle timeout is taken to be lost: a source that may be silent for longer needs an endpoint
/// with another `timeouts.idle`, or comments now and then.
public struct EventStream: AsyncSequence, Sendable {
    /// An event.
    public typealias Element = ServerSentEvent
    /// What iterating throws.
    public typealias Failure = DataTransferError

    let make: @Sendable () -> EventSource

    /// Connects when the first event is asked for.
    public func makeAsyncIterator() -> Iterator { Iterator(source: make()) }

    /// Hands out events.
    public struct Iterator: AsyncIteratorProtocol {
        var source: EventSource

        /// Suspends until there is an event.
        ///
        /// - Returns: The next event; `nil` after the server has answered 204.
        /// - Throws: ``DataTransferError`` that no further attempt will heal, or of the last attempt allowed; at once when the task is cancelled.
        public mutating func next() async throws(DataTransferError) -> ServerSentEvent? {
            try await source.next()
        }
    }
}
