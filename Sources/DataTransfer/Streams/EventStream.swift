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

extension DataTransferService {
    /// The events of an endpoint, across as many connections as it takes. Nothing is requested yet.
    ///
    /// `Accept`, `Cache-Control: no-store` and `Accept-Encoding: identity` are sent unless the endpoint has such fields itself.
    ///
    /// - Parameters:
    ///   - reconnection: When to connect again, and when to give up.
    ///   - lastEventID: The ID of the last event that was seen, from an earlier run; sent as `Last-Event-ID`.
    ///   - maximumEventBytes: The longest event. A longer one ends the stream with an error.
    public func events(
        _ endpoint: any Requestable, reconnection: EventReconnection = EventReconnection(), lastEventID: String = "",
        maximumEventBytes: Int = 1 << 20
    ) -> EventStream {
        EventStream {
            EventSource(self, endpoint, reconnection, lastEventID: lastEventID, maximumEventBytes: maximumEventBytes)
        }
    }

    /// Hands over the events of an endpoint, across as many connections as it takes. Connects at once.
    ///
    /// - Parameters:
    ///   - reconnection: When to connect again, and when to give up.
    ///   - lastEventID: The ID of the last event that was seen, from an earlier run; sent as `Last-Event-ID`.
    ///   - maximumEventBytes: The longest event. A longer one ends the stream with an error.
    ///   - queue: Where both closures run; with `nil`, on background threads that no transfer depends on.
    ///   - onEvent: Runs for each event, in order. The next one waits until it returns.
    ///   - completion: Runs exactly once, after the last `onEvent` has returned: with success after the server has answered 204.
    /// - Returns: A handle that ends it all, and closes the socket at once; the completion then runs with an error whose `isCancelled` is
    ///   true.
    @discardableResult
    public func events(
        _ endpoint: any Requestable, reconnection: EventReconnection = EventReconnection(), lastEventID: String = "",
        maximumEventBytes: Int = 1 << 20, on queue: (any DataTransferDispatchQueue)? = nil,
        onEvent: @escaping @Sendable (ServerSentEvent) -> Void,
        completion: @escaping @Sendable (Result<Void, DataTransferError>) -> Void
    ) -> any NetworkCancellable {
        TaskCancellable(on: queue) { () async throws(DataTransferError) in
            let source = EventSource(
                self, endpoint, reconnection, lastEventID: lastEventID, maximumEventBytes: maximumEventBytes)
            try await source.deliver(on: queue, to: onEvent)
        } completion: {
            completion($0)
        }
    }
}

extension EventSource {
    /// Hands events to a closure that may block, one after another. The socket is closed at once when the task is cancelled, also while
    /// the closure blocks.
    fileprivate func deliver(
        on queue: (any DataTransferDispatchQueue)?, to onEvent: @escaping @Sendable (ServerSentEvent) -> Void
    ) async throws(DataTransferError) {
        let openConnection = openConnection
        let result = await withTaskCancellationHandler { () async -> Result<Void, DataTransferError> in
            var source = self
            do throws(DataTransferError) {
                while let event = try await source.next() { await run(onEvent, with: event, on: queue) }
                return .success(())
            } catch {
                return .failure(error)
            }
        } onCancel: {
            openConnection.close()
        }
        try result.get()
    }
}
