import Endpoints
import Foundation

/// Sends transfers over one `URLSession`: lets them in, starts their tasks, follows redirects, answers.
///
/// All of it happens on one serial queue, which is also what keeps the making of tasks and the end of the session apart. Calls into
/// `URLSession` can block while it is busy; nobody waits for that queue. All engines share it: on Linux all sessions share one
/// queue below anyway, and hundreds of engines that each block a thread in front of it would leave it none to run on.
// Sendable although unchecked: each `var` is touched on `queue` alone.
final class URLSessionEngine: @unchecked Sendable {
    private static let queue = DispatchQueue(label: "swift-data-transfer.urlsession")
    private var queue: DispatchQueue { Self.queue }

    let limits: SessionConfiguration
    private let sessionConfiguration: URLSessionConfiguration
    private let trust: URLSessionTrust?
    private let redirectRules: RedirectRules
    private let clock = URLSessionClock()

    private var gate: OriginGate<URLSessionTransfer>
    private var running: (session: URLSession, bridge: URLSessionDelegateBridge)?
    /// Started and not ended.
    private var transfers = 0
    private var isClosed = false

    init(limits: SessionConfiguration, sessionConfiguration: URLSessionConfiguration, trust: URLSessionTrust?) {
        self.limits = limits
        self.trust = trust
        trust?.govern(sessionConfiguration)
        self.sessionConfiguration = sessionConfiguration
        redirectRules = RedirectRules(limits)
        gate = OriginGate(limits.gateLimits(lanes: 1))
    }

    func start(_ transfer: URLSessionTransfer) {
        queue.async {
            self.transfers += 1
            self.enter(transfer)
        }
    }

    /// Tears down a transfer that has been answered.
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

    // MARK: - On the queue

    /// Begins a hop, or makes it wait for its origin's turn.
    private func enter(_ transfer: URLSessionTransfer) {
        transfer.activity.withLock { $0.enterQueue(at: URLSessionClock.now) }
        switch gate.enter(transfer.origin, transfer) {
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
            in: session, userAgent: limits.userAgent, handlesCookies: sessionConfiguration.httpShouldSetCookies)
        let hop = URLSessionHop(task, transfer: transfer, limits: limits, trust: trust)
        transfer.hop = hop
        bridge.add(hop)
        transfer.activity.withLock { $0.launch(at: URLSessionClock.now) }
        clock.watch(transfer)
        task.resume()
    }

    private func runningSession() -> (URLSession, URLSessionDelegateBridge) {
        if let running { return running }
        let bridge = URLSessionDelegateBridge { [weak self] hop, error in
            guard let self else { return }
            queue.async { self.finish(hop, error) }
        }
        let delegateQueue = OperationQueue()
        delegateQueue.maxConcurrentOperationCount = 1
        let session = URLSession(configuration: sessionConfiguration, delegate: bridge, delegateQueue: delegateQueue)
        running = (session, bridge)
        return (session, bridge)
    }

    private func finish(_ hop: URLSessionHop, _ error: (any Error)?) {
        let transfer = hop.transfer
        guard transfer.hop === hop else { return }
        let received = hop.take()
        do throws(TransportError) {
            let response = try hop.response(received, error)
            if RedirectRules.isRedirect(response.statusCode) {
                let next = try redirectRules.next(
                    after: transfer.request, status: response.statusCode, locations: response.headers.values(for: "Location"),
                    followed: transfer.redirects)
                if let next { return follow(next, transfer) }
            }
            end(transfer, .success(response))
        } catch {
            end(transfer, .failure(error))
        }
    }

    private func follow(_ next: NetworkRequest, _ transfer: URLSessionTransfer) {
        leave(transfer, isFinished: true)
        transfer.redirects += 1
        transfer.request = next
        transfer.origin = next.origin
        enter(transfer)
    }

    /// - Parameter outcome: `nil` when it has been answered already.
    private func end(_ transfer: URLSessionTransfer, _ outcome: URLSessionTransfer.Outcome?) {
        guard !transfer.isEnded else { return }
        transfer.isEnded = true
        if let outcome { transfer.end(outcome) }
        clock.forget(transfer)
        leave(transfer, isFinished: outcome != nil)
        transfers -= 1
        endSessionIfUnused()
    }

    /// Takes the current hop out of the session or the line, and lets in who waits for its place.
    private func leave(_ transfer: URLSessionTransfer, isFinished: Bool) {
        if let ticket = transfer.ticket {
            gate.stopWaiting(transfer.origin, ticket: ticket)
            transfer.ticket = nil
        }
        guard let hop = transfer.hop else { return }
        transfer.hop = nil
        if !isFinished { hop.tearDown() }
        var left = [transfer.origin]
        while let origin = left.popLast() {
            for next in gate.leave(origin, lane: 0) {
                guard next.member.isAnswered else {
                    launch(next.member)
                    continue
                }
                // It was called off, or late, while it stood in line, and its place passes on.
                next.member.isEnded = true
                next.member.ticket = nil
                clock.forget(next.member)
                transfers -= 1
                left.append(next.member.origin)
            }
        }
    }

    private func endSessionIfUnused() {
        guard isClosed, transfers == 0, let running else { return }
        self.running = nil
        running.session.finishTasksAndInvalidate()
    }
}
