import Endpoints
import Foundation

/// The way of a body from the engine that receives it to whoever reads it: bounded, the engine stops reading while it is full.
final class DownloadPipe: Sendable {
    private struct State {
        /// Empty while the reader waits.
        var bytes = Data()
        var writerWaits = false
        var end: Result<StreamEnd, TransportError>?
        var reader: UnsafeContinuation<Result<Data?, TransportError>, Never>?
        var isClosed = false
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

    /// - Returns: `false` when it is full: nothing was taken, and `onRoom` says when to try again.
    func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
        if bytes.isEmpty { return true }
        let (isTaken, reader): (Bool, UnsafeContinuation<Result<Data?, TransportError>, Never>?) = state.withLock { state in
            if state.isClosed { return (true, nil) }
            if let reader = state.reader {
                state.reader = nil
                return (true, reader)
            }
            guard state.bytes.count < Self.capacity else {
                state.writerWaits = true
                return (false, nil)
            }
            state.bytes.append(contentsOf: bytes)
            return (true, nil)
        }
        reader?.resume(returning: .success(Data(bytes)))
        return isTaken
    }

    /// Nothing follows. What has come before is still handed out, also before a failure.
    func finish(_ end: Result<StreamEnd, TransportError>) {
        let reader = state.withLock { state in
            guard state.end == nil else { return nil as UnsafeContinuation<Result<Data?, TransportError>, Never>? }
            state.end = end
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume(returning: end.map { _ in nil })
    }

    // MARK: The reader's side

    /// All that has come, or as soon as something comes; `nil` at the end.
    func next() async throws(TransportError) -> Data? {
        let result = await withUnsafeContinuation { continuation in
            let (answer, mayGoOn): (Result<Data?, TransportError>?, Bool) = state.withLock { state in
                if !state.bytes.isEmpty {
                    defer {
                        state.bytes = Data()
                        state.writerWaits = false
                    }
                    return (.success(state.bytes), state.writerWaits)
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
            state.isClosed = true
            state.bytes = Data()
            defer {
                state.reader = nil
                state.end = state.end ?? .failure(error)
            }
            return (state.end != nil, state.reader)
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
