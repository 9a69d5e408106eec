import Endpoints
import Foundation

/// The body of a response while it arrives: an async sequence of chunks, none of them empty.
///
/// ```swift
/// for try await chunk in response.body { file.write(chunk) }
/// ```
///
/// It is read once and by one task at a time; a second loop goes on where the first one stopped. At most about 256 KiB wait for a reader;
/// then the engine stops reading from the socket, which in turn stops the server. Letting go of the stream and its iterators before the end
/// calls the transfer off, and so does cancelling the task that waits for a chunk.
public struct ResponseStream: AsyncSequence, Sendable {
    /// A part of the body, after content decoding.
    public typealias Element = Data
    /// What iterating throws: ``TransportError``. Chunks that came before the failure are handed out first.
    public typealias Failure = TransportError

    private let source: Source

    /// - Parameters:
    ///   - next: The next chunk, `nil` at the end. Called by one task at a time.
    ///   - end: Trailers and timings, once there are any.
    ///   - stop: Runs once, when nobody holds the stream any more, or the reader was cancelled.
    package init(
        next: @escaping @Sendable () async throws(TransportError) -> Data?,
        end: @escaping @Sendable () -> StreamEnd? = { nil },
        stop: @escaping @Sendable () -> Void = {}
    ) {
        source = Source(next: next, end: end, stop: stop)
    }

    /// A body that is there already, as one chunk.
    public init(_ data: Data, trailers: HTTPHeaders = [:], timings: TransferTimings = TransferTimings()) {
        let rest = Locked<Data?>(data.isEmpty ? nil : data)
        self.init {
            rest.withLock { rest in
                defer { rest = nil }
                return rest
            }
        } end: {
            StreamEnd(trailers: trailers, timings: timings)
        }
    }

    /// Trailer fields (RFC 9110 §6.5); empty until all has come.
    public var trailers: HTTPHeaders { end?.trailers ?? [:] }

    /// Where the time went, and how many bytes moved; `nil` until all has come.
    public var timings: TransferTimings? { end?.timings }

    /// Reads on where the last iterator stopped.
    public func makeAsyncIterator() -> Iterator { Iterator(source: source) }

    /// Hands out chunks.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let source: Source

        /// Suspends until there are bytes.
        ///
        /// - Returns: All that has come since the last call; `nil` at the end.
        /// - Throws: ``TransportError``; at once when the task is cancelled, which ends the transfer too.
        public mutating func next() async throws(TransportError) -> Data? {
            try await source.nextChunk()
        }
    }

    /// All that is left, in memory.
    ///
    /// - Parameter maximum: In bytes; 64 MiB unless given.
    /// - Throws: ``TransportError``, with ``TransportError/Code/bodyTooLarge`` past `maximum`.
    public func collected(upTo maximum: Int = 64 << 20) async throws(TransportError) -> Data {
        var body = Data()
        while let chunk = try await source.nextChunk() {
            guard chunk.count <= maximum.clamped(to: 0...Int.max) - body.count else {
                source.stopOnce()
                throw TransportError(
                    .bodyTooLarge, "the body is larger than the \(maximum) bytes to be collected", phase: .receive)
            }
            body.append(chunk)
        }
        return body
    }
}

extension ResponseStream {
    /// The beginning of what is left, at most `maximum` bytes; the rest is not read.
    ///
    /// - Parameter limit: How long that may take, looked at between chunks.
    func collectedStart(upTo maximum: Int, within limit: Duration) async throws(TransportError) -> Data {
        var body = Data()
        let end = ContinuousClock.now + limit
        while body.count < maximum, ContinuousClock.now < end, let chunk = try await nextChunk() {
            body.append(chunk.prefix(maximum - body.count))
        }
        stop()
        return body
    }

    func nextChunk() async throws(TransportError) -> Data? { try await source.nextChunk() }
    package func stop() { source.stopOnce() }
    package var end: StreamEnd? { source.end() }
}

extension ResponseStream {
    /// Shared by the stream and its iterators: when the last of them goes, so does the transfer.
    fileprivate final class Source: Sendable {
        private let next: @Sendable () async throws(TransportError) -> Data?
        let end: @Sendable () -> StreamEnd?
        private let stop: Locked<(@Sendable () -> Void)?>

        init(
            next: @escaping @Sendable () async throws(TransportError) -> Data?, end: @escaping @Sendable () -> StreamEnd?,
            stop: @escaping @Sendable () -> Void
        ) {
            self.next = next
            self.end = end
            self.stop = Locked(stop)
        }

        deinit {
            stopOnce()
        }

        func nextChunk() async throws(TransportError) -> Data? {
            let result = await withTaskCancellationHandler {
                await Self.result(next)
            } onCancel: {
                stopOnce()
            }
            return try result.get()
        }

        private static func result(
            _ next: @Sendable () async throws(TransportError) -> Data?
        ) async -> Result<Data?, TransportError> {
            do throws(TransportError) {
                return .success(try await next())
            } catch {
                return .failure(error)
            }
        }

        func stopOnce() {
            let stop = stop.withLock { stop in
                defer { stop = nil }
                return stop
            }
            stop?()
        }
    }
}

extension ResponseStream {
    /// The same stream, told of when it is over.
    ///
    /// - Parameter onEnd: Runs exactly once: with the failure, or with `nil` when the last chunk has been taken or the stream been let go of.
    package func observed(onEnd: @escaping @Sendable (TransportError?) -> Void) -> ResponseStream {
        let listener = Locked<(onEnd: (@Sendable (TransportError?) -> Void)?, isReading: Bool)>((onEnd, false))
        let tell: @Sendable (TransportError?) -> Void = { error in
            let onEnd = listener.withLock { listener in
                defer { listener.onEnd = nil }
                return listener.onEnd
            }
            onEnd?(error)
        }
        return ResponseStream { () async throws(TransportError) in
            listener.withLock { $0.isReading = true }
            defer { listener.withLock { $0.isReading = false } }
            do throws(TransportError) {
                let chunk = try await nextChunk()
                if chunk == nil { tell(nil) }
                return chunk
            } catch {
                tell(error)
                throw error
            }
        } end: {
            end
        } stop: {
            stop()
            // Who is reading gets an error of it.
            if !listener.withLock({ $0.isReading }) { tell(nil) }
        }
    }
}
