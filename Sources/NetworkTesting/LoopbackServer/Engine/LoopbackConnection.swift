import Dispatch
import Endpoints
import Foundation

/// One accepted connection: reads requests, has them answered one after the other, and carries out the plan of each answer.
///
/// `@unchecked Sendable`: every member is touched on the server's queue only.
final class LoopbackConnection: @unchecked Sendable {
    /// What the connections of a server have in common.
    final class Shared {
        let queue: DispatchQueue
        let descriptors: DispatchGroup
        let configuration: LoopbackServerConfiguration
        let router: LoopbackRouter
        let journal: LoopbackJournal
        /// Where each read puts its bytes first; one is enough for a serial queue.
        let readBuffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)

        init(
            queue: DispatchQueue, descriptors: DispatchGroup, configuration: LoopbackServerConfiguration,
            router: LoopbackRouter, journal: LoopbackJournal
        ) {
            self.queue = queue
            self.descriptors = descriptors
            self.configuration = configuration
            self.router = router
            self.journal = journal
        }

        deinit { readBuffer.deallocate() }
    }

    enum Phase {
        /// Waits for a complete request.
        case receiving
        /// A handler is at work.
        case handling
        /// The plan is being carried out.
        case sending
        /// The plan goes on when the socket is writable, a pause is over, or it is this connection's turn again.
        case waiting
        /// Nothing will be sent any more, and what comes is dropped.
        case silent
        case closed
    }

    /// Requests that come while one is answered are read up to this many bytes, so that a client that goes away is noticed.
    private static let maximumUnreadBytes = 256 << 10

    let id: Int
    let shared: Shared
    let descriptor: Int32
    var phase = Phase.receiving
    var plan = LoopbackWirePlan()
    var stepIndex = 0
    /// How much of the step's bytes is sent.
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

    /// Does what can be done without waiting. A loop, not recursion: thousands of requests may have arrived at once.
    func run() {
        while true {
            switch phase {
            case .receiving: guard receiveRequest() else { return }
            case .sending: guard carryOutPlan() else { return }
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
        shared.journal.connectionClosed()
        onClose()
    }

    /// Goes on when the socket takes bytes again.
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
        // A client that ends its sending side is taken to be gone.
        case .failed, .bytes(0): return close()
        case .bytes(let count):
            guard phase != .silent else { return }
            parser.receive(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
        if phase == .receiving { run() }
        let isBusy = phase == .handling || phase == .sending || phase == .waiting
        if isBusy, parser.unreadBytes > Self.maximumUnreadBytes { channel?.setReading(false) }
    }

    /// `false` when there is nothing to do before something arrives.
    private func receiveRequest() -> Bool {
        let isMute = shared.configuration.behavior == .neverAnswer
        switch parser.next() {
        case .needsMoreBytes:
            channel?.setReading(true)
            return false
        case .expectsContinue:
            guard shared.configuration.answersExpectContinue, !isMute else { return true }
            send(LoopbackWirePlan([.send(Data("HTTP/1.1 100 Continue\r\n\r\n".utf8))]))
        case .request(var request):
            let handler = shared.router.handler(for: &request)
            shared.journal.record(request)
            if !isMute { handle(request, with: handler) }
        case .failure(let failure):
            guard !isMute else { return fallSilent() }
            var response = LoopbackResponse.text("\(failure.reason)\n", status: failure.status)
            response.headers.add("close", for: "Connection")
            var plan = LoopbackWirePlan(response, to: LoopbackRequest())
            plan.ending = .closeLingering
            send(plan)
        }
        return true
    }

    /// Drops what comes from now on, and only notices when the client goes away. Always `false`: there is nothing to do.
    @discardableResult
    func fallSilent() -> Bool {
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
