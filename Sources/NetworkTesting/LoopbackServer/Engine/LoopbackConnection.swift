import Dispatch
import Endpoints
import Foundation

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
    private var handlerTask: Task<Void, Never>?
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
            case .handling, .waiting, .silent, .closed: return
            }
        }
    }

    func send(_ plan: LoopbackWirePlan) {
        self.plan = plan
        stepIndex = 0
        sentBytes = 0
        phase = .sending
    }

    func close() {
        guard phase != .closed else { return }
        phase = .closed
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
        channel?.whenWritable { [weak self] in self?.resume() }
    }

    func resume() {
        guard phase == .waiting else { return }
        phase = .sending
        run()
    }

    // MARK: - Reading

    private func read() {
        guard phase != .closed else { return }
        let buffer = shared.readBuffer
        switch LoopbackSocket.read(descriptor, into: buffer) {
        case .wouldBlock: return
        // A client that closes its sending side is treated as disconnected.
        case .failed, .bytes(0): return close()
        case .bytes(let count):
            guard phase != .silent else { return }
            parser.receive(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
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
        }
    }

    private func handled(_ plan: LoopbackWirePlan) {
        guard phase == .handling else { return }
        handlerTask = nil
        send(plan)
        run()
    }

    private static func failure(_ error: any Error) -> LoopbackResponse {
        .text("The handler threw: \(error)\n", status: 500)
    }
}
