import Endpoints
import Foundation
import NetworkSupport

/// A bounded buffer for a body, from the engine that receives it to its reader: the engine stops reading while it is full.
package final class ResponseBodyPipe: Sendable {
    private typealias Reader = UnsafeContinuation<Result<Data?, TransportError>, Never>

    private struct State {
        var bytes = Data()
        var writerWaits = false
        var end: Result<StreamEnd, TransportError>?
        var reader: Reader?
        var isClosed = false

        /// Removes and returns all bytes, and whether a rejected write can now be repeated.
        mutating func takeBytes() -> (bytes: Data, mayGoOn: Bool) {
            defer {
                bytes = Data()
                writerWaits = false
            }
            return (bytes, writerWaits)
        }
    }

    /// The number of buffered bytes at which the engine stops reading. A write that starts below it is accepted completely.
    static let capacity = 256 << 10

    private let state = Locked(State())
    /// Called on the reader's thread when the engine can repeat a rejected write.
    private let onRoom: @Sendable () -> Void

    package init(onRoom: @escaping @Sendable () -> Void) {
        self.onRoom = onRoom
    }

    // MARK: The engine's side

    /// Adds bytes. A waiting reader receives them with the next ``flush()``.
    ///
    /// - Returns: `false` if the buffer is full: nothing was added, and `onRoom` is called when the write can be repeated.
    package func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
        state.withLock { state in
            if state.isClosed { return true }
            guard state.bytes.count < Self.capacity else {
                state.writerWaits = true
                return false
            }
            state.bytes.append(contentsOf: bytes)
            return true
        }
    }

    /// Whether a write would be accepted. If not, `onRoom` is called when it would.
    package var hasRoom: Bool { write(UnsafeRawBufferPointer(start: nil, count: 0)) }

    /// Passes the bytes, if any, to a waiting reader: once for all bytes of one read from the socket.
    package func flush() {
        let (reader, bytes, mayGoOn): (Reader?, Data, Bool) = state.withLock { state in
            guard !state.bytes.isEmpty, let reader = state.reader else { return (nil, Data(), false) }
            state.reader = nil
            let (bytes, mayGoOn) = state.takeBytes()
            return (reader, bytes, mayGoOn)
        }
        reader?.resume(returning: .success(bytes))
        if mayGoOn { onRoom() }
    }

    /// Marks the end. Bytes that were received before are still delivered, also before a failure.
    package func finish(_ end: Result<StreamEnd, TransportError>) {
        let (reader, bytes): (Reader?, Data) = state.withLock { state in
            guard state.end == nil else { return (nil, Data()) }
            state.end = end
            guard let reader = state.reader else { return (nil, Data()) }
            state.reader = nil
            return (reader, state.takeBytes().bytes)
        }
        reader?.resume(returning: bytes.isEmpty ? end.map { _ in nil } : .success(bytes))
    }

    // MARK: The reader's side

    /// Returns all buffered bytes, waiting for some if there are none; `nil` at the end.
    package func next() async throws(TransportError) -> Data? {
        let result = await withUnsafeContinuation { continuation in
            let (ready, mayGoOn): (Result<Data?, TransportError>?, Bool) = state.withLock { state in
                if !state.bytes.isEmpty {
                    let (bytes, mayGoOn) = state.takeBytes()
                    return (.success(bytes), mayGoOn)
                }
                if let end = state.end { return (end.map { _ in nil }, false) }
                if state.reader != nil {
                    return (.failure(TransportError(.other, "two tasks read one body at the same time")), false)
                }
                state.reader = continuation
                return (nil, false)
            }
            if mayGoOn { onRoom() }
            if let ready { continuation.resume(returning: ready) }
        }
        return try result.get()
    }

    /// Stops reading. Buffered bytes, and those still to come, are dropped.
    ///
    /// - Returns: `false` if the end was received before.
    package func cancel(_ error: TransportError) -> Bool {
        let (isEnded, reader) = state.withLock { state in
            let hadEnded = state.end != nil
            state.isClosed = true
            // A reader that lost bytes must not treat the rest as the complete body.
            if state.end == nil || !state.bytes.isEmpty { state.end = .failure(error) }
            state.bytes = Data()
            defer { state.reader = nil }
            return (hadEnded, state.reader)
        }
        reader?.resume(returning: .failure(error))
        return !isEnded
    }

    /// The trailers and timings, after the end was received.
    package var end: StreamEnd? {
        state.withLock { if case .success(let end) = $0.end { end } else { nil } }
    }
}

/// The trailers and timings, which are known only at the end of a response.
public struct StreamEnd: Sendable {
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
