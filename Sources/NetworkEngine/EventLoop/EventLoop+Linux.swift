#if os(Linux)
    import COpenSSL
    import Endpoints
    import Foundation
    import NetworkSupport
    @_spi(SessionManagers) import NetworkTransport

    /// An event loop: a thread that waits for sockets and deadlines, and carries the transfers that were admitted to it.
    ///
    /// It is created with the first transfer. Each round of its thread takes the commands in the inbox, runs the jobs of tasks, handles the sockets
    /// that are ready, executes the commands, and ends transfers whose deadline has passed. So the requests that were submitted meanwhile are sent
    /// one after the other, and after all that had happened on connections before. While there is no other, a transfer is started on the
    /// calling thread, which avoids the switch to the loop's thread. Whichever thread works holds `lock`.
    ///
    /// Connections are made by ``Connector``, kept in ``ConnectionPool``, and used by ``HTTP1Exchanges``, ``HTTP2Exchanges`` and ``HTTP3Exchanges``; a
    /// connection may be switched to another protocol (``UpgradedSockets``).
    // Sendable although unchecked: each `let` is immutable or used only while `lock` is held, and so is each `var`.
    //
    // `@exclusivity(unchecked)` here, in transfers, attempts to connect, connections and the gate: these properties are changed in place many
    // times per request, and checking at run time that no two accesses overlap (SE-0176) takes a seventh of the instructions of a request
    // (Benchmarks/README.md). Their methods call nothing that reaches the property again.
    final class EventLoop: @unchecked Sendable {
        let session: SocketSession
        let inbox: LoopInbox
        let context: LoopContext
        private let sockets: EpollSet
        private let lock = LoopLock()
        let connector: Connector
        let exchanges: HTTP1Exchanges
        let http2: HTTP2Exchanges
        let http3: HTTP3Exchanges
        /// The origins whose servers were not reached over HTTP/3.
        var http3Failures = HTTP3Failures()
        let upgrades: UpgradedSockets
        @exclusivity(unchecked) var pool: ConnectionPool<SocketConnection>
        /// Which version of HTTP each origin speaks.
        let versions: OriginVersions
        @exclusivity(unchecked) var deadlines = DeadlineHeap<LoopTransfer>()
        /// The earliest deadline of a transfer in the queue.
        private var queueDeadline = UInt64.max
        @exclusivity(unchecked) private var briefWait = BriefWait()
        /// The jobs of tasks that run on this loop's thread.
        let jobs: LoopJobs
        /// The commands of jobs that start transfers, in the current round. Used on the loop's thread.
        @exclusivity(unchecked) private var startedByJobs: [LoopInbox.Command] = []
        /// The processor time of the loop's thread when the loop was last woken up by events; 0 before. In debug builds only.
        @exclusivity(unchecked) private var turnStart: UInt64 = 0
        /// The most processor time between two polls for events, in nanoseconds; measured in debug builds only. Used on the loop's thread.
        @exclusivity(unchecked) private(set) var longestTurn: UInt64 = 0
        /// The number of transfers that were started here and have not ended.
        @exclusivity(unchecked) var transfers = 0
        /// When the first of these transfers must be started; `UInt64.max` if there is none.
        @exclusivity(unchecked) private var transfersDue = UInt64.max
        /// The responses that are about to be delivered.
        @exclusivity(unchecked) var responses: [(driver: CallDriver, response: ExchangeResponse)] = []
        /// Transfers that were admitted and are about to be started.
        @exclusivity(unchecked) var admitted: [LoopTransfer] = []
        /// Until when the thread sleeps if there is no event.
        private var waitsUntil: UInt64 = 0
        /// Whether a transfer was started since the thread last slept without a time limit.
        var wasUsed = false
        /// Whether the thread has ended.
        private var hasEnded = false
        /// How far the closing of the session manager has come.
        var stage = ClosingStage.open

        /// Creates an event loop without a thread; `nil` when the process has no descriptors or memory left.
        init?(_ session: SocketSession, _ inbox: LoopInbox) {
            guard let sockets = EpollSet() else { return nil }
            self.session = session
            self.inbox = inbox
            self.sockets = sockets
            let configuration = session.context.configuration
            sockets.options = SocketOptions(configuration.route)
            context = LoopContext(session.context, sockets)
            jobs = LoopJobs(loop: inbox.number)
            let limits = ConnectionLimits(
                maximumIdle: configuration.share(of: configuration.maximumIdleConnections, loop: inbox.number),
                maximumOpen: configuration.share(of: configuration.maximumConnections, loop: inbox.number),
                idleLifetime: configuration.idleConnectionLifetime.boundedNanoseconds,
                maximumUses: configuration.maximumUsesPerConnection)
            let requestWriter = HTTP1RequestWriter(
                userAgent: configuration.userAgent, acceptEncoding: ContentDecoder.acceptEncoding)
            pool = ConnectionPool(limits)
            connector = Connector(context, keepsAttempts: limits.keepsConnections) { [weak inbox] in
                inbox?.send(.lookedUp($0, $1, $2))
            }
            exchanges = HTTP1Exchanges(context, requestWriter)
            http2 = HTTP2Exchanges(
                context,
                RequestFieldWriter<HPACKEncoder>(
                    userAgent: configuration.userAgent, acceptEncoding: ContentDecoder.acceptEncoding),
                maximumUses: configuration.maximumUsesPerConnection)
            http3 = HTTP3Exchanges(
                context,
                RequestFieldWriter<QPACKEncoder>(
                    userAgent: configuration.userAgent, acceptEncoding: ContentDecoder.acceptEncoding),
                maximumUses: configuration.maximumUsesPerConnection)
            upgrades = UpgradedSockets(
                context, exchanges, maximum: configuration.share(of: configuration.maximumUpgradedConnections, loop: inbox.number)
            )
            versions = OriginVersions(session.context, inbox)
            connector.owner = self
            exchanges.owner = self
            http2.owner = self
            http3.owner = self
            upgrades.owner = self
        }

        deinit {
            lock.lock()
            closeIdle()
            connector.close()
            lock.unlock()
        }

        /// The time of the current step, in nanoseconds of the monotonic clock.
        var now: UInt64 { context.now }

        // MARK: The thread

        /// Starts the loop's thread.
        ///
        /// - Returns: `false` when the process cannot create a thread.
        func startThread() -> Bool {
            #if canImport(Musl)
                var thread: pthread_t?
            #else
                var thread = pthread_t()
            #endif
            var attributes = pthread_attr_t()
            pthread_attr_init(&attributes)
            defer { pthread_attr_destroy(&attributes) }
            pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
            // Tasks run on it, which may decode deeply nested values. Memory is used only as far as the stack grows.
            pthread_attr_setstacksize(&attributes, 8 << 20)
            let reference = Unmanaged.passRetained(self)
            let result = pthread_create(
                &thread, &attributes,
                { reference in
                    guard let reference else { return nil }
                    var loop: EventLoop? = Unmanaged<EventLoop>.fromOpaque(reference).takeRetainedValue()
                    let session = loop?.session
                    let isAwaited = loop?.run() ?? false
                    // Its descriptors are closed first.
                    loop = nil
                    if isAwaited { session?.partHasEnded() }
                    session?.endEvents()
                    return nil
                }, reference.toOpaque())
            if result != 0 { reference.release() }
            return result == 0
        }

        /// - Returns: Whether the closing of the session manager waits for this thread.
        private func run() -> Bool {
            claimThread()
            defer { leaveThread() }
            lock.lock()
            stage = inbox.stage
            observe()
            while true {
                let isIdle = inbox.beginWait(jobs)
                let hasJobs = !jobs.isEmpty
                if hasJobs { runJobs() }
                let mayWait = isIdle && !context.hasReady && !http2.agenda.hasWork && !http3.agenda.hasWork
                for command in receiveEvents(waiting: mayWait ? waitMilliseconds() : 0, hasRunJobs: hasJobs) { execute(command) }
                startTransfersOfJobs()
                work()
                if stage != .open { closeUnused() }
                if transfers == 0, upgrades.isEmpty, jobs.isEmpty, inbox.isClosed {
                    giveUpAttempts()
                    if connector.connecting == 0, let isAwaited = inbox.end() {
                        hasEnded = true
                        closeIdle()
                        lock.unlock()
                        return isAwaited
                    }
                }
                if stage != .open, transfers == 0, upgrades.isEmpty, inbox.becomeQuiet() { session.partHasEnded() }
                queueDeadline = session.endLate(now)
            }
        }

        /// Waits for events of sockets, handles them, and delivers the responses that are complete.
        ///
        /// - Parameters:
        ///   - milliseconds: The time limit of the wait; -1 for none.
        ///   - hasRunJobs: Whether tasks run on this thread, which need not be woken for their responses.
        /// - Returns: The commands that were in the inbox when the wait ended.
        private func receiveEvents(waiting milliseconds: CInt, hasRunJobs: Bool) -> [LoopInbox.Command] {
            assert(noteTurn())
            sockets.areAllEventsHandled = false
            lock.unlock()
            let count = sockets.wait(milliseconds: milliseconds)
            let commands = inbox.endWait()
            lock.lock()
            context.now = monotonicNanoseconds()
            context.turn = LoopTurn()
            assert(beginTurn())
            context.continueReady()
            handleEvents(count)
            if !hasRunJobs { receiveFurtherResponses() }
            deliverResponses()
            return commands
        }

        private func handleEvents(_ count: Int) {
            sockets.forEach(count) { owner, readiness in owner.socketIsReady(readiness) }
        }

        /// Receives responses that have arrived meanwhile, before the first ones are delivered: to wake a thread for the task that waits for a response
        /// costs more than to receive one, and one thread processes all of them. Looks four times at most, for 0.1 ms, and not if there are few transfers.
        private func receiveFurtherResponses() {
            var looks = 0
            while looks < 4, !responses.isEmpty, transfers >= 4, monotonicNanoseconds() &- now < Self.longestDelay {
                looks += 1
                let count = sockets.wait(milliseconds: 0)
                guard count > 0 else { return }
                handleEvents(count)
            }
        }

        private func beginTurn() -> Bool {
            turnStart = Self.processorTime()
            return true
        }

        /// Measures how much a turn took, in debug builds.
        private func noteTurn() -> Bool {
            if turnStart > 0 { longestTurn = max(longestTurn, Self.processorTime() &- turnStart) }
            return true
        }

        /// The processor time that this thread has used, in nanoseconds.
        private static func processorTime() -> UInt64 {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
        }

        /// Makes the thread take the commands in the inbox. Called while the inbox's lock is held.
        func wake() {
            sockets.wake()
        }

        /// Ends what is late, sends what several exchanges have prepared, and wakes the readers of what was received.
        private func work() {
            endLate()
            http2.advance()
            http3.advance()
            context.workspace.arrivals.flush()
            deliverResponses()
        }

        private var nextDeadline: UInt64 {
            min(
                connector.deadline, min(deadlines.first?.deadline ?? .max, queueDeadline),
                min(min(pool.deadline, min(http2.deadline, http3.deadline)), upgrades.deadline))
        }

        private func waitMilliseconds() -> CInt {
            let next = nextDeadline
            let current = monotonicNanoseconds()
            if next == .max {
                // A caller whose deadline is earlier than the end of the sleep has to wake the thread. Sleeping for one second after a
                // transfer, rather than without limit, avoids these wake-ups: most deadlines are later.
                waitsUntil = wasUsed ? current &+ 1_000_000_000 : .max
                defer { wasUsed = false }
                return wasUsed ? 1000 : -1
            }
            waitsUntil = next
            guard next > current else { return 0 }
            return CInt(min((next - current + 999_999) / 1_000_000, 60_000))
        }

        // MARK: Commands

        private func execute(_ command: LoopInbox.Command) {
            switch command {
            case .enter(let transfer, let wasAccepted): enter(transfer, wasAccepted: wasAccepted)
            case .start(let transfer): start(transfer)
            case .cancel(let transfer): if session.owns(transfer, loop: inbox.number) { cancel(transfer) }
            case .resume(let transfer): if session.owns(transfer, loop: inbox.number) { resume(transfer) }
            case .follow(let transfer, let next, let cookies):
                if session.owns(transfer, loop: inbox.number) { follow(transfer, next, cookies: cookies) }
            case .receiveBody(let transfer): if session.owns(transfer, loop: inbox.number) { receiveBody(of: transfer) }
            case .lookedUp(let attempt, let query, let result): attempt.lookupDidEnd(query, result)
            case .versionSettled(let origin): versions.versionDidSettle(origin, launch: launch)
            case .upgraded(let socket): upgrades.perform(socket, stage)
            case .count(let collector): collector.add(counts(), of: session)
            case .observe: observe()
            case .close(let stage): advance(to: stage)
            }
        }

        private func observe() {
            context.events = session.events.isObserved ? session.events : nil
        }

        /// Starts a transfer on the calling thread if there is no other: several at a time are cheaper on the loop's thread.
        ///
        /// - Returns: `false` when the lock is taken, there are other transfers, or the loop has ended. Nothing was done then.
        func startOnCallingThread(_ command: LoopInbox.Command) -> Bool {
            guard lock.tryLock() else { return false }
            defer { lock.unlock() }
            guard !hasEnded, transfers == 0, stage == .open else { return false }
            sockets.areAllEventsHandled = false
            context.holdsBackWatching = true
            defer { context.holdsBackWatching = false }
            runOnCallingThread(command)
            context.watchAgain()
            if nextDeadline < waitsUntil || context.hasReady || http2.agenda.hasWork || http3.agenda.hasWork { sockets.wake() }
            return true
        }

        private func runOnCallingThread(_ command: LoopInbox.Command) {
            context.now = monotonicNanoseconds()
            context.turn = LoopTurn()
            execute(command)
            work()
            guard let transfer = command.starting else { return }
            continueAtOnce(transfer)
            waitBriefly(for: transfer)
            work()
        }

        /// Runs a closure while the lock is held, unless it is taken or the loop has ended.
        ///
        /// - Returns: Whether the closure was called.
        private func withLockIfFree(_ body: () -> Void) -> Bool {
            guard lock.tryLock() else { return false }
            defer { lock.unlock() }
            if !hasEnded { body() }
            return true
        }

        // MARK: Jobs

        /// Runs jobs of tasks without holding the lock.
        private func runJobs() {
            lock.unlock()
            jobs.run(atMost: 256) { isTransferDue }
            lock.lock()
        }

        /// Starts a transfer for a job that runs on this loop's thread, after this and a few other jobs.
        func startForJob(_ command: LoopInbox.Command) {
            if startedByJobs.isEmpty, let transfer = command.starting { transfersDue = transfer.submitted &+ Self.longestDelay }
            startedByJobs.append(command)
        }

        /// How long the transfer of a job waits for further jobs, and a response for further ones, in nanoseconds.
        private static let longestDelay: UInt64 = 100_000

        /// Whether the jobs have taken so long that the transfers that they have submitted must be started.
        private var isTransferDue: Bool {
            transfersDue != .max && monotonicNanoseconds() > transfersDue
        }

        /// Sends the requests of jobs, then polls for the response if there is only one, or for a reply on the only upgraded connection.
        private func startTransfersOfJobs() {
            if !startedByJobs.isEmpty {
                // Their commands overtake those in the inbox, which may be that of an observer of events.
                if context.events == nil, !inbox.isEmpty { observe() }
                context.holdsBackWatching = true
                for command in startedByJobs { execute(command) }
                context.holdsBackWatching = false
                work()
                if jobs.isEmpty, let transfer = startedByJobs.last?.starting {
                    continueAtOnce(transfer)
                    waitBriefly(for: transfer, onLoop: true)
                }
                startedByJobs.removeAll(keepingCapacity: true)
                transfersDue = .max
            }
            if jobs.isEmpty, transfers == 0, !upgrades.isEmpty, let socket = upgrades.takeAwaited() {
                waitBriefly(for: socket.connection)
            }
            context.watchAgain()
        }

        // MARK: Polling

        /// Sends the only request without waiting for an event if its connection was made already.
        private func continueAtOnce(_ transfer: LoopTransfer) {
            if transfers == 1, transfer.carrier?.continueAtOnce() == true { work() }
        }

        /// Polls briefly for the response on the thread that sent the request, if there is no other transfer and ``BriefWait``
        /// says that it is due.
        ///
        /// - Parameter onLoop: Whether this is the loop's thread.
        private func waitBriefly(for transfer: LoopTransfer, onLoop: Bool = false) {
            guard transfers == 1, let socket = transfer.carrier?.awaitedSocket, transfer.exchange.firstByte == 0,
                briefWait.isDue()
            else { return }
            // Otherwise the loop's thread would also wake up for the response that this thread receives.
            if !onLoop, socket.isWatched, briefWait.isReliable { context.stopWatching(socket) }
            poll(socket)
        }

        private func waitBriefly(for socket: any SocketOwner) {
            if briefWait.isDue() { poll(socket) }
        }

        private func poll(_ socket: any SocketOwner) {
            let end = now &+ BriefWait.limit
            var isReady = false
            while !isReady, now < end, inbox.isEmpty {
                sched_yield()
                isReady = socket.isReadable
                context.now = monotonicNanoseconds()
            }
            briefWait.note(isHit: isReady)
            if isReady { socket.socketIsReady(EpollSet.Readiness(mayRead: true)) }
        }
    }

    extension EventLoop: UpgradeOwner {
        func upgrade(_ connection: HTTP1Connection, _ transfer: LoopTransfer, unread: UnsafeRawBufferPointer) {
            upgrades.upgrade(connection, transfer, unread: unread)
        }

        func upgrade(_ exchange: HTTP2Exchange, _ transfer: LoopTransfer) {
            upgrades.upgrade(exchange, transfer)
        }

        func countUpgrade(_ isUpgraded: Bool) {
            if isUpgraded { pool.subtract() } else { pool.add() }
        }

        func perform(later socket: UpgradedSocket) {
            inbox.send(.upgraded(socket))
        }

        func flushOnCallingThread(_ socket: UpgradedSocket) -> Bool {
            let isLoop = EventLoop.ofThisThread === self
            // What is written to a stream, the loop sends with that of other streams.
            guard isLoop || socket.stream == nil else { return false }
            return withLockIfFree {
                guard !socket.isClosed else { return }
                socket.flush(isWritable: false)
            }
        }
    }
#endif
