#if os(Linux)
    import CCurl
    import Endpoints
    import Foundation
    import Glibc

    /// The event loop: one libcurl multi handle, one epoll set, one thread.
    ///
    /// Made by whoever sends the first transfer, then used by its own thread alone. Each round takes the inbox, lets libcurl work on
    /// the sockets that are ready, answers what has ended, and ends what is late.
    final class CurlEngine {
        private let loop: CurlLoop
        private let epoll: EpollSet
        private let multi: UnsafeMutableRawPointer
        private var now: UInt64 = 0
        /// When libcurl wants to be called without an event.
        private var curlDeadline = UInt64.max
        private var gate: OriginGate<CurlTransfer>
        private var deadlines = DeadlineHeap<CurlTransfer>()
        private var spares: [EasyHandle] = []
        /// Started and not ended.
        private var transfers = 0
        private let redirectRules: RedirectRules

        private static let globalResult = ccurl_global_init()
        private static let maximumSpares = 256

        var wakeDescriptor: CInt { epoll.wakeDescriptor }

        /// `nil` when the process has no descriptors or memory left.
        init?(loop: CurlLoop) {
            guard Self.globalResult == 0, let epoll = EpollSet(), let multi = ccurl_multi_init() else { return nil }
            self.loop = loop
            self.epoll = epoll
            self.multi = multi
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
            // OpenSSL writes with write(2): without this, a peer that hangs up kills the process.
            var signals = sigset_t()
            sigemptyset(&signals)
            sigaddset(&signals, SIGPIPE)
            pthread_sigmask(SIG_BLOCK, &signals, nil)

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
                if transfers == 0, loop.mayEnd() { return }
                epoll.wait(milliseconds: commands.isEmpty ? waitMilliseconds() : 0) { socket, events in
                    act(socket, events)
                }
                loop.wokeUp()
                now = monotonicNanoseconds()
                work()
            }
        }

        /// Lets libcurl's timers run and deals with what has ended, until nothing is due.
        private func work() {
            finishDone()
            endLate()
            while curlDeadline <= now {
                curlDeadline = .max
                act(CInt(CCURL_SOCKET_TIMEOUT), 0)
                finishDone()
                endLate()
            }
        }

        private func waitMilliseconds() -> CInt {
            let next = min(curlDeadline, deadlines.first?.deadline ?? .max)
            if next == .max { return -1 }
            let current = monotonicNanoseconds()
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

    // MARK: - From start to end

    extension CurlEngine {
        private func start(_ transfer: CurlTransfer) {
            // A cancellation may have come first, even before there was a loop to tell.
            guard !transfer.isEnded, !transfer.isAnswered else { return }
            transfers += 1
            let timeouts = transfer.request.timeouts
            if let total = timeouts.total ?? loop.configuration.totalTimeout {
                transfer.totalDeadline = transfer.submitted &+ total.boundedNanoseconds
            }
            transfer.idleNanoseconds = (timeouts.idle ?? loop.configuration.idleTimeout).boundedNanoseconds
            enter(transfer)
        }

        /// Begins a hop, or makes it wait for a connection.
        private func enter(_ transfer: CurlTransfer) {
            transfer.ticket = gate.enter(transfer.origin, transfer)
            guard transfer.ticket == nil else { return schedule(transfer, at: transfer.totalDeadline) }
            launch(transfer)
        }

        /// Hands a hop that the gate let in to libcurl.
        private func launch(_ transfer: CurlTransfer) {
            transfer.isInside = true
            transfer.ticket = nil
            let connectTimeout = transfer.request.timeouts.connect ?? loop.configuration.connectTimeout
            guard let easy = spares.popLast() ?? EasyHandle(),
                easy.configure(
                    transfer.request, connectTimeout: connectTimeout, userAgent: loop.configuration.userAgent)
            else {
                return end(
                    transfer,
                    .failure(TransportError(.outOfResources, "no memory for the transfer", request: transfer.request)))
            }
            easy.transfer = transfer
            transfer.easy = easy
            transfer.launched = now
            transfer.lastActivity = now
            transfer.firstByte = 0
            transfer.bodyOffset = 0
            let result = ccurl_multi_add(multi, easy.pointer)
            guard result == 0 else {
                let reason = String(cString: ccurl_multi_strerror(result))
                return end(transfer, .failure(TransportError(.other, reason, request: transfer.request, engineCode: Int(result))))
            }
            schedule(transfer, at: min(transfer.totalDeadline, now &+ transfer.idleNanoseconds))
        }

        private func cancel(_ transfer: CurlTransfer) {
            // It may never have been started, or have ended meanwhile.
            guard transfer.isInside || transfer.ticket != nil else {
                transfer.isEnded = true
                return
            }
            end(transfer, nil)
        }

        private func finishDone() {
            var pointer: UnsafeMutableRawPointer?
            var code: CInt = 0
            while ccurl_multi_next_done(multi, &pointer, &code) != 0 {
                var context: UnsafeMutableRawPointer?
                guard let pointer, ccurl_easy_get_pointer(pointer, CInt(CCURLINFO_PRIVATE), &context) == 0, let context else {
                    continue
                }
                let easy = Unmanaged<EasyHandle>.fromOpaque(context).takeUnretainedValue()
                if let transfer = easy.transfer { finish(transfer, easy, code) }
            }
        }

        private func finish(_ transfer: CurlTransfer, _ easy: EasyHandle, _ code: CInt) {
            if let failure = transfer.failure { return end(transfer, .failure(failure)) }
            guard code == CInt(CCURLE_OK) else { return end(transfer, .failure(easy.error(code, transfer: transfer))) }
            guard transfer.head.isComplete else {
                // libcurl takes a connection closed inside the head for the end of an empty body.
                return end(
                    transfer,
                    .failure(
                        TransportError(
                            .connectionLost, "the connection was closed inside the response head", phase: .receive,
                            request: transfer.request)))
            }
            let status = easy.statusCode
            if RedirectRules.isRedirect(status), loop.configuration.maximumRedirects > 0 {
                do throws(TransportError) {
                    let next = try redirectRules.next(
                        after: transfer.request, status: status, location: transfer.head.headers["Location"],
                        followed: transfer.redirects)
                    if let next { return follow(next, transfer) }
                } catch {
                    return end(transfer, .failure(error))
                }
            }
            end(transfer, .success(easy.response(status: status, transfer: transfer)))
        }

        private func follow(_ next: NetworkRequest, _ transfer: CurlTransfer) {
            leave(transfer)
            transfer.redirects += 1
            transfer.request = next
            transfer.origin = URLText(next.url).origin
            transfer.head.reset()
            transfer.body = Data()
            enter(transfer)
        }

        /// Takes a transfer out of everything and answers it.
        ///
        /// - Parameter outcome: `nil` when it has been answered already.
        private func end(_ transfer: CurlTransfer, _ outcome: CurlTransfer.Outcome?) {
            leave(transfer)
            transfers -= 1
            transfer.isEnded = true
            if let outcome { transfer.end(outcome) }
        }

        /// Takes the current hop out of libcurl, the heap and the gate. An unfinished one has its socket closed.
        private func leave(_ transfer: CurlTransfer) {
            deadlines.remove(transfer)
            if let easy = transfer.easy {
                ccurl_multi_remove(multi, easy.pointer)
                easy.transfer = nil
                transfer.easy = nil
                if spares.count < Self.maximumSpares { spares.append(easy) }
            }
            if let ticket = transfer.ticket {
                gate.stopWaiting(transfer.origin, ticket: ticket)
                transfer.ticket = nil
            }
            if transfer.isInside {
                transfer.isInside = false
                if let next = gate.leave(transfer.origin) {
                    deadlines.remove(next)
                    launch(next)
                }
            }
        }
    }

    // MARK: - Deadlines

    extension CurlEngine {
        private func schedule(_ transfer: CurlTransfer, at deadline: UInt64) {
            deadlines.remove(transfer)
            guard deadline != .max else { return }
            transfer.deadline = deadline
            deadlines.insert(transfer)
        }

        private func endLate() {
            while let transfer = deadlines.first, transfer.deadline <= now {
                if transfer.totalDeadline <= now {
                    let phase = transfer.easy?.phase(of: transfer.request) ?? .queued
                    end(transfer, .failure(lateness(transfer, phase, "the total timeout ran out")))
                    continue
                }
                let idleDeadline = lastActivity(of: transfer) &+ transfer.idleNanoseconds
                if idleDeadline <= now {
                    let phase = transfer.easy?.phase(of: transfer.request)
                    end(transfer, .failure(lateness(transfer, phase, "no byte moved for the idle timeout")))
                } else {
                    schedule(transfer, at: min(transfer.totalDeadline, idleDeadline))
                }
            }
        }

        /// The clock stands still until the connection is ready: the connect timeout watches over that.
        private func lastActivity(of transfer: CurlTransfer) -> UInt64 {
            guard let easy = transfer.easy else { return now }
            let ready = easy.microseconds(CCURLINFO_PRETRANSFER_TIME_T)
            if ready == 0 { return now }
            // What libcurl sends from its own copy moves no callback of ours.
            let uploaded = easy.offset(CCURLINFO_SIZE_UPLOAD_T)
            if uploaded != transfer.uploadedAtLastCheck {
                transfer.uploadedAtLastCheck = uploaded
                if uploaded < Int64(transfer.request.body?.count ?? 0) { return now }
            }
            return max(transfer.lastActivity, transfer.launched &+ UInt64(ready) * 1000)
        }

        private func lateness(_ transfer: CurlTransfer, _ phase: TransportError.Phase?, _ what: String) -> TransportError {
            let milliseconds = (now - min(now, transfer.submitted)) / 1_000_000
            return TransportError(
                .timedOut, "\(what), \(milliseconds) ms after the call", phase: phase, request: transfer.request)
        }
    }
#endif
