import Dispatch
import Foundation
import NetworkCore
import NetworkSupport

/// One end of a connection in memory. What is sent at one end is received at the other, in order, on a queue of the connection.
///
/// Writers are suspended while 256 KiB or more wait to be received by the other end.
// Sendable although unchecked: the variables are used on the queue only.
final class MemoryTransport: UpgradedTransport, @unchecked Sendable {
    private struct Inbox: PipeQueue {
        var bytes: [UInt8] = []
        var weight: Int { bytes.count }

        mutating func take() -> [UInt8]? {
            if bytes.isEmpty { return nil }
            defer { removeAll() }
            return bytes
        }

        mutating func removeAll() {
            bytes = []
        }
    }

    private let queue: DispatchQueue
    /// The bytes that this end has to receive. The other end finishes it, and this end cancels it.
    private let inbox = BoundedPipe<Inbox, Void, TransportError>(Inbox(), capacity: 256 << 10)
    private var receiver: (any UpgradedReceiver)?
    private var onEnd: (@Sendable () -> Void)?
    private var isReadPaused = true
    private var isOtherClosed = false
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
        queue.async { [self] in
            self.onEnd = onEnd
            deliver()
        }
    }

    // MARK: UpgradedTransport

    func start(_ receiver: any UpgradedReceiver) {
        queue.async { [self] in
            self.receiver = receiver
            isReadPaused = false
            deliver()
        }
    }

    func send(_ append: (inout [UInt8]) -> Void) throws(TransportError) -> Bool {
        let peer = try openPeer()
        let (hasRoom, mustDeliver): (Bool?, Bool) = peer.inbox.access { state in
            guard state.end == nil else { return (nil, false) }
            append(&state.content.bytes)
            return (state.hasRoom, state.takeReaderCall())
        }
        if mustDeliver { queue.async { peer.deliver() } }
        guard let hasRoom else { throw .memoryClosed }
        return hasRoom
    }

    func waitForRoom() async throws(TransportError) {
        try await openPeer().inbox.waitForRoom(cancellation: .taskCancelled(phase: .send))
    }

    func resumeReading() {
        queue.async { [self] in
            isReadPaused = false
            deliver()
        }
    }

    func close(awaitsPeer: Bool) {
        inbox.cancel(.memoryClosed)
        let peer = other.withLock { other in
            defer { other = nil }
            return other
        }
        guard let peer else { return }
        peer.inbox.finish(.success(()))
        queue.async { [self] in
            receiver = nil
            peer.isOtherClosed = true
            peer.deliver()
        }
    }

    private func openPeer() throws(TransportError) -> MemoryTransport {
        guard let peer = other.withLock({ $0 }) else { throw .memoryClosed }
        return peer
    }

    // MARK: Delivery

    /// Passes what has arrived to the receiver, on the queue.
    private func deliver() {
        while true {
            let isReading = receiver != nil && !isReadPaused
            let reading = inbox.access { state -> PipeReading<[UInt8], Void, TransportError> in
                // What is not read yet hides the end.
                if !isReading, state.content.weight > 0 { return .wait }
                let reading = state.take()
                if case .wait = reading { _ = state.awaitContent(.callback) }
                return reading
            }
            switch reading {
            case .wait: return
            case .end: return isOtherClosed ? end() : ()
            case .piece(var bytes):
                // The receiver may change the bytes.
                let wantsMore = bytes.withUnsafeMutableBytes { receiver?.receive(UnsafeRawBufferPointer($0)) ?? true }
                if !wantsMore { isReadPaused = true }
                receiver?.flush()
            }
        }
    }

    private func end() {
        let (onEnd, receiver) = (onEnd, receiver)
        (self.onEnd, self.receiver) = (nil, nil)
        onEnd?()
        receiver?.connectionDidEnd(nil)
    }
}

extension TransportError {
    fileprivate static var memoryClosed: TransportError { TransportError(.connectionLost, "the connection has ended") }
}
