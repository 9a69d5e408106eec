import Dispatch
import Foundation
import NetworkCore
import NetworkSupport

/// One end of a connection in memory. What is sent at one end is received at the other, in order, on a queue of the connection.
///
/// Writers are suspended while 256 KiB or more wait to be received by the other end.
// Sendable although unchecked: `receiver` and `onEnd` are used on the queue only, and `state` has a lock.
final class MemoryTransport: UpgradedTransport, @unchecked Sendable {
    private struct State {
        /// The bytes that this end has to receive.
        var inbox: [UInt8] = []
        var isReadPaused = true
        /// Whether this end is closed.
        var isClosed = false
        /// Whether the other end is closed: nothing follows what is in the inbox.
        var isOtherClosed = false
        var isScheduled = false
        /// The writers of the other end that wait for room.
        var waiting: [Promise<TransportError?>] = []
    }

    private static let capacity = 256 << 10

    private let queue: DispatchQueue
    private let state = Locked(State())
    private var receiver: (any UpgradedReceiver)?
    private var onEnd: (@Sendable () -> Void)?
    // The two ends refer to each other until both are closed.
    private let other = Locked<MemoryTransport?>(nil)

    private init(_ queue: DispatchQueue) {
        self.queue = queue
    }

    /// Creates both ends of a connection.
    static func pair() -> (client: MemoryTransport, server: MemoryTransport) {
        let queue = DispatchQueue(label: "network-testing.memory-transport")
        let (client, server) = (MemoryTransport(queue), MemoryTransport(queue))
        client.other.withLock { $0 = server }
        server.other.withLock { $0 = client }
        return (client, server)
    }

    /// Sets a closure that is called once, on the queue, when the other end is closed and everything was received.
    func whenOtherEnds(_ onEnd: @escaping @Sendable () -> Void) {
        queue.async { [self] in self.onEnd = onEnd }
        schedule()
    }

    // MARK: UpgradedTransport

    func start(_ receiver: any UpgradedReceiver) {
        queue.async { [self] in
            self.receiver = receiver
            state.withLock { $0.isReadPaused = false }
            deliver()
        }
    }

    func send(_ append: (inout [UInt8]) -> Void) throws(TransportError) -> Bool {
        let peer = try openPeer()
        let (isOpen, hasRoom) = peer.state.withLock { state in
            guard !state.isClosed else { return (false, false) }
            append(&state.inbox)
            return (true, state.inbox.count < Self.capacity)
        }
        guard isOpen else { throw .memoryClosed }
        peer.schedule()
        return hasRoom
    }

    func waitForRoom() async throws(TransportError) {
        let peer = try openPeer()
        let promise = Promise<TransportError?>()
        let isFull = peer.state.withLock { state in
            guard !state.isClosed, state.inbox.count >= Self.capacity else { return false }
            state.waiting.append(promise)
            return true
        }
        guard isFull else { return }
        if let error = await promise.value(cancellation: { TransportError(.cancelled, "the task was cancelled", phase: .send) }) {
            throw error
        }
    }

    func resumeReading() {
        queue.async { [self] in
            state.withLock { $0.isReadPaused = false }
            deliver()
        }
    }

    func close(awaitsPeer: Bool) {
        let (isFirst, waiting) = state.withLock { state in
            defer {
                state.isClosed = true
                state.inbox = []
                state.waiting = []
            }
            return (!state.isClosed, state.waiting)
        }
        guard isFirst else { return }
        for promise in waiting { promise.resolve(.memoryClosed) }
        queue.async { [self] in receiver = nil }
        guard
            let peer = other.withLock({ other in
                defer { other = nil }
                return other
            })
        else { return }
        peer.state.withLock { $0.isOtherClosed = true }
        peer.schedule()
    }

    private func openPeer() throws(TransportError) -> MemoryTransport {
        guard let peer = other.withLock({ $0 }), !state.withLock(\.isClosed) else { throw .memoryClosed }
        return peer
    }

    // MARK: Delivery

    private func schedule() {
        let isFirst = state.withLock { state in
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        guard isFirst else { return }
        queue.async { [self] in
            state.withLock { $0.isScheduled = false }
            deliver()
        }
    }

    /// Passes what has arrived to the receiver, on the queue.
    private func deliver() {
        while let receiver {
            var (bytes, waiting) = state.withLock { state -> ([UInt8], [Promise<TransportError?>]) in
                guard !state.isReadPaused, !state.inbox.isEmpty else { return ([], []) }
                defer { (state.inbox, state.waiting) = ([], []) }
                return (state.inbox, state.waiting)
            }
            if bytes.isEmpty { break }
            for promise in waiting { promise.resolve(nil) }
            // The receiver may change the bytes.
            let wantsMore = bytes.withUnsafeMutableBytes { receiver.receive(UnsafeRawBufferPointer($0)) }
            if !wantsMore { state.withLock { $0.isReadPaused = true } }
            receiver.flush()
        }
        let isOver = state.withLock { $0.isOtherClosed && ($0.inbox.isEmpty || $0.isClosed) }
        guard isOver else { return }
        onEnd?()
        onEnd = nil
        let receiver = receiver
        self.receiver = nil
        receiver?.connectionDidEnd(nil)
    }
}

extension TransportError {
    fileprivate static var memoryClosed: TransportError { TransportError(.connectionLost, "the connection has ended") }
}
