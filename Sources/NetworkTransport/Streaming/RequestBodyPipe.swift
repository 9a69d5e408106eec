import Endpoints
import Foundation
import NetworkSupport

/// A bounded buffer for a body, from its writer to the engine that sends it: the writer waits while it is full.
package struct RequestBodyPipe: Sendable {
    /// The result of reading from the buffer.
    package enum Reading: Equatable {
        case bytes(Int)
        /// No bytes are available; the closure of ``init(onBytes:)`` is called when there are some.
        case wait
        case end
        case failed
    }

    /// The number of buffered bytes at which the writer waits. A chunk is accepted whatever its size.
    static let capacity = 256 << 10

    private let pipe: BoundedPipe<ChunkQueue, HeaderFields, TransportError>

    /// - Parameter onBytes: Called after ``Reading/wait``, on the writer's thread, when there is something to read.
    init(onBytes: @escaping @Sendable () -> Void) {
        pipe = BoundedPipe(ChunkQueue(), capacity: Self.capacity, onContent: onBytes)
    }

    // MARK: The writer's side, one task

    /// Adds a chunk, and returns when there is room for another.
    ///
    /// - Throws: `CancellationError` if the engine has stopped reading, or the task is cancelled while it waits.
    package func write(_ chunk: Data) async throws {
        let (isOpen, isFull) = pipe.access { state in
            guard state.end == nil else { return (false, false) }
            state.content.append(chunk)
            return (true, !state.hasRoom)
        }
        guard isOpen else { throw CancellationError() }
        if isFull, !(await pipe.room()) || pipe.end != nil { throw CancellationError() }
    }

    /// Marks the end of the body: no chunk follows.
    ///
    /// - Parameter end: The trailer fields, or why the body failed.
    package func finish(_ end: Result<HeaderFields, TransportError>) {
        pipe.finish(end)
    }

    // MARK: The engine's side, one thread or task at a time

    /// Removes and returns the first chunk without a copy, if it has at least 16 KiB and none of its bytes were read.
    ///
    /// - Returns: `nil` if ``read(into:)`` must be used.
    package func takeLargeChunk() -> Data? {
        pipe.access { $0.content.takeLarge() }
    }

    /// Reads all available bytes that fit into the buffer.
    package func read(into buffer: UnsafeMutableRawBufferPointer) -> Reading {
        pipe.access { state in
            let count = state.content.read(into: buffer)
            if count > 0 { return .bytes(count) }
            if state.awaitContent(.callback) { return .wait }
            if case .failure = state.end { return .failed }
            return .end
        }
    }

    /// Returns the next piece, and suspends until there is one; `nil` at the end.
    func next() async throws(TransportError) -> Data? { try await pipe.next(conflict: .concurrentReading) }

    /// The error that ended the body; `nil` if there is none.
    package var failure: TransportError? { if case .failure(let error) = pipe.end { error } else { nil } }

    /// The trailer fields; empty before the end of the body.
    package var trailers: HeaderFields { if case .success(let trailers) = pipe.end { trailers } else { [:] } }

    /// Stops reading. A waiting side receives an error.
    func close() {
        pipe.cancel(TransportError(.cancelled, "the body is no longer read", phase: .send))
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
