import Endpoints
import Foundation
import NetworkSupport

/// A bounded buffer for a body, from the engine that receives it to its reader: the engine stops reading while it is full.
package struct ResponseBodyPipe: Sendable {
    /// The number of buffered bytes at which the engine stops reading. A write that starts below it is accepted completely.
    static let capacity = 256 << 10

    private let pipe: BoundedPipe<ReceivedBytes, StreamEnd, TransportError>

    /// - Parameter onRoom: Called on the reader's thread when the engine can repeat a rejected write.
    package init(onRoom: @escaping @Sendable () -> Void) {
        pipe = BoundedPipe(ReceivedBytes(), capacity: Self.capacity, onRoom: onRoom)
    }

    // MARK: The engine's side

    /// Adds bytes. A waiting reader receives them with the next ``flush()``.
    ///
    /// - Returns: `false` if the buffer is full: nothing was added, and `onRoom` is called when the write can be repeated.
    package func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
        pipe.access(wakes: false) { state in
            // After the end, bytes are dropped.
            if state.end != nil { return true }
            if state.awaitRoom(.callback) { return false }
            state.content.bytes.append(contentsOf: bytes)
            return true
        }
    }

    /// Whether a write would be accepted. If not, `onRoom` is called when it would.
    package var hasRoom: Bool { write(UnsafeRawBufferPointer(start: nil, count: 0)) }

    /// Wakes a waiting reader if there are bytes: once for all bytes of one read from the socket.
    package func flush() {
        pipe.access { _ in }
    }

    /// Marks the end. Bytes that were received before are still delivered, also before a failure.
    package func finish(_ end: Result<StreamEnd, TransportError>) {
        pipe.finish(end)
    }

    // MARK: The reader's side

    /// Returns all buffered bytes, waiting for some if there are none; `nil` at the end.
    package func next() async throws(TransportError) -> Data? { try await pipe.next(conflict: .concurrentReading) }

    /// Stops reading. Buffered bytes, and those still to come, are dropped.
    ///
    /// - Returns: `false` if the end was received before.
    package func cancel(_ error: TransportError) -> Bool { pipe.cancel(error) }

    /// The trailers and timings, after the end was received.
    package var end: StreamEnd? { if case .success(let end) = pipe.end { end } else { nil } }
}

/// The trailers and timings, which are known only at the end of a response.
@_spi(SessionManagers) public struct StreamEnd: Sendable {
    /// The trailer fields (RFC 9110 §6.5).
    public var trailers: HeaderFields
    /// The final durations and byte counts.
    public var timings: TransferTimings

    /// Creates an end. By default, without trailers and with timings that are zero or unknown.
    public init(trailers: HeaderFields = [:], timings: TransferTimings = TransferTimings()) {
        self.trailers = trailers
        self.timings = timings
    }
}
