import Dispatch
import Endpoints
import Foundation
import NetworkCore
import NetworkSupport

/// An accepted connection. It reads requests, calls their handlers one after the other, and sends each response according to its plan.
///
/// `@unchecked Sendable`: all members are accessed on the server's queue only.
final class LoopbackConnection: @unchecked Sendable {
    /// The objects that all connections of a server share.
    final class Shared {
        let queue: DispatchQueue
        let descriptors: DispatchGroup
        let configuration: LoopbackServerConfiguration
        let router: LoopbackRouter
        let log: LoopbackLog
        /// The buffer of all reads. A single one suffices, since they run on a serial queue.
        let readBuffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)

        init(
            queue: DispatchQueue, descriptors: DispatchGroup, configuration: LoopbackServerConfiguration,
            router: LoopbackRouter, log: LoopbackLog
        ) {
            self.queue = queue
            self.descriptors = descriptors
            self.configuration = configuration
            self.router = router
            self.log = log
        }

        deinit { readBuffer.deallocate() }
    }

    enum Phase {
        /// Waiting for a complete request.
        case receiving
        /// An asynchronous handler is running.
        case handling
        /// The plan is being performed.
        case sending
        /// The plan is suspended until the socket is writable, a pause is over, or other connections were served.
        case waiting
        /// Nothing is sent any more, and received bytes are discarded.
        case silent
        /// The connection was switched to WebSocket.
        case upgraded
        case closed
    }

    /// The number of unread bytes above which reading stops while a response is in progress. Up to then reading continues, so that a
    /// closed connection is noticed.
    private static let maximumUnreadBytes = 256 << 10

    let id: Int
    let shared: Shared
    let descriptor: Int32
    var phase = Phase.receiving
    var plan = LoopbackWirePlan()
    var stepIndex = 0
    /// The number of bytes of the current step that were sent.
    var sentBytes = 0
    var timer: (any DispatchSourceTimer)?
    private var channel: LoopbackChannel?
    private var parser: LoopbackRequestParser
    var handlerTask: Task<Void, Never>?
    /// The transport of a connection that was switched to WebSocket.
    var upgrade: LoopbackUpgrade?
    private let onClose: () -> Void

    init(id: Int, descriptor: Int32, shared: Shared, onClose: @escaping () -> Void) {
        self.id = id
        self.descriptor = descriptor
        self.shared = shared
        self.onClose = onClose
        parser = LoopbackRequestParser(
            maximumHeadBytes: shared.configuration.maximumHeadBytes,
            maximumBodyBytes: shared.configuration.maximumBodyBytes, connectionID: id)
        channel = LoopbackChannel(descriptor: descriptor, queue: shared.queue, group: shared.descriptors) { [weak self] in
            self?.read()
        }
    }

    /// Proceeds as far as possible without waiting. It is a loop, not recursive, since thousands of requests may have arrived at once.
    func run() {
        while true {
            switch phase {
            case .receiving: guard receiveRequest() else { return }
            case .sending: guard performPlan() else { return }
            case .handling, .waiting, .silent, .upgraded, .closed: return
            }
        }
    }

    func send(_ plan: LoopbackWirePlan) {
        self.plan = plan
        stepIndex = 0
        sentBytes = 0
        phase = .sending
    }

    /// Closes the connection.
    ///
    /// - Parameter error: Why, for a connection that was switched to WebSocket; `nil` if the client has closed it, or the server stops.
    func close(_ error: TransportError? = nil) {
        guard phase != .closed else { return }
        phase = .closed
        upgrade?.connectionDidClose(error)
        upgrade = nil
        handlerTask?.cancel()
        handlerTask = nil
        timer?.cancel()
        timer = nil
        plan = LoopbackWirePlan()
        channel?.close()
        channel = nil
        shared.log.connectionClosed()
        onClose()
    }

    /// Suspends the plan until the socket is writable again.
    func resumeWhenWritable() {
        phase = .waiting
        whenWritable { [weak self] in self?.resume() }
    }

    /// Calls a closure once, on the server's queue, when the socket is writable again.
    func whenWritable(_ onWritable: @escaping @Sendable () -> Void) {
        channel?.whenWritable(onWritable)
    }

    /// Suspends or resumes reading.
    func setReading(_ reads: Bool) {
        channel?.setReading(reads)
    }

    /// Returns the bytes that follow the last request.
    func takeUnread() -> [UInt8] {
        parser.takeUnread()
    }

    func resume() {
        guard phase == .waiting else { return }
        phase = .sending
        run()
    }

    // MARK: - Reading

    /// Reads until nothing is left, because a source reports only once that the client has closed or reset the connection.
    private func read() {
        // Limited, so that other connections are served in between.
        for _ in 0..<16 {
            guard phase != .closed, channel?.isReading == true else { return }
            switch LoopbackSocket.read(descriptor, into: shared.readBuffer) {
            case .wouldBlock: return
            // A client that closes its sending side is treated as disconnected.
            case .bytes(0): return close()
            case .failed: return close(TransportError(.connectionLost, "the client has reset the connection"))
            case .bytes(let count): receive(UnsafeMutableRawBufferPointer(rebasing: shared.readBuffer[..<count]))
            }
        }
        shared.queue.async { [weak self] in self?.read() }
    }

    private func receive(_ bytes: UnsafeMutableRawBufferPointer) {
        if phase == .silent { return }
        if let upgrade { return upgrade.receive(bytes) }
        parser.receive(UnsafeRawBufferPointer(bytes))
        if phase == .receiving { run() }
        let isBusy = phase == .handling || phase == .sending || phase == .waiting
        if isBusy, parser.unreadBytes > Self.maximumUnreadBytes { channel?.setReading(false) }
    }

    /// Processes the next request; returns `false` if more bytes are needed.
    private func receiveRequest() -> Bool {
        let neverResponds = shared.configuration.behavior == .neverRespond
        switch parser.next() {
        case .needsMoreBytes:
            channel?.setReading(true)
            return false
        case .expectsContinue:
            guard shared.configuration.sendsContinue, !neverResponds else { return true }
            send(LoopbackWirePlan([.send(Data("HTTP/1.1 100 Continue\r\n\r\n".utf8))]))
        case .request(var request):
            let handler = shared.router.handler(for: &request)
            shared.log.record(request)
            if !neverResponds { handle(request, with: handler) }
        case .failure(let failure):
            guard !neverResponds else { return stopResponding() }
            var response = LoopbackResponse.text("\(failure.reason)\n", status: failure.status)
            response.headers.add("close", for: "Connection")
            var plan = LoopbackWirePlan(response, to: LoopbackRequest())
            plan.ending = .closeLingering
            send(plan)
        }
        return true
    }

    /// Discards all further bytes, and only notices when the client disconnects. Always returns `false`: there is nothing to do.
    @discardableResult
    func stopResponding() -> Bool {
        phase = .silent
        channel?.setReading(true)
        return false
    }

    // MARK: - Handling

    private func handle(_ request: LoopbackRequest, with handler: LoopbackHandler) {
        switch handler {
        case .immediate(let handler):
            let response: LoopbackResponse
            do { response = try handler(request) } catch { response = Self.failure(error) }
            // The handler may have stopped the server.
            if phase == .receiving { send(LoopbackWirePlan(response, to: request)) }
        case .asynchronous(let handler):
            phase = .handling
            let queue = shared.queue
            handlerTask = Task { [weak self] in
                let response: LoopbackResponse
                do { response = try await handler(request) } catch { response = Self.failure(error) }
                let plan = LoopbackWirePlan(response, to: request)
                queue.async { [weak self] in self?.handled(plan) }
            }
        case .webSocket(let handler): upgrade(request, with: handler)
        }
    }

    private func handled(_ plan: LoopbackWirePlan) {
        guard phase == .handling else { return }
        handlerTask = nil
        send(plan)
        run()
    }

    private static func failure(_ error: any Error) -> LoopbackResponse {
        .text("The handler threw: \(ErrorText(error))\n", status: 500)
    }
}

extension LoopbackConnection {
    private enum Progress {
        case done
        /// A pending event will call `resume()`, or the connection is closed.
        case suspended
    }

    /// The maximum number of bytes sent before other connections are served.
    private static let sendBudget = 1 << 20

    /// The time for which a client may continue to send after a response to an incomplete request.
    private static let lingering = Duration.seconds(30)

    /// Performs the steps of the plan; returns `false` if that is suspended or the connection is closed.
    func performPlan() -> Bool {
        var budget = Self.sendBudget
        while stepIndex < plan.steps.count {
            let progress =
                switch plan.steps[stepIndex] {
                case .send(let bytes): send(bytes, upTo: bytes.count, budget: &budget)
                case .repeatForever(let bytes): sendAgain(bytes, budget: &budget)
                case .drip(let bytes, let portion, let pause): drip(bytes, portion, pause, budget: &budget)
                case .pause(let duration): pause(duration, thenFromByte: 0, ofStep: stepIndex + 1)
                }
            guard progress == .done else { return false }
            stepIndex += 1
            sentBytes = 0
        }
        return finishPlan()
    }

    private func send(_ bytes: Data, upTo end: Int, budget: inout Int) -> Progress {
        while sentBytes < end {
            guard budget > 0 else {
                phase = .waiting
                shared.queue.async { [weak self] in self?.resume() }
                return .suspended
            }
            let start = sentBytes
            let limit = min(end, start + budget)
            let transfer = bytes.withUnsafeBytes {
                LoopbackSocket.write(descriptor, UnsafeRawBufferPointer(rebasing: $0[start..<limit]))
            }
            switch transfer {
            case .bytes(let count):
                sentBytes += count
                budget -= count
            case .wouldBlock:
                resumeWhenWritable()
                return .suspended
            case .failed:
                close()
                return .suspended
            }
        }
        return .done
    }

    private func sendAgain(_ bytes: Data, budget: inout Int) -> Progress {
        while true {
            guard send(bytes, upTo: bytes.count, budget: &budget) == .done else { return .suspended }
            sentBytes = 0
        }
    }

    private func drip(_ bytes: Data, _ portion: Int, _ duration: Duration, budget: inout Int) -> Progress {
        let end = min(bytes.count, sentBytes - sentBytes % portion + portion)
        guard send(bytes, upTo: end, budget: &budget) == .done else { return .suspended }
        return end == bytes.count ? .done : pause(duration, thenFromByte: end, ofStep: stepIndex)
    }

    private func pause(_ duration: Duration, thenFromByte byte: Int, ofStep step: Int) -> Progress {
        sentBytes = byte
        stepIndex = step
        after(duration) { $0.resume() }
        phase = .waiting
        return .suspended
    }

    private func finishPlan() -> Bool {
        switch plan.ending {
        case .keepAlive:
            phase = .receiving
            return true
        case .stall:
            return stopResponding()
        case .close:
            closeInOrder()
        case .closeLingering:
            // Closing while the client sends would reset the connection, and the response could be lost.
            LoopbackSocket.finishSending(descriptor)
            after(Self.lingering) { $0.close() }
            return stopResponding()
        case .reset:
            // A reset discards bytes in transit, so it waits until the client's system has received them.
            guard LoopbackSocket.unconfirmedBytes(descriptor) == 0 else {
                after(.milliseconds(1)) { $0.resume() }
                phase = .waiting
                return false
            }
            LoopbackSocket.resetOnClose(descriptor)
            close()
        }
        return false
    }

    /// Closes the connection after reading the bytes that have arrived: with unread bytes, the system would send a reset.
    func closeInOrder() {
        for _ in 0..<16 {
            guard phase != .closed, case .bytes(1...) = LoopbackSocket.read(descriptor, into: shared.readBuffer) else { break }
        }
        close()
    }

    private func after(_ duration: Duration, _ action: @escaping @Sendable (LoopbackConnection) -> Void) {
        let timer = DispatchSource.makeTimerSource(queue: shared.queue)
        timer.setEventHandler { [weak self] in
            guard let self else { return }
            self.timer = nil
            action(self)
        }
        timer.schedule(deadline: .now() + duration.dispatchInterval)
        self.timer?.cancel()
        self.timer = timer
        timer.activate()
    }
}

extension Duration {
    /// The duration in nanoseconds, limited to the range of dispatch.
    var dispatchInterval: DispatchTimeInterval {
        let (seconds, attoseconds) = clamped(to: .zero...(.longest)).components
        return .nanoseconds(Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000))
    }
}
