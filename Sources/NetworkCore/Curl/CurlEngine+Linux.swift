#if os(Linux)
    import CCurl
    import Endpoints
    import Foundation
    import Glibc

    /// An event loop: one epoll set, one thread, the HTTP/1.1 connections it has open, and libcurl, which makes them and speaks HTTP/2.
    ///
    /// Made by whoever sends the first transfer. Each round of its thread takes the inbox, deals with the sockets that are ready, answers
    /// what has ended, and ends what is late. While there is no transfer, a caller starts one on its own thread, which spares the switch
    /// to this one; whoever works holds the turn.
    // Sendable although unchecked: `let`s are immutable or the turn holder's, and every `var` is touched by the holder of `turn` alone.
    final class CurlEngine: @unchecked Sendable {
        let loops: CurlLoops
        let loop: CurlLoop
        let sockets: EpollSet
        private let turn = Turn()
        /// Where connections are made.
        let connector: CurlMulti
        /// Where libcurl speaks HTTP/2, once it does. Apart, since it closes idle connections of its own as it sees fit.
        var streams: CurlMulti?
        let handshakes = HandshakeCells()
        let workspace = Workspace()
        var now: UInt64 = 0
        var deadlines = DeadlineHeap<CurlTransfer>()
        /// When somebody will have stood in line for too long.
        private var lineDeadline = UInt64.max
        /// Idle HTTP/1.1 connections.
        var pool = ConnectionPool<HTTP1Connection>()
        /// Connection attempts without a transfer. The next transfer to the same origin takes one over.
        var attempts = ConnectionPool<ConnectHandle>()
        var spareConnects = SpareHandles<ConnectHandle>()
        var spareStreams = SpareHandles<HTTP2Handle>()
        /// Handles whose connection is being made, with or without a transfer that waits for it.
        var connecting = 0
        /// Handles whose connection is not wanted any more, kept until libcurl has finished with them.
        var unwanted: [ObjectIdentifier: ConnectHandle] = [:]
        /// HTTP/2 handles whose transfer was cancelled while libcurl makes their connection.
        var streamAttempts: [ObjectIdentifier: HTTP2Handle] = [:]
        /// When libcurl is made to look over its connections.
        var sweepAt = UInt64.max
        /// HTTP/1.1 connections, idle ones included, and those that are being made.
        var openConnections = 0
        /// HTTP/2 handles that libcurl works on.
        var streaming = 0
        /// What the origins are known to speak.
        var versions: [String: ProtocolRegistry.Version] = [:]
        /// Transfers that wait for that, by origin.
        var awaitingVersion: [String: [CurlTransfer]] = [:]
        /// The route of HTTP/2 requests to an origin, and until when it is used without deciding anew.
        var streamRoutes: [String: (route: Route, until: UInt64)] = [:]
        /// Connections that have more to read than they were let read at once.
        var ready: [HTTP1Connection] = []
        var briefWait = BriefWait()
        /// Whether a caller's thread holds the turn, which may poll for the response itself.
        var holdsBackWatching = false
        /// Connections that the engine's thread watches once the caller's thread gives up the turn.
        var unwatched: [HTTP1Connection] = []
        /// Started here and not ended.
        var transfers = 0 {
            didSet { sockets.keepsIdleSockets = transfers > 1 }
        }
        /// Got a place, and are about to be launched.
        var admitted: [CurlTransfer] = []
        /// Until when the thread waits if there is no event.
        private var waitsUntil: UInt64 = 0
        /// Whether there was a transfer since the thread last waited without end.
        var wasUsed = false
        /// Whether the thread is gone.
        private var hasEnded = false
        let redirectRules: RedirectRules
        let requestWriter: HTTP1RequestWriter
        let maximumIdle: Int
        let maximumOpen: Int
        let idleLifetime: UInt64

        private static let globalResult: CInt = {
            defer { ProcessEnd.prepare() }
            return ccurl_global_init()
        }()
        /// Whether libcurl could be set up for this process.
        static var isReady: Bool { globalResult == 0 }

        /// `nil` when the process has no descriptors or memory left.
        init?(loops: CurlLoops, loop: CurlLoop) {
            guard Self.isReady, let sockets = EpollSet(), let connector = CurlMulti(sockets) else { return nil }
            self.loops = loops
            self.loop = loop
            self.sockets = sockets
            self.connector = connector
            let configuration = loop.configuration
            redirectRules = RedirectRules(configuration)
            requestWriter = HTTP1RequestWriter(userAgent: configuration.userAgent, acceptEncoding: ContentDecoder.acceptEncoding)
            maximumIdle = configuration.share(of: configuration.maximumIdleConnections, loop: loop.number)
            maximumOpen = configuration.share(of: configuration.maximumConnections, loop: loop.number)
            idleLifetime = configuration.idleConnectionLifetime.boundedNanoseconds
            // Its connections are closed by us alone.
            connector.set(CCURLMOPT_MAXCONNECTS, 1_000_000)
        }

        deinit {
            turn.take()
            closeIdle()
            spareConnects.removeAll()
            spareStreams.removeAll()
            connector.close()
            streams?.close()
            turn.release()
            ProcessEnd.forget(turn)
        }

        /// - Returns: Whether the process has a thread for it, and is not ending.
        func startThread() -> Bool {
            guard ProcessEnd.watch(turn) else { return false }
            var thread = pthread_t()
            var attributes = pthread_attr_t()
            pthread_attr_init(&attributes)
            defer { pthread_attr_destroy(&attributes) }
            pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
            pthread_attr_setstacksize(&attributes, 1 << 20)
            let context = Unmanaged.passRetained(self)
            let result = pthread_create(
                &thread, &attributes,
                { context in
                    guard let context else { return nil }
                    let engine = Unmanaged<CurlEngine>.fromOpaque(context).takeRetainedValue()
                    engine.run()
                    return nil
                }, context.toOpaque())
            if result != 0 { context.release() }
            return result == 0
        }

        private func run() {
            BrokenPipe.block()
            turn.take()
            while true {
                now = monotonicNanoseconds()
                let commands = loop.takeCommands()
                for command in commands { obey(command) }
                work()
                if transfers == 0, loop.isClosed {
                    giveUpAttempts()
                    if connecting == 0, loop.mayEnd() {
                        hasEnded = true
                        closeIdle()
                        return turn.release()
                    }
                }
                lineDeadline = loops.endLate(now)
                let milliseconds = commands.isEmpty && ready.isEmpty ? waitMilliseconds() : 0
                turn.release()
                let count = sockets.wait(milliseconds: milliseconds)
                turn.take()
                loop.wokeUp()
                now = monotonicNanoseconds()
                sockets.forEach(count) { event in
                    switch event {
                    case .connection(let connection, let readiness):
                        react(connection, readiness)
                    case .curl(let multi, let socket, let bits):
                        multi?.act(socket, bits)
                    }
                }
                readOn()
                work()
            }
        }

        /// Makes the thread take the inbox. Called under the loop's lock.
        func wake() {
            sockets.wake()
        }

        /// Starts a transfer on the thread of whoever calls, if there is no other: those that come in numbers are cheaper together.
        ///
        /// - Returns: `false` when there are others, or the engine has ended; nothing has been done then.
        func doHere(_ command: CurlLoop.Command) -> Bool {
            guard turn.tryToTake() else { return false }
            defer { turn.release() }
            guard !hasEnded, transfers == 0 else { return false }
            holdsBackWatching = true
            defer { holdsBackWatching = false }
            if command.mayWriteByLibrary(loop.configuration) {
                BrokenPipe.ignoring { carryOut(command) }
            } else {
                carryOut(command)
            }
            watchAgain()
            if nextDeadline < waitsUntil || !ready.isEmpty { sockets.wake() }
            return true
        }

        private func carryOut(_ command: CurlLoop.Command) {
            now = monotonicNanoseconds()
            obey(command)
            work()
            guard let transfer = command.starting else { return }
            waitBriefly(for: transfer)
            work()
        }

        private func obey(_ command: CurlLoop.Command) {
            switch command {
            case .enter(let transfer): enter(transfer)
            case .start(let transfer): start(transfer)
            case .cancel(let transfer): if loops.isIn(loop.number, transfer) { cancel(transfer) }
            case .resume(let transfer): if loops.isIn(loop.number, transfer) { resume(transfer) }
            case .versionSettled(let origin): goOn(to: origin)
            }
        }

        /// Lets libcurl's timers run and deals with what has ended.
        private func work() {
            finishDone()
            endLate()
            if sweepAt <= now { sweep() }
            // A bound, so that timers that are always due cannot keep the sockets and the inbox waiting.
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
                if let transfer = easy.transfer { finish(transfer, easy, done.code) } else { release(easy) }
            }
        }

        private var nextDeadline: UInt64 {
            min(
                min(connector.deadline, streams?.deadline ?? .max), min(deadlines.first?.deadline ?? .max, lineDeadline),
                min(min(pool.first?.deadline ?? .max, attempts.first?.deadline ?? .max), sweepAt))
        }

        private func waitMilliseconds() -> CInt {
            let next = nextDeadline
            let current = monotonicNanoseconds()
            if next == .max {
                // A caller whose deadline comes first has to wake the thread: one that waits for a second spares them that.
                waitsUntil = wasUsed ? current &+ 1_000_000_000 : .max
                defer { wasUsed = false }
                return wasUsed ? 1000 : -1
            }
            waitsUntil = next
            guard next > current else { return 0 }
            return CInt(min((next - current + 999_999) / 1_000_000, 60_000))
        }
    }

    /// Easy handles that wait for their next use, each for the one trust policy it was made with.
    struct SpareHandles<Handle: EasyHandle> {
        private var byPolicy: [Int: [Handle]] = [:]
        private var count = 0

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
