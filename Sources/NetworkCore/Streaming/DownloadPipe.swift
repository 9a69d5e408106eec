import Endpoints
import Foundation

/// The way of a body from the engine that receives it to whoever reads it: bounded, the engine stops reading while it is full.
final class DownloadPipe: Sendable {
    private typealias Reader = UnsafeContinuation<Result<Data?, TransportError>, Never>

    private struct State {
        var bytes = Data()
        var writerWaits = false
        var end: Result<StreamEnd, TransportError>?
        var reader: Reader?
        var isClosed = false

        /// All there is, and whether that lets a refused writer go on.
        mutating func takeBytes() -> (bytes: Data, mayGoOn: Bool) {
            defer {
                bytes = Data()
                writerWaits = false
            }
            return (bytes, writerWaits)
        }
    }

    /// Bytes that may wait before the engine stops reading. A write that begins below it is taken whole.
    static let capacity = 256 << 10

    private let state = Locked(State())
    /// Runs when the engine may go on after a refused write, on the thread of the reader.
    private let onRoom: @Sendable () -> Void

    init(onRoom: @escaping @Sendable () -> Void) {
        self.onRoom = onRoom
    }

    // MARK: The engine's side

    /// Adds bytes. A reader that waits gets them with the next ``flush()``.
    ///
    /// - Returns: `false` when it is full: nothing was taken, and `onRoom` says when to try again.
    func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
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

    /// Whether a write would be taken. When not, `onRoom` says when to try again.
    var hasRoom: Bool { write(UnsafeRawBufferPointer(start: nil, count: 0)) }

    /// Wakes a reader that waits, if there is something for it: once for all that one look at the socket has brought.
    func flush() {
        let (reader, bytes, mayGoOn): (Reader?, Data, Bool) = state.withLock { state in
            guard !state.bytes.isEmpty, let reader = state.reader else { return (nil, Data(), false) }
            state.reader = nil
            let (bytes, mayGoOn) = state.takeBytes()
            return (reader, bytes, mayGoOn)
        }
        reader?.resume(returning: .success(bytes))
        if mayGoOn { onRoom() }
    }

    /// Nothing follows. What has come before is still handed out, also before a failure.
    func finish(_ end: Result<StreamEnd, TransportError>) {
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

    /// All that has come, or as soon as something comes; `nil` at the end.
    func next() async throws(TransportError) -> Data? {
        let result = await withUnsafeContinuation { continuation in
            let (answer, mayGoOn): (Result<Data?, TransportError>?, Bool) = state.withLock { state in
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
            if let answer { continuation.resume(returning: answer) }
        }
        return try result.get()
    }

    /// Nobody reads any more: what waits, and what still comes, is dropped.
    ///
    /// - Returns: `false` when all had come already.
    func cancel(_ error: TransportError) -> Bool {
        let (isEnded, reader) = state.withLock { state in
            let hadEnded = state.end != nil
            state.isClosed = true
            // A reader that lost bytes must not take the rest for the whole.
            if state.end == nil || !state.bytes.isEmpty { state.end = .failure(error) }
            state.bytes = Data()
            defer { state.reader = nil }
            return (hadEnded, state.reader)
        }
        reader?.resume(returning: .failure(error))
        return !isEnded
    }

    /// What is known when all has come.
    var end: StreamEnd? {
        state.withLock { if case .success(let end) = $0.end { end } else { nil } }
    }
}

/// What only the end of a response tells.
package struct StreamEnd: Sendable {
    package var trailers: HTTPHeaders
    package var timings: TransferTimings

    package init(trailers: HTTPHeaders = [:], timings: TransferTimings = TransferTimings()) {
        self.trailers = trailers
        self.timings = timings
    }
}
