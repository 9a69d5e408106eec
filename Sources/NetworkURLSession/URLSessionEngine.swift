import Endpoints
import Foundation
import NetworkSupport
@_spi(SessionManagers) import NetworkTransport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends transfers with one `URLSession`: admits them, starts their tasks, and delivers what they receive.
///
/// Everything happens on one serial queue, so tasks are never created while the session is being ended. Calls into `URLSession`
/// can block while it is busy, and no caller waits for this queue. All engines share it: on Linux all sessions share one queue
/// anyway, and hundreds of engines that each block a thread to wait for it would leave it none to run on.
// Sendable although unchecked: each `var` is only accessed on `queue`.
final class URLSessionEngine: URLSessionTransferOwner, @unchecked Sendable {
    private static let queue = DispatchQueue(label: "swift-data-transfer.urlsession")
    private var queue: DispatchQueue { Self.queue }

    private let rules: CallRules
    private var limits: SessionConfiguration { rules.configuration }
    private let sessionConfiguration: URLSessionConfiguration
    private let trust: URLSessionTrust?
    private let versions: HTTPVersionTable
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
        _ rules: CallRules, sessionConfiguration: URLSessionConfiguration, trust: URLSessionTrust?, versions: HTTPVersionTable
    ) {
        self.rules = rules
        self.versions = versions
        self.trust = trust
        trust?.govern(sessionConfiguration)
        self.sessionConfiguration = sessionConfiguration
        gate = OriginGate(rules.configuration.gateLimits(shards: 1))
    }

    func start(_ transfer: URLSessionTransfer) {
        queue.async {
            guard self.stage == .open else {
                transfer.isEnded = true
                return transfer.driver.end(.failure(transfer.timed(.refusedByClosedSession(transfer.request))))
            }
            self.transfers[ObjectIdentifier(transfer)] = transfer
            self.enter(transfer)
        }
    }

    func follow(_ transfer: URLSessionTransfer, _ next: NetworkRequest, cookies: String?) {
        queue.async {
            guard !transfer.isEnded else { return }
            transfer.redirects += 1
            transfer.request = next
            transfer.cookies = cookies
            transfer.origin = next.origin
            self.enter(transfer)
        }
    }

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
                if transfer.driver.stop(transfer.timed(error)) { self.closing.note(error) }
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
            in: session, upload: transfer.currentUpload, userAgent: limits.userAgent,
            handlesCookies: sessionConfiguration.httpShouldSetCookies,
            cookie: transfer.cookies, prefersHTTP3: (try? versions.rule(for: transfer.request)) == .http3Preferred)
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
        let session = URLSession(
            configuration: sessionConfiguration, delegate: bridge, delegateQueue: URLSessionDelegateQueue())
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
            return end(transfer, .failure(error))
        }
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
        // A streamed response ends for its reader after what waits for the reader.
        exchange.end { [weak self] in
            guard let self else { return }
            queue.async { self.complete(exchange, error) }
        }
    }

    private func complete(_ exchange: URLSessionExchange, _ error: (any Error)?) {
        let transfer = exchange.transfer
        guard transfer.exchange === exchange else { return }
        do throws(TransportError) {
            let response = try exchange.outcome(error)
            guard response.mayBeFollowed else { return end(transfer, .success(response)) }
            // The transfer stays registered until the driver has decided.
            leave(transfer, isFinished: true)
            transfer.driver.receive(response)
        } catch {
            end(transfer, .failure(error))
        }
    }

    /// - Parameter outcome: `nil` if the transfer is already completed.
    private func end(_ transfer: URLSessionTransfer, _ outcome: CallDriver.Outcome?) {
        guard !transfer.isEnded else { return }
        transfer.isEnded = true
        transfer.activity.withLock { $0.end() }
        if let outcome { transfer.driver.end(outcome.mapError(transfer.timed)) }
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
                guard !next.member.driver.isAwaited else {
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
