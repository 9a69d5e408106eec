#if os(Linux)
    import CCurl
    import Endpoints
    import Foundation
    import Glibc

    /// The event loop: one libcurl multi handle, one epoll set, one thread.
    ///
    /// Made by whoever sends the first transfer. Each round of its thread takes the inbox, lets libcurl work on the sockets that are
    /// ready, answers what has ended, and ends what is late. While there is no transfer, a caller starts one on its own thread, which
    /// spares the switch to this one; whoever works holds the turn.
    // Sendable although unchecked: `let`s are immutable, and every `var` is touched by the holder of `turn` alone.
    final class CurlEngine: @unchecked Sendable {
        let loop: CurlLoop
        private let epoll: EpollSet
        private let turn = Turn()
        let multi: UnsafeMutableRawPointer
        var now: UInt64 = 0
        /// When libcurl wants to be called without an event.
        private var curlDeadline = UInt64.max
        var gate: OriginGate<CurlTransfer>
        var deadlines = DeadlineHeap<CurlTransfer>()
        var spares = SpareHandles()
        private let cookies: CookieShare?
        let multiplexedPorts = MultiplexedPorts()
        /// Started and not ended.
        var transfers = 0
        /// Until when the thread waits if there is no event.
        private var waitsUntil: UInt64 = 0
        /// Whether there was a transfer since the thread last waited without end.
        var wasUsed = false
        /// Whether the thread is gone.
        private var hasEnded = false
        let redirectRules: RedirectRules

        private static let globalResult = ccurl_global_init()
        /// Whether libcurl could be set up for this process.
        static var isReady: Bool { globalResult == 0 }

        /// `nil` when the process has no descriptors or memory left.
        init?(loop: CurlLoop) {
            guard Self.isReady, let epoll = EpollSet(), let multi = ccurl_multi_init() else { return nil }
            self.loop = loop
            self.epoll = epoll
            self.multi = multi
            cookies = loop.configuration.storesCookies ? CookieShare() : nil
            gate = OriginGate(limit: loop.configuration.maximumConnectionsPerHost)
            redirectRules = RedirectRules(loop.configuration)
            let context = Unmanaged.passUnretained(self).toOpaque()
            ccurl_multi_set_pointer(multi, CInt(CCURLMOPT_SOCKETDATA), context)
            ccurl_multi_set_pointer(multi, CInt(CCURLMOPT_TIMERDATA), context)
            ccurl_multi_set_socket_callback(multi) { _, socket, what, context, known in
                guard let context else { return 0 }
                Unmanaged<CurlEngine>.fromOpaque(context).takeUnretainedValue().watch(socket, what, isKnown: known != nil)
                return 0
            }
            ccurl_multi_set_timer_callback(multi) { _, milliseconds, context in
                guard let context else { return 0 }
                Unmanaged<CurlEngine>.fromOpaque(context).takeUnretainedValue().setTimer(milliseconds)
                return 0
            }
            ccurl_multi_set_long(multi, CInt(CCURLMOPT_MAXCONNECTS), CLong(loop.configuration.maximumIdleConnections))
        }

        deinit {
            spares.removeAll()
            ccurl_multi_cleanup(multi)
        }

        /// A handle that goes this session manager's way; `nil` without memory.
        func makeHandle(_ trust: CurlTrust) -> EasyHandle? {
            guard let easy = EasyHandle(trust), easy.setRoute(loop.configuration, cookies: cookies) else { return nil }
            easy.multiplexedPorts = multiplexedPorts
            return easy
        }

        /// - Returns: Whether the process has a thread for it.
        func startThread() -> Bool {
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
                for command in commands {
                    switch command {
                    case .start(let transfer): start(transfer)
                    case .cancel(let transfer): cancel(transfer)
                    }
                }
                work()
                if transfers == 0, loop.mayEnd() {
                    hasEnded = true
                    return turn.release()
                }
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
        func startHere(_ transfer: CurlTransfer) -> Bool {
            guard turn.tryToTake() else { return false }
            defer { turn.release() }
            guard !hasEnded, transfers == 0 else { return false }
            BrokenPipe.ignoring {
                now = monotonicNanoseconds()
                start(transfer)
                work()
            }
            if min(curlDeadline, deadlines.first?.deadline ?? .max) < waitsUntil { epoll.wake() }
            return true
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
        }

        private func waitMilliseconds() -> CInt {
            let next = min(curlDeadline, deadlines.first?.deadline ?? .max)
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

        private func watch(_ socket: CInt, _ what: CInt, isKnown: Bool) {
            epoll.watch(socket, what: what, isKnown: isKnown)
            if !isKnown, what != CInt(CCURL_POLL_REMOVE) {
                ccurl_multi_assign(multi, socket, Unmanaged.passUnretained(self).toOpaque())
            }
        }

        private func setTimer(_ milliseconds: CLong) {
            curlDeadline = milliseconds < 0 ? .max : now &+ UInt64(milliseconds) * 1_000_000
        }
    }
#endif
