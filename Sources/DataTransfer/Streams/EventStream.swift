import Endpoints
import NetworkCore
import NetworkLogging

/// The events of an event source that reconnects automatically (WHATWG HTML §9.2): an async sequence.
///
/// ```swift
/// for try await event in service.events(ticker) { print(event.type, event.data) }
/// ```
///
/// The stream is cold: nothing is requested before a loop needs the first event, and each loop has separate connections.
/// After the end of a connection, the stream reconnects as ``EventStreamOptions`` describes, with the ID of the last event as
/// `Last-Event-ID`. No ID is sent if it contains a control character other than a tab, which no field can contain (RFC 9110 §5.5), or is
/// longer than 64 KiB. The stream ends when the server responds with 204, and that of a request that must not be repeated, such as a POST, at
/// the end of the response. Leaving the loop or cancelling its task closes the socket or
/// ends the pause.
///
/// A connection is considered lost if it is silent for the duration of the idle timeout. A source that may be silent for
/// longer needs an endpoint with a longer `timeouts.idle`, and behind a `RequestPipeline` or `.deadline` also a longer `timeouts.deadline`,
/// or must send comments from time to time.
public struct EventStream: AsyncSequence, Sendable {
    let make: @Sendable () -> EventSource

    /// Returns an iterator that connects when it is first called.
    public func makeAsyncIterator() -> Iterator { Iterator(source: make()) }

    /// An iterator over the events.
    public struct Iterator: AsyncIteratorProtocol {
        var source: EventSource

        /// Waits for the next event.
        ///
        /// - Returns: The next event; `nil` after the server has responded with 204, and after the response to a request that must not be
        ///   repeated.
        /// - Throws: ``DataTransferError`` if the failure is not temporary or the maximum number of attempts has failed; at
        ///   once when the task is cancelled.
        public mutating func next() async throws -> ServerSentEvent? {
            try await source.next()
        }
    }
}

extension DataTransferService {
    /// Returns the events of an endpoint as an async sequence that reconnects automatically.
    ///
    /// Nothing is requested until a loop starts.
    ///
    /// `Accept`, `Cache-Control: no-store` and `Accept-Encoding: identity` are sent unless the endpoint has such fields
    /// itself.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint of the event source.
    ///   - options: When to reconnect, and when to fail.
    ///   - lastEventID: The ID of the last event that was received in an earlier run, sent as `Last-Event-ID`.
    ///   - maximumEventBytes: The maximum size of an event in bytes. A larger one ends the stream with an error. Default: 1
    ///     MiB.
    public func events(
        _ endpoint: any Requestable, options: EventStreamOptions = EventStreamOptions(), lastEventID: String = "",
        maximumEventBytes: Int = 1 << 20
    ) -> EventStream {
        EventStream {
            EventSource(self, endpoint, options, lastEventID: lastEventID, maximumEventBytes: maximumEventBytes)
        }
    }
}

extension EventStream: RedactedStringConvertible {}

extension EventStream.Iterator: RedactedStringConvertible {}
