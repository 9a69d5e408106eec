import Endpoints
import Foundation

/// The body of a response while it arrives: an async sequence of non-empty chunks.
///
/// ```swift
/// for try await chunk in response.body { file.write(chunk) }
/// ```
///
/// It can be read once, by one task at a time; a second loop continues where the first one stopped. At most about 256 KiB are
/// buffered for the reader; beyond that, the engine stops reading from the socket, which in turn stops the server. Releasing the
/// stream and its iterators before the end cancels the transfer, as does cancelling the task that waits for a chunk.
public struct ResponseStream: AsyncSequence, Sendable {
    /// A part of the body, after content decoding.
    public typealias Element = Data
    /// The error that iteration throws. Chunks that were received before the failure are delivered first.
    public typealias Failure = TransportError

    private let source: Source

    /// Creates a stream from closures.
    ///
    /// - Parameters:
    ///   - next: Returns the next chunk, or `nil` at the end. Called by one task at a time.
    ///   - end: Returns the trailers and timings, once they are known.
    ///   - stop: Called once, when the stream is released or the reader is cancelled.
    package init(
        next: @escaping @Sendable () async throws(TransportError) -> Data?,
        end: @escaping @Sendable () -> StreamEnd? = { nil },
        stop: @escaping @Sendable () -> Void = {}
    ) {
        source = Source(next: next, end: end, stop: stop)
    }

    /// Creates a stream of a body in memory, as one chunk.
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

    /// The trailer fields (RFC 9110 §6.5); empty until the whole body was received.
    public var trailers: HTTPHeaders { end?.trailers ?? [:] }

    /// The durations of the transfer's phases and its byte counts; `nil` until the whole body was received.
    public var timings: TransferTimings? { end?.timings }

    /// Returns an iterator that continues where the last one stopped.
    public func makeAsyncIterator() -> Iterator { Iterator(source: source) }

    /// An iterator over the chunks of the body.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let source: Source

        /// Returns the next chunk, and suspends until there is one.
        ///
        /// - Returns: All bytes received since the last call; `nil` at the end.
        /// - Throws: ``TransportError``; at once when the task is cancelled, which also ends the transfer.
        public mutating func next() async throws(TransportError) -> Data? {
            try await source.nextChunk()
        }
    }

    /// Returns the rest of the body in memory.
    ///
    /// - Parameter maximum: The maximum size, in bytes. Default: 64 MiB.
    /// - Throws: ``TransportError``, with ``TransportError/Code/bodyTooLarge`` if the rest is larger than `maximum`.
    public func collected(upTo maximum: Int = 64 << 20) async throws(TransportError) -> Data {
        var body = Data()
        while let chunk = try await source.nextChunk() {
            guard chunk.count <= maximum.clamped(to: 0...Int.max) - body.count else {
                source.stopOnce()
                throw TransportError(
                    .bodyTooLarge, "the body is larger than the limit of \(maximum) bytes", phase: .receive)
            }
            body.append(chunk)
        }
        return body
    }
}

extension ResponseStream {
    /// Returns the beginning of the rest of the body, at most `maximum` bytes, and stops reading.
    ///
    /// - Parameter limit: The maximum time, checked between chunks.
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
    /// The state that the stream and its iterators share. The transfer ends when the last of them is released.
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
    /// Returns the stream with a closure that is called when it ends.
    ///
    /// - Parameter onEnd: Called exactly once: with the failure, or with `nil` when the last chunk was read or the stream was
    ///   released.
    package func observed(onEnd: @escaping @Sendable (TransportError?) -> Void) -> ResponseStream {
        let observer = Locked<(onEnd: (@Sendable (TransportError?) -> Void)?, isReading: Bool)>((onEnd, false))
        let report: @Sendable (TransportError?) -> Void = { error in
            let onEnd = observer.withLock { observer in
                defer { observer.onEnd = nil }
                return observer.onEnd
            }
            onEnd?(error)
        }
        return ResponseStream { () async throws(TransportError) in
            observer.withLock { $0.isReading = true }
            defer { observer.withLock { $0.isReading = false } }
            do throws(TransportError) {
                let chunk = try await nextChunk()
                if chunk == nil { report(nil) }
                return chunk
            } catch {
                report(error)
                throw error
            }
        } end: {
            end
        } stop: {
            stop()
            // A waiting reader receives an error of the transfer, which is reported instead.
            if !observer.withLock({ $0.isReading }) { report(nil) }
        }
    }
}
