import Endpoints
import Foundation
import NetworkSupport
import NetworkTransport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends transfers with one `URLSession`: admits them, starts their tasks, follows redirects, and completes them.
///
/// Everything happens on one serial queue, so tasks are never created while the session is being ended. Calls into `URLSession`
/// can block while it is busy, and no caller waits for this queue. All engines share it: on Linux all sessions share one queue
/// anyway, and hundreds of engines that each block a thread to wait for it would leave it none to run on.
// Sendable although unchecked: each `var` is only accessed on `queue`.
final class URLSessionEngine: @unchecked Sendable {
    private static let queue = DispatchQueue(label: "swift-data-transfer.urlsession")
    private var queue: DispatchQueue { Self.queue }

    let limits: SessionConfiguration
    private let sessionConfiguration: URLSessionConfiguration
    private let trust: URLSessionTrust?
    private let strictTransport: StrictTransportStore?
    private let redirectRules: RedirectRules
    /// The cookies that are added to requests; `nil` if there are none, or if `URLSession` adds them.
    let cookies: CookieStore?
    private let clock = URLSessionClock()

    private var gate: OriginGate<URLSessionTransfer>
    private(set) var running: (session: URLSession, bridge: URLSessionDelegateBridge)?
    /// The transfers that have started and not ended.
    private var transfers: [ObjectIdentifier: URLSessionTransfer] = [:]
    /// The WebSockets that are open.
    private var webSockets: [ObjectIdentifier: URLSessionWebSocket] = [:]
    private var isClosed = false
    /// How far the closing of the session manager has come.
    private var stage = ClosingStage.open
    /// The number of transfers that have ended since the closing began.
    private var ended = 0
    let closing = SessionClosing()

    init(
        limits: SessionConfiguration, sessionConfiguration: URLSessionConfiguration, trust: URLSessionTrust?,
        strictTransport: StrictTransportStore? = nil
    ) {
        self.limits = limits
        self.strictTransport = strictTransport
        self.trust = trust
        trust?.govern(sessionConfiguration)
        self.sessionConfiguration = sessionConfiguration
        redirectRules = RedirectRules(limits, strictTransport: strictTransport)
        cookies = limits.cookies.store
        gate = OriginGate(limits.gateLimits(shards: 1))
    }

    func start(_ transfer: URLSessionTransfer) {
        queue.async {
            guard self.stage == .open else {
                transfer.end(.failure(.refusedByClosedSession(transfer.request)))
                transfer.isEnded = true
                return
            }
            self.transfers[ObjectIdentifier(transfer)] = transfer
            self.enter(transfer)
        }
    }

    /// Cancels the task of a transfer that is already completed.
    func discard(_ transfer: URLSessionTransfer) {
        queue.async { self.end(transfer, nil) }
    }

    /// Ends the session once the last transfer has ended. No transfer may be started after this.
    func close() {
        queue.async {
            self.isClosed = true
            self.endSessionIfUnused()
        }
    }

    /// Refuses new transfers.
    func beginClosing() {
        queue.async {
            if self.stage == .open { self.stage = .draining }
            self.isClosed = true
            for socket in self.webSockets.values { socket.sessionWillClose() }
            self.endSessionIfUnused()
        }
    }

    /// Refuses new transfers, and cancels those that are left.
    func cutOff() {
        queue.async {
            self.stage = .cutOff
            self.isClosed = true
            let left = Array(self.transfers.values)
            for transfer in left {
                let error = TransportError.cutOff(transfer.request, phase: transfer.activity.withLock { $0.phase })
                if transfer.end(.failure(error)) { self.closing.note(error) }
            }
            // Only then, so that none of them is launched in the place of another one.
            for transfer in left { self.end(transfer, nil) }
            for socket in self.webSockets.values { socket.cutOff() }
            self.endSessionIfUnused()
        }
    }

    // MARK: - On the queue

    /// Starts an exchange, or adds the transfer to the queue of its origin.
    private func enter(_ transfer: URLSessionTransfer) {
        transfer.activity.withLock { $0.enterQueue(at: URLSessionClock.now) }
        switch gate.enter(transfer.origin, transfer, priority: transfer.request.priority) {
        case .inside: launch(transfer)
        case .waiting(let ticket):
            transfer.ticket = ticket
            clock.watch(transfer)
        }
    }

    private func launch(_ transfer: URLSessionTransfer) {
        transfer.ticket = nil
        let (session, bridge) = runningSession()
        let task = transfer.request.task(
            in: session, userAgent: limits.userAgent, handlesCookies: sessionConfiguration.httpShouldSetCookies,
            cookie: cookies?.added(to: transfer.request, after: transfer.redirects))
        let exchange = URLSessionExchange(task, transfer: transfer, limits: limits, trust: trust)
        transfer.exchange = exchange
        bridge.add(exchange)
        transfer.activity.withLock { $0.launch(at: URLSessionClock.now) }
        clock.watch(transfer)
        task.resume()
    }

    private func runningSession() -> (URLSession, URLSessionDelegateBridge) {
        if let running { return running }
        let bridge = URLSessionDelegateBridge { [weak self] exchange in
            guard let self else { return }
            queue.async { self.open(exchange) }
        } whenEnded: { [weak self] exchange, error in
            guard let self else { return }
            queue.async { self.finish(exchange, error) }
        }
        let delegateQueue = OperationQueue()
        delegateQueue.maxConcurrentOperationCount = 1
        let session = URLSession(configuration: sessionConfiguration, delegate: bridge, delegateQueue: delegateQueue)
        running = (session, bridge)
        return (session, bridge)
    }

    /// Ends a transfer with the messages of its WebSocket.
    private func open(_ exchange: URLSessionExchange) {
        let transfer = exchange.transfer
        guard transfer.exchange === exchange, let (socket, response) = exchange.openedResponse() else { return }
        guard webSockets.count < limits.maximumUpgradedConnections else {
            let error = TransportError(
                .outOfResources,
                "more than \(limits.maximumUpgradedConnections) upgraded connections are open (maximumUpgradedConnections)",
                phase: .receive, request: transfer.request)
            transfer.end(.failure(error))
            return end(transfer, nil)
        }
        store(response.headers, of: transfer)
        webSockets[ObjectIdentifier(socket)] = socket
        if stage != .open { socket.sessionWillClose() }
        // If the transfer was completed before, its response is released here, which cancels the WebSocket.
        end(transfer, .success(response))
    }

    private func finish(_ exchange: URLSessionExchange, _ error: (any Error)?) {
        if let socket = exchange.webSocket.withLock(\.self)?.socket {
            socket.didComplete(error)
            webSockets[ObjectIdentifier(socket)] = nil
            return endSessionIfUnused()
        }
        let transfer = exchange.transfer
        guard transfer.exchange === exchange else { return }
        let received = exchange.take()
        do throws(TransportError) {
            let response = try exchange.response(received, error)
            store(response.headers, of: transfer)
            if RedirectRules.isRedirect(response.statusCode) {
                let next = try redirectRules.next(
                    after: transfer.request, status: response.statusCode, headers: response.headers, trail: transfer.redirects)
                if let next { return follow(next, transfer) }
            }
            end(transfer, .success(response))
        } catch {
            end(transfer, .failure(error))
        }
    }

    /// Stores what the header fields of a response say about later requests.
    private func store(_ headers: HeaderFields, of transfer: URLSessionTransfer) {
        // `URLSession` joins several fields with a comma, which a valid one does not contain outside of quotes.
        if let strictTransport, trust?.isVerified(transfer.request) == true, let fields = headers["Strict-Transport-Security"] {
            strictTransport.receive(fields.parts(at: ",").prefix(1).map { String($0) }, for: transfer.request)
        }
        if let cookies, let location = CookieLocation(transfer.request) {
            cookies.receive(headers.values(for: "Set-Cookie"), from: location)
        }
    }

    private func follow(_ next: NetworkRequest, _ transfer: URLSessionTransfer) {
        leave(transfer, isFinished: true)
        next.report(.redirected(next))
        transfer.redirects.append(transfer.request)
        transfer.request = next
        transfer.origin = next.origin
        enter(transfer)
    }

    /// - Parameter outcome: `nil` if the transfer is already completed.
    private func end(_ transfer: URLSessionTransfer, _ outcome: URLSessionTransfer.Outcome?) {
        guard !transfer.isEnded else { return }
        transfer.isEnded = true
        if let outcome { transfer.end(outcome) }
        clock.forget(transfer)
        leave(transfer, isFinished: outcome != nil)
        remove(transfer)
        endSessionIfUnused()
    }

    /// Removes the current exchange from the session or the queue, and admits the next waiting transfers.
    private func leave(_ transfer: URLSessionTransfer, isFinished: Bool) {
        if let ticket = transfer.ticket {
            gate.stopWaiting(transfer.origin, ticket: ticket)
            transfer.ticket = nil
        }
        guard let exchange = transfer.exchange else { return }
        transfer.exchange = nil
        if !isFinished { exchange.tearDown() }
        var left = [transfer.origin]
        while let origin = left.popLast() {
            for next in gate.leave(origin, shard: 0) {
                guard next.member.isCompleted else {
                    launch(next.member)
                    continue
                }
                // It was cancelled or timed out while it waited, so its place passes on.
                next.member.isEnded = true
                next.member.ticket = nil
                clock.forget(next.member)
                remove(next.member)
                left.append(next.member.origin)
            }
        }
    }

    private func remove(_ transfer: URLSessionTransfer) {
        transfers[ObjectIdentifier(transfer)] = nil
        if stage != .open { ended += 1 }
    }

    private func endSessionIfUnused() {
        guard isClosed, transfers.isEmpty, webSockets.isEmpty else { return }
        if let running {
            self.running = nil
            running.session.finishTasksAndInvalidate()
        }
        if stage != .open { closing.finish(ended: ended) }
    }
}
