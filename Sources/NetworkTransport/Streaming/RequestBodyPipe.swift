import Endpoints
import Foundation
import NetworkSupport

/// A bounded buffer for a body, from its writer to the engine that sends it: the writer waits while it is full.
package final class RequestBodyPipe: Sendable {
    /// The result of reading from the buffer.
    package enum Reading: Equatable {
        case bytes(Int)
        /// No bytes are available; the closure of ``init(onBytes:)`` is called when there are some.
        case wait
        case end
        case failed
    }

    fileprivate struct State {
        var chunks: [Data] = []
        /// The number of bytes of the first chunk that were read.
        var taken = 0
        var waiting = 0
        var end: Result<HeaderFields, TransportError>?
        var readerWaits = false
        var writer: UnsafeContinuation<Bool, Never>?
        var isClosed = false
    }

    /// The number of buffered bytes at which the writer waits. A chunk is accepted whatever its size.
    static let capacity = 256 << 10
    /// The size from which a chunk is passed on without a copy, in bytes.
    static let largeBytes = 16 << 10

    private let state = Locked(State())
    private let onBytes: @Sendable () -> Void

    /// - Parameter onBytes: Called after ``Reading/wait``, on the writer's thread, when there is something to read.
    init(onBytes: @escaping @Sendable () -> Void) {
        self.onBytes = onBytes
    }

    // MARK: The writer's side, one task

    /// Adds a chunk, and returns when there is room for another.
    ///
    /// - Throws: `CancellationError` if the engine has stopped reading.
    package func write(_ chunk: Data) async throws {
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
            let result: Bool? = state.withLock { state in
                if state.isClosed { return false }
                if state.waiting < Self.capacity { return true }
                state.writer = continuation
                return nil
            }
            if let result { continuation.resume(returning: result) }
        }
        if !mayGoOn { throw CancellationError() }
    }

    /// Marks the end of the body: no chunk follows.
    ///
    /// - Parameter end: The trailer fields, or why the body failed.
    package func finish(_ end: Result<HeaderFields, TransportError>) {
        let isAwaited = state.withLock { state in
            guard state.end == nil, !state.isClosed else { return false }
            state.end = end
            defer { state.readerWaits = false }
            return state.readerWaits
        }
        if isAwaited { onBytes() }
    }

    // MARK: The engine's side, one thread at a time

    /// Removes and returns the first chunk without a copy, if it has at least ``largeBytes`` and none of its bytes were read.
    ///
    /// - Returns: `nil` if ``read(into:)`` must be used.
    package func takeLargeChunk() -> Data? {
        let (chunk, writer): (Data?, UnsafeContinuation<Bool, Never>?) = state.withLock { state in
            guard state.taken == 0, let first = state.chunks.first, first.count >= Self.largeBytes else { return (nil, nil) }
            state.chunks.removeFirst()
            state.waiting -= first.count
            return (first, state.takeWriter())
        }
        writer?.resume(returning: true)
        return chunk
    }

    /// Reads all available bytes that fit into the buffer.
    package func read(into buffer: UnsafeMutableRawBufferPointer) -> Reading {
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

    /// The error that ended the body; `nil` if there is none.
    package var failure: TransportError? {
        state.withLock { if case .failure(let error) = $0.end { error } else { nil } }
    }

    /// The trailer fields; empty before the end of the body.
    package var trailers: HeaderFields {
        state.withLock { if case .success(let trailers) = $0.end { trailers } else { [:] } }
    }

    /// Stops reading. A waiting writer receives an error.
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

extension RequestBodyPipe.State {
    /// Removes and returns the waiting writer, if there is room for another chunk.
    fileprivate mutating func takeWriter() -> UnsafeContinuation<Bool, Never>? {
        guard waiting < RequestBodyPipe.capacity else { return nil }
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

/// Writes a body from its file or its sequence to a pipe, in a separate task.
package final class BodyWriter: Sendable {
    package let pipe: RequestBodyPipe
    private let task: Task<Void, Never>

    /// Starts writing the body.
    ///
    /// - Parameters:
    ///   - request: The request that errors name, if the body is sent; `nil` reads the body without its trailers.
    ///   - onBytes: Called after ``RequestBodyPipe/Reading/wait`` when there is something to read.
    package init(_ content: NetworkBody, request: NetworkRequest?, onBytes: @escaping @Sendable () -> Void) {
        let pipe = RequestBodyPipe(onBytes: onBytes)
        self.pipe = pipe
        task = Task {
            do throws(TransportError) {
                if request == nil {
                    try await content.send(to: pipe.write)
                    pipe.finish(.success([:]))
                } else {
                    pipe.finish(.success(try await content.sendWithTrailers(to: pipe.write)))
                }
            } catch {
                pipe.finish(.failure(request.map { TransportError(like: error, request: $0) } ?? error))
            }
        }
    }

    /// Closes the pipe and cancels the task that writes the body.
    package func stop() {
        pipe.close()
        task.cancel()
    }
}
