#if os(Linux)
    import NetworkTransport
    import CCurl
    import Endpoints
    import Foundation
    import NetworkSupport

    /// An event loop: an epoll set, a thread, the open HTTP/1.1 connections, and libcurl, which makes connections and speaks HTTP/2.
    ///
    /// It is created with the first transfer. Each round of its thread takes the commands in the inbox, handles the sockets that are
    /// ready, completes the transfers that have finished, and ends those whose deadline has passed. While there is no other, a
    /// transfer is started on the calling thread, which avoids the switch to the engine's thread. Whichever thread works holds `lock`.
    // Sendable although unchecked: each `let` is immutable or used only while `lock` is held, and so is each `var`.
    //
    // `@exclusivity(unchecked)` here, in transfers, connections and the gate: these properties are changed in place many times per request,
    // and checking at run time that no two accesses overlap (SE-0176) took an eighth of the instructions of a request. Their methods call
    // nothing that reaches the property again.
    final class CurlEngine: @unchecked Sendable {
        let loops: CurlLoops
        let loop: CurlLoop
        let sockets: EpollSet
        private let lock = EngineLock()
        /// The multi handle that makes connections.
        let connector: CurlMulti
        /// The multi handle for HTTP/2, created with the first request over it. It is separate because libcurl decides itself when to close
        /// the idle connections of this one.
        var streams: CurlMulti?
        let handshakes = HandshakeCells()
        /// Those of connections over QUIC. A connection over TCP must not report its protocol to a handle that waits for one over QUIC.
        let quicHandshakes = HandshakeCells()
        let workspace = Workspace()
        var now: UInt64 = 0
        @exclusivity(unchecked) var deadlines = DeadlineHeap<LoopTransfer>()
        /// The earliest deadline of a transfer in the queue.
        private var queueDeadline = UInt64.max
        /// Idle HTTP/1.1 connections.
        @exclusivity(unchecked) var pool = ConnectionPool<HTTP1Connection>()
        /// The connections that were switched to another protocol.
        @exclusivity(unchecked) var upgraded: [ObjectIdentifier: UpgradedSocket] = [:]
        /// Those of them whose peers have a moment to close them.
        @exclusivity(unchecked) var closing = ConnectionPool<HTTP1Connection>()
        /// Connection attempts without a transfer. The next transfer to the same origin takes over such an attempt.
        @exclusivity(unchecked) var attempts = ConnectionPool<ConnectHandle>()
        var connectHandles = HandlePool<ConnectHandle>()
        var streamHandles = HandlePool<HTTP2Handle>()
        var quicHandles = HandlePool<HTTP2Handle>()
        /// The number of handles whose connection is being made, with or without a transfer that waits for it.
        var connecting = 0
        /// Handles whose connection is no longer needed, kept until libcurl has finished with them.
        var unwanted: [ObjectIdentifier: ConnectHandle] = [:]
        /// HTTP/2 handles whose transfer was cancelled while libcurl was making their connection.
        var streamAttempts: [ObjectIdentifier: HTTP2Handle] = [:]
        /// When libcurl is next made to check its connections (see `sweep()`).
        var sweepAt = UInt64.max
        /// The number of HTTP/1.1 connections: in use, idle, and being made.
        var openConnections = 0
        /// The number of HTTP/2 handles that are in use by libcurl.
        var streaming = 0
        /// The known version of HTTP of each origin.
        var versions: [String: ProtocolRegistry.Version] = [:]
        /// The transfers that wait until the version of their origin is known, by origin.
        var awaitingVersion: [String: [LoopTransfer]] = [:]
        /// The route of HTTP/2 requests to each origin, and until when it is used before it is decided again.
        var streamRoutes: [String: (route: Route, until: UInt64)] = [:]
        let lostConnections = LostConnections()
        /// Connections that still have bytes to read after they reached the limit of one round.
        @exclusivity(unchecked) var ready: [HTTP1Connection] = []
        /// What is left of the current round of the loop.
        @exclusivity(unchecked) var turn = LoopTurn()
        @exclusivity(unchecked) var briefWait = BriefWait()
        /// The jobs of tasks that run on this engine's thread.
        let jobs: LoopJobs
        /// Whether a caller's thread holds the lock. It may poll for the response itself.
        var holdsBackWatching = false
        /// Connections that the engine's thread has to watch again when the caller's thread is done.
        @exclusivity(unchecked) var unwatched: [HTTP1Connection] = []
        /// The number of transfers that were started here and have not ended.
        @exclusivity(unchecked) var transfers = 0 {
            didSet { sockets.keepsIdleSockets = transfers > 1 }
        }
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
        /// Receives events of connections; `nil` without an observer.
        var events: ConnectionEventHub?
        let requestWriter: HTTP1RequestWriter
        let maximumIdle: Int
        let maximumOpen: Int
        let maximumUpgraded: Int
        let idleLifetime: UInt64

        private static let globalResult: CInt = {
            defer { ProcessEnd.prepare() }
            return ccurl_global_init()
        }()
        /// Whether libcurl was initialized for this process.
        static var isReady: Bool { globalResult == 0 }

        /// Creates an engine without a thread; `nil` when the process has no descriptors or memory left.
        init?(loops: CurlLoops, loop: CurlLoop) {
            guard Self.isReady, let sockets = EpollSet(loop: loop.number), let connector = CurlMulti(sockets) else { return nil }
            self.loops = loops
            self.loop = loop
            jobs = LoopJobs(sockets.loopGuard)
            self.sockets = sockets
            self.connector = connector
            let configuration = loop.configuration
            sockets.options = SocketOptions(configuration.route)
            requestWriter = HTTP1RequestWriter(userAgent: configuration.userAgent, acceptEncoding: ContentDecoder.acceptEncoding)
            maximumIdle = configuration.share(of: configuration.maximumIdleConnections, loop: loop.number)
            maximumUpgraded = configuration.share(of: configuration.maximumUpgradedConnections, loop: loop.number)
            maximumOpen = configuration.share(of: configuration.maximumConnections, loop: loop.number)
            idleLifetime = configuration.idleConnectionLifetime.boundedNanoseconds
            // Only this engine closes these connections, never libcurl.
            connector.set(CCURLMOPT_MAXCONNECTS, 1_000_000)
        }

        deinit {
            lock.lock()
            closeIdle()
            connectHandles.removeAll()
            streamHandles.removeAll()
            quicHandles.removeAll()
            connector.close()
            streams?.close()
            lock.unlock()
            ProcessEnd.forget(lock)
        }

        /// Starts the engine's thread.
        ///
        /// - Returns: `false` when the process cannot create a thread, or is exiting.
        func startThread() -> Bool {
            guard ProcessEnd.watch(lock) else { return false }
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
            let context = Unmanaged.passRetained(self)
            let result = pthread_create(
                &thread, &attributes,
                { context in
                    guard let context else { return nil }
                    var engine: CurlEngine? = Unmanaged<CurlEngine>.fromOpaque(context).takeRetainedValue()
                    let loops = engine?.loops
                    let isAwaited = engine?.run() ?? false
                    // Its descriptors are closed first.
                    engine = nil
                    if isAwaited { loops?.partHasEnded() }
                    loops?.endEvents()
                    return nil
                }, context.toOpaque())
            if result != 0 { context.release() }
            return result == 0
        }

        /// - Returns: Whether the closing of the session manager waits for this thread.
        private func run() -> Bool {
            BrokenPipe.block()
            claimThread()
            defer { leaveThread() }
            var roundsOfJobs = 0
            lock.lock()
            stage = loop.stage
            observe()
            while true {
                now = monotonicNanoseconds()
                let commands = loop.takeCommands(jobs)
                for command in commands { execute(command) }
                work()
                if stage != .open { closeUnused() }
                if transfers == 0, upgraded.isEmpty, jobs.isEmpty, loop.isClosed {
                    giveUpAttempts()
                    if connecting == 0, let isAwaited = loop.end() {
                        hasEnded = true
                        closeIdle()
                        lock.unlock()
                        return isAwaited
                    }
                }
                if stage != .open, transfers == 0, upgraded.isEmpty, loop.becomeQuiet() { loops.partHasEnded() }
                queueDeadline = loops.endLate(now)
                if !jobs.isEmpty {
                    runJobs()
                    roundsOfJobs += 1
                    if roundsOfJobs < 16 { continue }
                }
                roundsOfJobs = 0
                let milliseconds = commands.isEmpty && ready.isEmpty && jobs.isEmpty ? waitMilliseconds() : 0
                lock.unlock()
                let count = sockets.wait(milliseconds: milliseconds)
                lock.lock()
                loop.wokeUp()
                now = monotonicNanoseconds()
                turn = LoopTurn()
                readOn()
                sockets.forEach(count) { event in
                    switch event {
                    case .connection(let connection, let readiness):
                        react(connection, readiness)
                    case .curl(let multi, let socket, let bits):
                        multi?.act(socket, bits)
                    }
                }
                work()
            }
        }

        /// Makes the thread take the commands in the inbox. Called while the inbox's lock is held.
        func wake() {
            sockets.wake()
        }

        /// Starts a transfer on the calling thread if there is no other: several at a time are cheaper on the engine's thread.
        ///
        /// - Returns: `false` when the lock is taken, there are other transfers, or the engine has ended. Nothing was done then.
        func startOnCallingThread(_ command: CurlLoop.Command) -> Bool {
            guard lock.tryLock() else { return false }
            defer { lock.unlock() }
            guard !hasEnded, transfers == 0, stage == .open else { return false }
            holdsBackWatching = true
            defer { holdsBackWatching = false }
            if command.mayWriteByLibrary(loop.configuration) {
                BrokenPipe.ignoring { runOnCallingThread(command) }
            } else {
                runOnCallingThread(command)
            }
            watchAgain()
            if nextDeadline < waitsUntil || !ready.isEmpty { sockets.wake() }
            return true
        }

        /// Runs a closure while the lock is held, unless it is taken or the engine has ended.
        ///
        /// - Returns: Whether the closure was called.
        func withLockIfFree(_ body: () -> Void) -> Bool {
            guard lock.tryLock() else { return false }
            defer { lock.unlock() }
            if !hasEnded { body() }
            return true
        }

        private func runOnCallingThread(_ command: CurlLoop.Command) {
            now = monotonicNanoseconds()
            turn = LoopTurn()
            execute(command)
            work()
            guard let transfer = command.starting else { return }
            waitBriefly(for: transfer)
            work()
        }

        /// Runs jobs of tasks without holding the lock, then polls for the response if they have sent the only request, or for a reply on the
        /// only upgraded connection.
        private func runJobs() {
            lock.unlock()
            jobs.run(atMost: 256)
            lock.lock()
            now = monotonicNanoseconds()
            if let transfer = jobs.started, jobs.isEmpty { waitBriefly(for: transfer, onLoop: true) }
            jobs.started = nil
            if jobs.isEmpty, upgraded.count == 1, let socket = upgraded.values.first { waitBriefly(for: socket) }
            watchAgain()
        }

        /// Starts a transfer for a job that runs on this engine's thread.
        func startForJob(_ command: CurlLoop.Command) {
            lock.lock()
            defer { lock.unlock() }
            // Observers of progress are called while the lock is held; if they start transfers, these go to the inbox.
            jobs.isRunning = false
            defer { jobs.isRunning = true }
            holdsBackWatching = true
            defer { holdsBackWatching = false }
            now = monotonicNanoseconds()
            // The command overtakes those in the inbox, which may be that of an observer of events.
            if events == nil, !loop.isInboxEmpty { observe() }
            execute(command)
            jobs.started = command.starting
        }

        private func execute(_ command: CurlLoop.Command) {
            switch command {
            case .enter(let transfer, let wasAccepted): enter(transfer, wasAccepted: wasAccepted)
            case .start(let transfer): start(transfer)
            case .cancel(let transfer): if let transfer = loops.part(of: transfer, in: loop.number) { cancel(transfer) }
            case .resume(let transfer): if let transfer = loops.part(of: transfer, in: loop.number) { resume(transfer) }
            case .versionSettled(let origin): goOn(to: origin)
            case .upgraded(let socket): perform(socket)
            case .count(let collector): collector.add(counts(), of: loops)
            case .observe: observe()
            case .close(let stage): advance(to: stage)
            }
        }

        private func observe() {
            events = loops.events.isObserved ? loops.events : nil
        }

        /// Runs libcurl's timers that are due, completes what has finished, and ends what is late.
        private func work() {
            finishDone()
            endLate()
            if sweepAt <= now { sweep() }
            // Bounded, so that timers that are always due cannot delay the sockets and the inbox forever.
            for _ in 0..<16 where min(connector.deadline, streams?.deadline ?? .max) <= now {
                if connector.deadline <= now { connector.runTimers() }
                if let streams, streams.deadline <= now { streams.runTimers() }
                finishDone()
                endLate()
            }
            workspace.arrivals.flush()
        }

        private func finishDone() {
            while let done = connector.nextDone() {
                finishConnecting(Unmanaged<ConnectHandle>.fromOpaque(done.handle).takeUnretainedValue(), done.code)
            }
            while let done = streams?.nextDone() {
                let easy = Unmanaged<HTTP2Handle>.fromOpaque(done.handle).takeUnretainedValue()
                if let transfer = easy.transfer { finish(transfer, easy, done.code) } else { finishAttempt(easy) }
            }
        }

        private var nextDeadline: UInt64 {
            min(
                min(connector.deadline, streams?.deadline ?? .max), min(deadlines.first?.deadline ?? .max, queueDeadline),
                min(
                    min(pool.first?.deadline ?? .max, attempts.first?.deadline ?? .max),
                    min(closing.first?.deadline ?? .max, sweepAt)))
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
    }

    /// The bytes that all connections together may still receive in one round of the loop, so that a round is short however many peers send
    /// without pause.
    struct LoopTurn {
        private var bytes = 16 << 20

        var hasRoom: Bool { bytes > 0 }

        mutating func take(_ count: Int) {
            bytes -= count
        }
    }

    /// A pool of unused easy handles. Each is reused only with the trust policy that it was created with.
    struct HandlePool<Handle: EasyHandle> {
        private var byPolicy: [Int: [Handle]] = [:]
        private var count = 0

        /// The maximum number of handles in the pool; more are freed.
        static var maximum: Int { 256 }

        mutating func take(for trust: CurlTrust) -> Handle? {
            guard let handle = byPolicy[trust.number]?.popLast() else { return nil }
            count -= 1
            return handle
        }

        mutating func put(_ handle: Handle) {
            guard count < Self.maximum else { return }
            byPolicy[handle.trust.number, default: []].append(handle)
            count += 1
        }

        mutating func removeAll() {
            byPolicy = [:]
            count = 0
        }
    }
#endif
