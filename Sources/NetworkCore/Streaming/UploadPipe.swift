import Endpoints
import Foundation

/// The way of a body from whoever makes it to the engine that sends it: bounded, the maker waits while it is full.
final class UploadPipe: Sendable {
    /// What the engine gets when it asks for bytes.
    enum Reading: Equatable {
        case bytes(Int)
        /// Nothing yet; ``init(onBytes:)``'s closure says when to ask again.
        case wait
        case end
        case failed
    }

    fileprivate struct State {
        var chunks: [Data] = []
        /// Bytes of the first chunk that have been taken.
        var taken = 0
        var waiting = 0
        var end: Result<Void, TransportError>?
        var readerWaits = false
        var writer: UnsafeContinuation<Bool, Never>?
        var isClosed = false
    }

    /// Bytes that may wait before the maker does. One chunk is taken whatever its size.
    static let capacity = 256 << 10
    /// From how many bytes on a chunk is handed over without a copy.
    static let largeBytes = 16 << 10

    private let state = Locked(State())
    private let onBytes: @Sendable () -> Void

    /// - Parameter onBytes: Runs when there is something to read after ``Reading/wait``, on the thread of whoever made it.
    init(onBytes: @escaping @Sendable () -> Void) {
        self.onBytes = onBytes
    }

    // MARK: The maker's side, one task

    /// Adds a chunk, and returns when there is room for another.
    ///
    /// - Throws: `CancellationError` when nobody reads any more.
    func write(_ chunk: Data) async throws {
        if chunk.isEmpty { return }
        let (isFull, isAwaited) = state.withLock { state in
            if state.isClosed { return (false, false) }
            state.chunks.append(chunk)
            state.waiting += chunk.count
            defer { state.readerWaits = false }
            return (state.waiting >= Self.capacity, state.readerWaits)
        }
        if isAwaited { onBytes() }
        guard isFull else {
            if state.withLock({ $0.isClosed }) { throw CancellationError() }
            return
        }
        let mayGoOn = await withUnsafeContinuation { continuation in
            let answer: Bool? = state.withLock { state in
                if state.isClosed { return false }
                if state.waiting < Self.capacity { return true }
                state.writer = continuation
                return nil
            }
            if let answer { continuation.resume(returning: answer) }
        }
        if !mayGoOn { throw CancellationError() }
    }

    /// No chunk will follow.
    func finish(_ end: Result<Void, TransportError>) {
        let isAwaited = state.withLock { state in
            guard state.end == nil, !state.isClosed else { return false }
            state.end = end
            defer { state.readerWaits = false }
            return state.readerWaits
        }
        if isAwaited { onBytes() }
    }

    // MARK: The engine's side, one thread at a time

    /// Removes and returns the first chunk without a copy, if it has at least ``largeBytes`` and no byte of it was read.
    ///
    /// - Returns: `nil` where ``read(into:)`` is to be used.
    func takeLargeChunk() -> Data? {
        let (chunk, writer): (Data?, UnsafeContinuation<Bool, Never>?) = state.withLock { state in
            guard state.taken == 0, let first = state.chunks.first, first.count >= Self.largeBytes else { return (nil, nil) }
            state.chunks.removeFirst()
            state.waiting -= first.count
            return (first, state.takeWriter())
        }
        writer?.resume(returning: true)
        return chunk
    }

    /// Takes as many bytes as there are and fit.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Reading {
        let (reading, writer): (Reading, UnsafeContinuation<Bool, Never>?) = state.withLock { state in
            let count = state.take(into: buffer)
            if count > 0 { return (.bytes(count), state.takeWriter()) }
            switch state.end {
            case .success: return (.end, nil)
            case .failure: return (.failed, nil)
            case nil:
                state.readerWaits = true
                return (.wait, nil)
            }
        }
        writer?.resume(returning: true)
        return reading
    }

    /// Why it ended early.
    var failure: TransportError? {
        state.withLock { if case .failure(let error) = $0.end { error } else { nil } }
    }

    /// Nothing will be read any more: the maker is let go.
    func close() {
        let writer = state.withLock { state in
            state.isClosed = true
            state.chunks = []
            state.waiting = 0
            defer { state.writer = nil }
            return state.writer
        }
        writer?.resume(returning: false)
    }
}

extension UploadPipe.State {
    /// The writer that waits, if there is room for it now.
    fileprivate mutating func takeWriter() -> UnsafeContinuation<Bool, Never>? {
        guard waiting < UploadPipe.capacity else { return nil }
        defer { writer = nil }
        return writer
    }

    fileprivate mutating func take(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        var count = 0
        var used = 0
        while count < buffer.count, used < chunks.count {
            let chunk = chunks[used]
            let size = min(chunk.count - taken, buffer.count - count)
            let start = chunk.startIndex + taken
            chunk.copyBytes(to: UnsafeMutableRawBufferPointer(rebasing: buffer[count...]), from: start..<(start + size))
            count += size
            taken += size
            if taken == chunk.count {
                taken = 0
                used += 1
            }
        }
        chunks.removeFirst(used)
        waiting -= count
        return count
    }
}

/// Moves a body from its file or its sequence into a pipe, in a task of its own.
final class ContentPump: Sendable {
    let pipe: UploadPipe
    private let task: Task<Void, Never>

    /// - Parameters:
    ///   - length: As ``Endpoints/RequestContent/length(for:)`` told; `nil` for a stream of unknown length.
    ///   - onBytes: Runs when there is something to read after the pipe said ``UploadPipe/Reading/wait``.
    init(_ content: RequestContent, length: Int64?, request: NetworkRequest, onBytes: @escaping @Sendable () -> Void) {
        let pipe = UploadPipe(onBytes: onBytes)
        self.pipe = pipe
        task = Task {
            do throws(TransportError) {
                try await content.send(length: length, to: pipe.write)
                pipe.finish(.success(()))
            } catch {
                pipe.finish(.failure(TransportError(like: error, request: request)))
            }
        }
    }

    /// Nothing more is wanted. The sequence's task is cancelled.
    func stop() {
        pipe.close()
        task.cancel()
    }
}
