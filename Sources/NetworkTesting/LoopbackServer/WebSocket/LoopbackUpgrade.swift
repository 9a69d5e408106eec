import Dispatch
import Endpoints
import Foundation
import NetworkCore
import NetworkSupport

/// The server's side of a connection that was switched to WebSocket: it sends what the handler has queued, with the faults of the route.
///
/// Bytes are appended on any thread, and sent on the server's queue. Writers are suspended while 256 KiB or more wait to be sent.
// Sendable although unchecked: `outbox` has a lock, and the other variables are used on the server's queue only.
final class LoopbackUpgrade: UpgradedTransport, @unchecked Sendable {
    private struct Outbox: PipeContent {
        var script: WebSocketFaultScript
        var queued: [UInt8]
        /// The number of bytes of `queued` that were sent.
        var sent = 0
        /// Whether a call of ``flush()`` is on the queue, or waits for the socket or for a pause.
        var isScheduled = false
        /// How the connection ends when everything is sent.
        var ending: Ending?

        var weight: Int { queued.count - sent }

        mutating func applyScript(from start: Int) -> WebSocketFaultScript.Ending? { script.apply(to: &queued, from: start) }

        mutating func removeAll() {
            queued.removeAll(keepingCapacity: true)
            sent = 0
        }
    }

    private enum Ending: Equatable {
        case close
        case reset
        /// The peer has a second to close the connection.
        case awaitPeer
        /// Nothing is done until the peer closes the connection.
        case stall
    }

    private enum Progress {
        case done
        case blocked
        case pause(Duration)
        case failed
    }

    private static let capacity = 256 << 10
    /// The time that the peer has to read what is still to be sent, and to close the connection.
    private static let closingTime = DispatchTimeInterval.seconds(1)

    private let queue: DispatchQueue
    /// What is to be sent. Its failure is why nothing is added to it.
    private let outbox: BoundedPipe<Outbox, Never, TransportError>
    private let drip: (bytes: Int, pause: Duration)?
    /// The number of bytes of the response with status 101, which is sent at once.
    private var head: Int
    /// Released when it is closed.
    private var connection: LoopbackConnection?
    private var receiver: (any UpgradedReceiver)?
    /// Bytes that were received before there was a receiver.
    private var unread: [UInt8]
    private var isReadPaused = true

    /// Creates a transport, which begins to send with ``start(_:)``.
    ///
    /// - Parameters:
    ///   - head: The response with status 101.
    ///   - unread: Bytes that followed the request.
    init(
        _ connection: LoopbackConnection, queue: DispatchQueue, head: Data, unread: [UInt8], faults: [LoopbackWebSocketFault]
    ) {
        self.connection = connection
        self.queue = queue
        self.unread = unread
        self.head = head.count
        var script = WebSocketFaultScript(faults)
        drip = script.drip
        let first = script.takeFirstBytes()
        outbox = BoundedPipe(Outbox(script: script, queued: Array(head) + first), capacity: Self.capacity)
    }

    // MARK: For any thread

    func start(_ receiver: any UpgradedReceiver) {
        queue.async { [self] in
            guard connection != nil else {
                return receiver.connectionDidEnd(TransportError(.connectionLost, "the connection has ended"))
            }
            self.receiver = receiver
            flush()
            continueReading()
        }
    }

    func resumeReading() {
        queue.async { [self] in continueReading() }
    }

    func send(_ append: (inout [UInt8]) -> Void) throws(TransportError) -> Bool {
        let result: Result<(Bool, Bool), TransportError> = outbox.access { state in
            if case .failure(let failure) = state.end { return .failure(failure) }
            let start = state.content.queued.count
            append(&state.content.queued)
            if !state.content.script.isIdle, state.content.queued.count > start,
                let ending = state.content.applyScript(from: start)
            {
                state.content.ending = ending == .close ? .close : .reset
                state.finish(.failure(TransportError(.connectionLost, "a fault of the route has ended the connection")))
            }
            defer { state.content.isScheduled = true }
            return .success((state.hasRoom, !state.content.isScheduled))
        }
        let (hasRoom, mustSchedule) = try result.get()
        if mustSchedule { queue.async { [self] in flush() } }
        return hasRoom
    }

    func waitForRoom() async throws(TransportError) {
        try await outbox.waitForRoom(cancellation: .taskCancelled(phase: .send))
    }

    func close(awaitsPeer: Bool) {
        queue.async { [self] in
            receiver = nil
            guard let connection else { return }
            let isStalled = outbox.access { state in
                state.finish(.failure(TransportError(.cancelled, "the connection was closed")))
                if state.content.ending == nil {
                    state.content.ending = state.content.script.ignoresCloses ? .stall : awaitsPeer ? .awaitPeer : .close
                }
                return state.content.ending == .stall
            }
            if !isStalled {
                queue.asyncAfter(deadline: .now() + Self.closingTime) { [weak connection] in connection?.close() }
            }
            connection.setReading(true)
            flush()
        }
    }

    // MARK: On the server's queue

    /// Passes received bytes on, which may be changed.
    func receive(_ bytes: UnsafeMutableRawBufferPointer) {
        guard let receiver else { return }
        if !receiver.receive(UnsafeRawBufferPointer(bytes)) {
            isReadPaused = true
            connection?.setReading(false)
        }
        receiver.flush()
    }

    /// The connection was closed by the peer, or by the server.
    func connectionDidClose(_ error: TransportError?) {
        connection = nil
        outbox.finish(.failure(error ?? TransportError(.connectionLost, "the connection has ended")))
        let receiver = receiver
        self.receiver = nil
        receiver?.connectionDidEnd(error)
    }

    private func continueReading() {
        guard isReadPaused, receiver != nil else { return }
        isReadPaused = false
        if !unread.isEmpty {
            var bytes = unread
            unread = []
            bytes.withUnsafeMutableBytes { receive($0) }
        }
        if !isReadPaused { connection?.setReading(true) }
    }

    /// Sends what the socket takes.
    private func flush() {
        guard let connection else { return }
        let (progress, ending) = outbox.access { state in
            let progress = write(&state.content, to: connection)
            state.content.isScheduled = if case .done = progress { false } else { true }
            return (progress, state.content.ending)
        }
        switch progress {
        case .blocked: connection.whenWritable { [weak self] in self?.flush() }
        case .pause(let pause): queue.asyncAfter(deadline: .now() + pause.dispatchInterval) { [weak self] in self?.flush() }
        case .failed: connection.close()
        case .done: if let ending { end(connection, ending) }
        }
    }

    private func write(_ outbox: inout Outbox, to connection: LoopbackConnection) -> Progress {
        while outbox.weight > 0 {
            let portion = head > 0 ? head : drip?.bytes ?? Int.max
            let range = outbox.sent..<outbox.sent + min(portion, outbox.weight)
            switch outbox.queued.withUnsafeBytes({ connection.write(UnsafeRawBufferPointer(rebasing: $0[range])) }) {
            case .bytes(let count):
                outbox.sent += count
                let wasHead = head > 0
                head = max(0, head - count)
                if let drip, !wasHead, outbox.weight > 0 { return .pause(drip.pause) }
            case .wouldBlock: return .blocked
            case .failed: return .failed
            }
            if outbox.sent >= 64 << 10 {
                outbox.queued.removeFirst(outbox.sent)
                outbox.sent = 0
            }
        }
        outbox.removeAll()
        return .done
    }

    private func end(_ connection: LoopbackConnection, _ ending: Ending) {
        switch ending {
        case .close: connection.closeInOrder()
        case .reset:
            // A reset discards bytes in transit, so it waits until the client's system has received them.
            guard connection.hasUnconfirmedBytes else { return connection.resetAndClose() }
            queue.asyncAfter(deadline: .now() + .milliseconds(1)) { [weak self] in self?.flush() }
        case .awaitPeer: connection.finishSending()
        case .stall: break
        }
    }
}
