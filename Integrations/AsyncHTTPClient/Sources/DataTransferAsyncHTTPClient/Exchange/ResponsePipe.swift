import Foundation
import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import NetworkCore

/// Passes a response from the client to one reader. When the reader is slow, the client waits, and with it the server.
final class ResponsePipe: Sendable {
    private struct State {
        var head: HTTPResponseHead?
        var headWaiter: CheckedContinuation<Void, Never>?
        var chunks = CircularBuffer<ByteBuffer>()
        var bufferedBytes = 0
        var chunkWaiter: CheckedContinuation<Void, Never>?
        /// What the client waits for; `nil` if it may send more.
        var demand: EventLoopPromise<Void>?
        var end: Result<Void, TransportError>?
        var isDiscarded = false
    }

    /// The number of buffered bytes from which on the client waits. One more part may arrive, and what the client itself buffers.
    private static let maximumBufferedBytes = 128 << 10

    private let state = NIOLockedValueBox(State())

    deinit {
        // The client may not wait for a reader that is gone.
        state.withLockedValue(\.demand)?.succeed(())
    }

    // MARK: The client's side

    func receive(_ head: HTTPResponseHead) {
        let waiter: CheckedContinuation<Void, Never>? = state.withLockedValue { state in
            state.head = head
            defer { state.headWaiter = nil }
            return state.headWaiter
        }
        waiter?.resume()
    }

    /// - Returns: A future that succeeds when there is room for another part.
    func receive(_ part: ByteBuffer, on loop: any EventLoop) -> EventLoopFuture<Void> {
        guard part.readableBytes > 0 else { return loop.makeSucceededVoidFuture() }
        let (waiter, demand): (CheckedContinuation<Void, Never>?, EventLoopPromise<Void>?) = state.withLockedValue { state in
            guard !state.isDiscarded, state.end == nil else { return (nil, nil) }
            state.chunks.append(part)
            state.bufferedBytes += part.readableBytes
            if state.bufferedBytes >= Self.maximumBufferedBytes { state.demand = loop.makePromise() }
            defer { state.chunkWaiter = nil }
            return (state.chunkWaiter, state.demand)
        }
        waiter?.resume()
        return demand?.futureResult ?? loop.makeSucceededVoidFuture()
    }

    /// Ends the response. After a failure other than those of the network, what is buffered is dropped.
    ///
    /// - Returns: `false` if it had ended before; nothing is changed then.
    @discardableResult
    func finish(_ result: Result<Void, TransportError>) -> Bool {
        let (waiters, demand, isFirst): ([CheckedContinuation<Void, Never>], EventLoopPromise<Void>?, Bool) =
            state.withLockedValue {
                state in
                guard state.end == nil else { return ([], nil, false) }
                state.end = result
                if case .failure(let error) = result, error.isCancelled || error.isTimeout || error.code == .sessionClosed {
                    state.chunks.removeAll()
                    state.bufferedBytes = 0
                }
                defer { (state.headWaiter, state.chunkWaiter, state.demand) = (nil, nil, nil) }
                return ([state.headWaiter, state.chunkWaiter].compactMap(\.self), state.demand, true)
            }
        for waiter in waiters { waiter.resume() }
        demand?.succeed(())
        return isFirst
    }

    // MARK: The reader's side

    /// Whether the client waits for the reader.
    var isFull: Bool { state.withLockedValue { $0.demand != nil } }

    /// The length of the body as announced; `nil` if it is not known.
    var announcedBytes: Int64? {
        state.withLockedValue(\.head)?.headers.first(name: "Content-Length").flatMap { Int64($0) }
    }

    /// Waits for the head of the response.
    func head() async throws(TransportError) -> HTTPResponseHead {
        await withCheckedContinuation { continuation in
            let isReady = state.withLockedValue { state in
                if state.head != nil || state.end != nil { return true }
                state.headWaiter = continuation
                return false
            }
            if isReady { continuation.resume() }
        }
        let (head, end) = state.withLockedValue { ($0.head, $0.end) }
        if let head { return head }
        if case .failure(let error) = end { throw error }
        throw TransportError(.malformedResponse, "the response has no head")
    }

    /// Waits for the next bytes: all that were received. `nil` at the end.
    func next() async throws(TransportError) -> Data? {
        while true {
            await withCheckedContinuation { continuation in
                let isReady = state.withLockedValue { state in
                    if !state.chunks.isEmpty || state.end != nil { return true }
                    state.chunkWaiter = continuation
                    return false
                }
                if isReady { continuation.resume() }
            }
            let (chunks, demand, end) = state.withLockedValue { state in
                let taken = (state.chunks, state.demand, state.end)
                state.chunks = CircularBuffer()
                state.bufferedBytes = 0
                state.demand = nil
                return taken
            }
            demand?.succeed(())
            if !chunks.isEmpty {
                var data = Data()
                data.reserveCapacity(chunks.reduce(0) { $0 + $1.readableBytes })
                for chunk in chunks { data.append(contentsOf: chunk.readableBytesView) }
                return data
            }
            switch end {
            case .success: return nil
            case .failure(let error): throw error
            case nil: continue
            }
        }
    }

    /// Drops what was received and what will be.
    func discard() {
        let demand: EventLoopPromise<Void>? = state.withLockedValue { state in
            state.isDiscarded = true
            state.chunks.removeAll()
            state.bufferedBytes = 0
            defer { state.demand = nil }
            return state.demand
        }
        demand?.succeed(())
    }
}
