#if os(Linux)
    import CCurl
    import Endpoints
    import Foundation
    import Glibc

    /// An event loop: one libcurl multi handle, one epoll set, one thread.
    ///
    /// Made by whoever sends the first transfer. Each round of its thread takes the inbox, lets libcurl work on the sockets that are
    /// ready, answers what has ended, and ends what is late. While there is no transfer, a caller starts one on its own thread, which
    /// spares the switch to this one; whoever works holds the turn.
    // Sendable although unchecked: `let`s are immutable, and every `var` is touched by the holder of `turn` alone.
    final class CurlEngine: @unchecked Sendable {
        let loops: CurlLoops
        let loop: CurlLoop
        private let epoll: EpollSet
        private let turn = Turn()
        let multi: UnsafeMutableRawPointer
        var now: UInt64 = 0
        /// When libcurl wants to be called without an event.
        private var curlDeadline = UInt64.max
        var deadlines = DeadlineHeap<CurlTransfer>()
        /// When somebody will have stood in line for too long.
        private var lineDeadline = UInt64.max
        var spares = SpareHandles()
        let multiplexedPorts = MultiplexedPorts()
        let arrivals = Arrivals()
        /// Started here and not ended.
        var transfers = 0 {
            didSet { epoll.keepsIdleSockets = transfers > 1 }
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
        private let keepsConnections: Bool

        private static let globalResult: CInt = {
            defer { ProcessEnd.prepare() }
            return ccurl_global_init()
        }()
        /// Whether libcurl could be set up for this process.
        static var isReady: Bool { globalResult == 0 }

        /// `nil` when the process has no descriptors or memory left.
        init?(loops: CurlLoops, loop: CurlLoop) {
            guard Self.isReady, let epoll = EpollSet(), let multi = ccurl_multi_init() else { return nil }
            self.loops = loops
            self.loop = loop
            self.epoll = epoll
            self.multi = multi
            redirectRules = RedirectRules(loop.configuration)
            let idle = loop.configuration.share(of: loop.configuration.maximumIdleConnections, loop: loop.number)
            keepsConnections = idle > 0
            let context = Unmanaged.passUnretained(self).toOpaque()
            ccurl_multi_set_pointer(multi, CInt(CCURLMOPT_SOCKETDATA), Unmanaged.passUnretained(epoll).toOpaque())
            ccurl_multi_set_pointer(multi, CInt(CCURLMOPT_TIMERDATA), context)
            ccurl_multi_set_socket_callback(multi) { _, socket, what, context, _ in
                guard let context else { return 0 }
                Unmanaged<EpollSet>.fromOpaque(context).takeUnretainedValue().watch(socket, what: what)
                return 0
            }
            ccurl_multi_set_timer_callback(multi) { _, milliseconds, context in
                guard let context else { return 0 }
                Unmanaged<CurlEngine>.fromOpaque(context).takeUnretainedValue().setTimer(milliseconds)
                return 0
            }
            // The gate keeps connections in use below this; idle ones are closed to make room.
            let connections = loop.configuration.share(of: loop.configuration.maximumConnections, loop: loop.number)
            ccurl_multi_set_long(multi, CInt(CCURLMOPT_MAX_TOTAL_CONNECTIONS), CLong(connections))
            ccurl_multi_set_long(multi, CInt(CCURLMOPT_MAXCONNECTS), CLong(idle))
        }

        deinit {
            turn.take()
            spares.removeAll()
            ccurl_multi_cleanup(multi)
            turn.release()
            ProcessEnd.forget(turn)
        }

        /// A handle that goes this session manager's way; `nil` without memory.
        func makeHandle(_ trust: CurlTrust) -> EasyHandle? {
            guard let easy = EasyHandle(trust), easy.setRoute(loop.configuration, cookies: loops.cookies) else { return nil }
            easy.setSockets(epoll)
            easy.multiplexedPorts = multiplexedPorts
            // To libcurl, 0 kept connections mean as many as it likes.
            if !keepsConnections { easy.set(CCURLOPT_FORBID_REUSE, 1) }
            return easy
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
                if transfers == 0, loop.mayEnd() {
                    hasEnded = true
                    return turn.release()
                }
                lineDeadline = loops.endLate(now)
                let milliseconds = commands.isEmpty ? waitMilliseconds() : 0
                turn.release()
                let count = epoll.wait(milliseconds: milliseconds)
                turn.take()
                loop.wokeUp()
                now = monotonicNanoseconds()
                epoll.forEach(count) { socket, events in act(socket, events) }
                work()
            }
        }

        /// Makes the thread take the inbox. Called under the loop's lock.
        func wake() {
            epoll.wake()
        }

        /// Starts a transfer on the thread of whoever calls, if there is no other: those that come in numbers are cheaper together.
        ///
        /// - Returns: `false` when there are others, or the engine has ended; nothing has been done then.
        func doHere(_ command: CurlLoop.Command) -> Bool {
            guard turn.tryToTake() else { return false }
            defer { turn.release() }
            guard !hasEnded, transfers == 0 else { return false }
            BrokenPipe.ignoring {
                now = monotonicNanoseconds()
                obey(command)
                work()
            }
            if min(curlDeadline, deadlines.first?.deadline ?? .max) < waitsUntil { epoll.wake() }
            return true
        }

        private func obey(_ command: CurlLoop.Command) {
            switch command {
            case .enter(let transfer): enter(transfer)
            case .start(let transfer): start(transfer)
            case .cancel(let transfer): if loops.isIn(loop.number, transfer) { cancel(transfer) }
            case .resume(let transfer): if loops.isIn(loop.number, transfer) { resume(transfer) }
            }
        }

        /// Lets libcurl's timers run and deals with what has ended.
        private func work() {
            finishDone()
            endLate()
            // A bound, so that timers that are always due cannot keep the sockets and the inbox waiting.
            for _ in 0..<16 where curlDeadline <= now {
                curlDeadline = .max
                act(CInt(CCURL_SOCKET_TIMEOUT), 0)
                finishDone()
                endLate()
            }
            arrivals.flush()
        }

        private func waitMilliseconds() -> CInt {
            let next = min(curlDeadline, deadlines.first?.deadline ?? .max, lineDeadline)
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

        private func act(_ socket: CInt, _ events: CInt) {
            var running: CInt = 0
            ccurl_multi_socket_action(multi, socket, events, &running)
        }

        private func setTimer(_ milliseconds: CLong) {
            curlDeadline = milliseconds < 0 ? .max : now &+ UInt64(milliseconds) * 1_000_000
        }
    }
#endif
