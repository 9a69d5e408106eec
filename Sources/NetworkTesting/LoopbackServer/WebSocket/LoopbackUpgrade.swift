import Dispatch
import Endpoints
import Foundation
import NetworkCore
import NetworkSupport

/// The server's side of a connection that was switched to WebSocket: it sends what the handler has queued, with the faults of the route.
///
/// Bytes are appended on any thread, and sent on the server's queue. Writers are suspended while 256 KiB or more wait to be sent.
// Sendable although unchecked: `state` has a lock, and the other variables are used on the server's queue only.
final class LoopbackUpgrade: UpgradedTransport, @unchecked Sendable {
    private struct State {
        var script: WebSocketFaultScript
        var queued: [UInt8]
        /// The number of bytes of `queued` that were sent.
        var sent = 0
        /// Whether a call of ``flush()`` is on the queue, or waits for the socket or for a pause.
        var isScheduled = false
        /// How the connection ends when everything is sent.
        var ending: Ending?
        var failure: TransportError?
        var waiting: [Promise<TransportError?>] = []

        var count: Int { queued.count - sent }
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
    private let state: Locked<State>
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
        state = Locked(State(script: script, queued: Array(head) + first))
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
        let (hasRoom, mustSchedule) = try state.withLock { state throws(TransportError) in
            if let failure = state.failure { throw failure }
            let start = state.queued.count
            append(&state.queued)
            if !state.script.isIdle, state.queued.count > start,
                let ending = state.script.apply(to: &state.queued, from: start)
            {
                state.ending = ending == .close ? .close : .reset
                state.failure = TransportError(.connectionLost, "a fault of the route has ended the connection")
            }
            defer { state.isScheduled = true }
            return (state.count < Self.capacity, !state.isScheduled)
        }
        if mustSchedule { queue.async { [self] in flush() } }
        return hasRoom
    }

    func waitForRoom() async throws(TransportError) {
        let promise = Promise<TransportError?>()
        let isFull = try state.withLock { state throws(TransportError) in
            if let failure = state.failure { throw failure }
            guard state.count >= Self.capacity else { return false }
            state.waiting.append(promise)
            return true
        }
        guard isFull else { return }
        if let error = await promise.value(cancellation: { TransportError(.cancelled, "the task was cancelled", phase: .send) }) {
            throw error
        }
    }

    func close(awaitsPeer: Bool) {
        queue.async { [self] in
            receiver = nil
            guard let connection else { return }
            state.withLock { state in
                state.failure = state.failure ?? TransportError(.cancelled, "the connection was closed")
                if state.ending == nil { state.ending = state.script.ignoresCloses ? .stall : awaitsPeer ? .awaitPeer : .close }
            }
            if state.withLock({ $0.ending != .stall }) {
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
        let waiting = state.withLock { state in
            state.failure = state.failure ?? error ?? TransportError(.connectionLost, "the connection has ended")
            defer { state.waiting = [] }
            return state.waiting
        }
        for promise in waiting { promise.resolve(state.withLock(\.failure)) }
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
        let (progress, ending, waiting) = state.withLock { state -> (Progress, Ending?, [Promise<TransportError?>]) in
            let progress = write(&state, to: connection)
            state.isScheduled = if case .done = progress { false } else { true }
            var waiting: [Promise<TransportError?>] = []
            if state.count < Self.capacity { swap(&waiting, &state.waiting) }
            return (progress, state.ending, waiting)
        }
        for promise in waiting { promise.resolve(nil) }
        switch progress {
        case .blocked: connection.whenWritable { [weak self] in self?.flush() }
        case .pause(let pause): queue.asyncAfter(deadline: .now() + pause.dispatchInterval) { [weak self] in self?.flush() }
        case .failed: connection.close()
        case .done: if let ending { end(connection, ending) }
        }
    }

    private func write(_ state: inout State, to connection: LoopbackConnection) -> Progress {
        while state.sent < state.queued.count {
            let portion = head > 0 ? head : drip?.bytes ?? Int.max
            let end = state.sent + min(portion, state.count)
            switch state.queued.withUnsafeBytes({ connection.write(UnsafeRawBufferPointer(rebasing: $0[state.sent..<end])) }) {
            case .bytes(let count):
                state.sent += count
                let wasHead = head > 0
                head = max(0, head - count)
                if let drip, !wasHead, state.sent < state.queued.count { return .pause(drip.pause) }
            case .wouldBlock: return .blocked
            case .failed: return .failed
            }
            if state.sent >= 64 << 10 {
                state.queued.removeFirst(state.sent)
                state.sent = 0
            }
        }
        state.queued.removeAll(keepingCapacity: true)
        state.sent = 0
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
