import Endpoints
import Foundation
import NetworkLogging
import NetworkSupport

/// A body is an async sequence of non-empty chunks, wherever its bytes come from.
///
/// ```swift
/// for try await chunk in response.body { file.write(chunk) }
/// ```
///
/// The body of a streamed response can be read once, by one task at a time; a second loop continues where the first one stopped. At
/// most about 256 KiB are buffered for the reader; beyond that, the engine stops reading from the socket, which in turn stops the
/// server. Releasing the body and its iterators before the end cancels the transfer, as does cancelling the task that waits for a
/// chunk. Other bodies are read from their beginning by each loop; bytes in memory are one chunk.
extension NetworkBody: AsyncSequence {
    /// Creates the body of a streamed response, which is received while it is read, once. For session managers.
    ///
    /// - Parameters:
    ///   - next: Returns the next chunk, which must not be empty, or `nil` at the end. Called by one task at a time, for as long as there is a
    ///     reader: bytes that it does not request should not be received either.
    ///   - stop: Called once, on any thread, when the body is released or the reader is cancelled; a waiting `next` must then end soon. Default:
    ///     does nothing.
    public init(
        next: @escaping @Sendable () async throws(TransportError) -> Data?, stop: @escaping @Sendable () -> Void = {}
    ) {
        self.init(next: next, end: { nil }, stop: stop)
    }

    /// Creates the body of a streamed response with trailers and timings.
    ///
    /// - Parameters:
    ///   - next: Returns the next chunk, as above.
    ///   - end: Returns the trailers and timings, once they are known. Called on any thread, also while the body arrives.
    ///   - stop: Called once, as above. Default: does nothing.
    @_spi(SessionManagers) public init(
        next: @escaping @Sendable () async throws(TransportError) -> Data?, end: @escaping @Sendable () -> StreamEnd?,
        stop: @escaping @Sendable () -> Void = {}
    ) {
        self.init(source: .received(ReceivedStream(next: next, end: end, stop: stop)))
    }

    /// Returns an iterator. For the body of a streamed response, it continues where the last one stopped.
    public func makeAsyncIterator() -> Iterator {
        if let data { Iterator(rest: .data(data)) } else { Iterator(rest: .received(received)) }
    }

    /// An iterator over the chunks of a body.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate enum Rest {
            case data(Data)
            case received(ReceivedStream)
        }

        fileprivate var rest: Rest

        /// Returns the next chunk, and suspends until there is one.
        ///
        /// - Returns: All bytes received since the last call; `nil` at the end.
        /// - Throws: ``TransportError``; at once when the task is cancelled, which also ends the transfer.
        public mutating func next() async throws(TransportError) -> Data? {
            switch rest {
            case .data(let data):
                rest = .data(Data())
                return data.isEmpty ? nil : data
            case .received(let body):
                return try await body.nextChunk()
            }
        }
    }

    /// Returns the whole body in memory; for the body of a streamed response, what was not read yet.
    ///
    /// - Parameter maximumBytes: The maximum size, in bytes. Default: 64 MiB.
    /// - Throws: ``TransportError``: ``TransportError/Code/bodyTooLarge`` if the body is larger than `maximumBytes`, the failure of the
    ///   transfer, or, if the body comes from a file or a sequence, ``TransportError/Code/bodyFailed`` or
    ///   ``TransportError/Code/bodyNotReplayable``; ``TransportError/Code/cancelled`` when the task is cancelled meanwhile.
    public func collected(maximumBytes: Int = 64 << 20) async throws(TransportError) -> Data {
        let limit = maximumBytes.clamped(to: 0...Int.max)
        switch source {
        case .data(let text):
            guard text.count <= limit else { throw .bodyTooLarge(maximumBytes, nil) }
            return text.data
        case .received:
            var body = Data()
            let received = received
            while let chunk = try await received.nextChunk() {
                guard chunk.count <= limit - body.count else {
                    received.stop()
                    throw .bodyTooLarge(maximumBytes, .receive)
                }
                body.append(chunk)
            }
            return body
        case .file, .stream, .sequence:
            return try await collectedFromWriter(upTo: maximumBytes)
        }
    }

    private func collectedFromWriter(upTo maximum: Int) async throws(TransportError) -> Data {
        let limit = maximum.clamped(to: 0...Int.max)
        var body = Data()
        do throws(TransportError) {
            try await send { chunk in
                guard chunk.count <= limit - body.count else { throw TransportError.bodyTooLarge(maximum, .send) }
                body.append(chunk)
            }
        } catch  where !Task.isCancelled {
            throw error
        } catch {}
        // The cancellation of its task may end a sequence early or make it throw another error.
        if Task.isCancelled { throw .taskCancelled(phase: .send) }
        return body
    }
}

extension NetworkBody {
    /// The body as a stream: that of the response, or a new one that reads the body from its beginning.
    var received: ReceivedStream {
        if case .received(let body) = source {
            // There is no other implementation in this package.
            return body as? ReceivedStream
                ?? ReceivedStream { () throws(TransportError) in throw TransportError(.bodyFailed, "the body cannot be read") }
        }
        if let data {
            let rest = Locked(data)
            return ReceivedStream {
                rest.withLock { rest in
                    defer { rest = Data() }
                    return rest.isEmpty ? nil : rest
                }
            }
        }
        let reader = BodyReader(self)
        return ReceivedStream(next: reader.next, stop: reader.stop)
    }

    /// Returns the bytes of the body as they are sent, once. For session managers.
    ///
    /// It reads the body from its beginning, at most about 256 KiB ahead. Its reader receives ``TransportError/Code/bodyNotReplayable`` if the
    /// body can be read only once and was sent before, and ``TransportError/Code/bodyFailed`` if it cannot be read or has another length than
    /// announced. Trailers are not part of it. Releasing it stops the sequence that produces the body.
    @_spi(SessionManagers) public func chunksToSend() -> NetworkBody {
        if isInMemory { return self }
        let reader = BodyReader(self)
        return NetworkBody(next: reader.next, stop: reader.stop)
    }

    /// The same bytes as a body that is received while it is read, once.
    package var streamed: NetworkBody { NetworkBody(source: .received(received)) }

    /// Returns the beginning of the body of a response whose status is not accepted, at most 1 MiB, and stops reading. Takes at most about 30
    /// seconds: the time is checked between chunks.
    package func collectedErrorBody() async throws(TransportError) -> Data {
        let maximum = 1 << 20
        var body = Data()
        var chunks = makeAsyncIterator()
        let end = ContinuousClock.now + .seconds(30)
        while body.count < maximum, ContinuousClock.now < end, let chunk = try await chunks.next() {
            body.append(chunk.prefix(maximum - body.count))
        }
        stop()
        return body
    }

    /// Cancels the transfer of a streamed response, unless it has ended. Has no effect on other bodies.
    package func stop() {
        if case .received = source { received.stop() }
    }

    /// The trailers and timings of a streamed response whose body has ended; otherwise `nil`.
    package var end: StreamEnd? {
        if case .received = source { received.end() } else { nil }
    }
}

/// The body of a streamed response, which the body's copies and iterators share. The transfer ends when the last of them is released.
final class ReceivedStream: ReceivedBody {
    private struct State {
        var stop: (@Sendable () -> Void)?
        /// Whether the body is or was sent with a request.
        var isSent = false
    }

    private let next: @Sendable () async throws(TransportError) -> Data?
    package let end: @Sendable () -> StreamEnd?
    private let state: Locked<State>
    /// The stream whose bytes this one passes on.
    private let origin: ReceivedStream?

    init(
        next: @escaping @Sendable () async throws(TransportError) -> Data?, end: @escaping @Sendable () -> StreamEnd? = { nil },
        stop: @escaping @Sendable () -> Void = {}, origin: ReceivedStream? = nil
    ) {
        self.origin = origin
        self.next = next
        self.end = end
        state = Locked(State(stop: stop))
    }

    deinit {
        stop()
    }

    func nextChunk() async throws(TransportError) -> Data? {
        let result = await withTaskCancellationHandler {
            await Result.from(next)
        } onCancel: {
            stop()
        }
        return try result.get()
    }

    /// Ends the transfer. Further calls have no effect.
    package func stop() {
        let stop = state.withLock { state in
            defer { state.stop = nil }
            return state.stop
        }
        stop?()
    }

    /// Marks the body as sent with a request.
    ///
    /// - Returns: `false` if it was sent before, since its bytes are then gone.
    func claim() -> Bool {
        if let origin { return origin.claim() }
        return state.withLock { state in
            defer { state.isSent = true }
            return !state.isSent
        }
    }
}

extension NetworkBody {
    /// Returns a body with the same bytes that calls closures while it is read. Nothing is read ahead.
    ///
    /// Either `beforeEnd` or `onStop` is called, once.
    ///
    /// - Parameters:
    ///   - onChunk: Called with each chunk before the reader receives it, on the reader's task.
    ///   - beforeEnd: Called with the failure, or with `nil` when the last chunk was read, on the reader's task. The reader waits until
    ///     it returns; an error that it throws replaces the end of the body.
    ///   - onStop: Called when the body was released or stopped before its end and no task waits for a chunk, on any thread. A waiting
    ///     reader receives an error, which is passed to `beforeEnd`.
    package func observed(
        onChunk: (@Sendable (Data) -> Void)? = nil,
        beforeEnd: @escaping @Sendable (TransportError?) async throws(TransportError) -> Void,
        onStop: @escaping @Sendable () -> Void
    ) -> NetworkBody {
        let body = received
        let observation = Locked(Observation())
        let observed = ReceivedStream(
            next: { () async throws(TransportError) in
                observation.withLock { $0.isReading = true }
                switch await Result.from(body.nextChunk) {
                case .success(let chunk?):
                    onChunk?(chunk)
                    if observation.withLock({ $0.endReading() }) { onStop() }
                    return chunk
                case .success(nil):
                    if observation.withLock({ $0.end() }) { try await beforeEnd(nil) }
                    return nil
                case .failure(let error):
                    if observation.withLock({ $0.end() }) { try await beforeEnd(error) }
                    throw error
                }
            }, end: body.end,
            stop: {
                body.stop()
                if observation.withLock({ $0.stop() }) { onStop() }
            }, origin: body)
        return NetworkBody(source: .received(observed))
    }
}

/// What was reported of a body that is observed. Each method returns whether its event is the one to report.
private struct Observation {
    var isReading = false
    private var isStopped = false
    private var isOver = false

    package mutating func end() -> Bool {
        isReading = false
        defer { isOver = true }
        return !isOver
    }

    /// Ends the reading of a chunk. If the body was stopped meanwhile, that is reported now.
    mutating func endReading() -> Bool {
        isReading = false
        return isStopped && end()
    }

    package mutating func stop() -> Bool {
        isStopped = true
        return !isReading && end()
    }
}

extension NetworkResponse {
    /// Calls a closure once, when the body has ended: at once if it is in memory.
    ///
    /// - Parameter onEnd: Receives the failure; `nil` when the last chunk was read, or the body was released before its end.
    package mutating func observeEnd(_ onEnd: @escaping @Sendable (TransportError?) -> Void) {
        if body.isInMemory { return onEnd(nil) }
        body = body.observed(beforeEnd: onEnd) { onEnd(nil) }
    }
}

extension NetworkBody.Iterator: RedactedStringConvertible {}
