#if os(Linux)
    import NetworkTransport
    import NetworkLogging
    import CCurl
    import NetworkSupport
    import Synchronization

    /// Ends the connections of a peer that keeps an event loop inside of one call of libcurl or its TLS library.
    ///
    /// The time limits of transfers live on the loop, so that none of them can end a call that does not return: one that goes on as long as
    /// the peer sends what carries no data. The loop only counts its calls; ``LoopGuards`` examines the count from a thread apart. A connection
    /// is ended if the same call has used 250 ms of processor time, and if it has consumed bytes of the socket meanwhile. So neither a thread
    /// that does not run, nor a slow closure of the caller's on the loop, nor a call that is slow by itself has that effect.
    final class LoopGuard: Sendable {
        /// Why a transfer has failed whose connection was ended.
        static let reason =
            "the peer kept the event loop busy with input that carries no data, so that the connection was ended after 250 ms"

        private struct Sockets {
            var open: Set<CInt> = []
            /// Those that were ended and are not closed yet.
            var ended: Set<CInt> = []
            /// The local ports of the last 64 that were ended.
            var ports: [Int] = []
            /// What was consumed of each when the call was measured.
            var before: [CInt: SocketInput] = [:]
        }

        private let loop: Int
        /// Odd while a call is in progress.
        private let calls = Atomic<UInt64>(0)
        /// The processor clock of the thread that has made the last call.
        private let clock = Atomic<CInt>(0)
        private let sockets = Locked(Sockets())
        private let watch = Locked(CallWatch())
        #if DEBUG
            /// Odd while a job of a task runs on the loop.
            private let jobs = Atomic<UInt64>(0)
            private let jobWatch = Locked(JobWatch())
        #endif

        init(loop: Int) {
            self.loop = loop
        }

        // MARK: For the holder of the loop's lock

        /// Makes a call that reads from sockets.
        @inline(__always)
        func call<Result>(_ body: () -> Result) -> Result {
            var own = clockid_t()
            pthread_getcpuclockid(pthread_self(), &own)
            clock.store(CInt(own), ordering: .relaxed)
            calls.wrappingAdd(1, ordering: .sequentiallyConsistent)
            LoopGuards.shared.wakeIfAsleep()
            defer { calls.wrappingAdd(1, ordering: .releasing) }
            return body()
        }

        /// Records that the call in progress has delivered something to a transfer. Its time is counted anew.
        func noteDelivery() {
            calls.wrappingAdd(2, ordering: .relaxed)
        }

        /// Adds a socket that was opened.
        func add(_ socket: CInt) {
            sockets.withLock { _ = $0.open.insert(socket) }
        }

        /// Removes a socket that is about to be closed. Afterwards its number may belong to another one.
        func remove(_ socket: CInt) {
            sockets.withLock { sockets in
                sockets.open.remove(socket)
                sockets.ended.remove(socket)
                sockets.before[socket] = nil
            }
        }

        /// Whether an open socket was ended.
        func hasEnded(_ socket: CInt) -> Bool { sockets.withLock { $0.ended.contains(socket) } }

        /// Whether a socket with this local port was ended; its connection may be closed.
        func hasEnded(localPort: Int) -> Bool { sockets.withLock { localPort > 0 && $0.ports.contains(localPort) } }

        // MARK: For the guard's thread

        /// Examines the call in progress, if there is one.
        ///
        /// - Returns: Whether the loop has made calls since the last time.
        func examine() -> Bool {
            let call = calls.load(ordering: .sequentiallyConsistent)
            let (step, isNew) = watch.withLock { watch in
                let isNew = watch.call != call
                return (watch.step(call, processorTime: processorTime), isNew)
            }
            switch step {
            case .wait: break
            case .measure:
                sockets.withLock { sockets in
                    sockets.before = sockets.open.reduce(into: [:]) { $0[$1] = SocketInput(of: $1) }
                }
            case .judge:
                sockets.withLock { sockets in
                    // A socket that is in the set is open, and remains so while the lock is held.
                    for socket in sockets.open where !sockets.ended.contains(socket) {
                        guard let before = sockets.before[socket], SocketInput(of: socket).isFlood(since: before),
                            calls.load(ordering: .sequentiallyConsistent) == call
                        else { continue }
                        let port = Self.end(socket)
                        sockets.ended.insert(socket)
                        if sockets.ports.count == 64 { sockets.ports.removeFirst() }
                        sockets.ports.append(port)
                    }
                    sockets.before = [:]
                }
            }
            #if DEBUG
                examineJob()
                if jobs.load(ordering: .relaxed) & 1 == 1 { return true }
            #endif
            return isNew || call & 1 == 1
        }

        /// The processor time of the thread that has made the last call, in nanoseconds; `nil` if the thread has ended.
        private func processorTime() -> UInt64? {
            var time = timespec()
            guard clock_gettime(clockid_t(clock.load(ordering: .relaxed)), &time) == 0 else { return nil }
            return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
        }

        /// Ends a connection: what was received and not read is dropped, so that the next read fails.
        ///
        /// - Returns: Its local port; 0 if it has none.
        private static func end(_ socket: CInt) -> Int {
            var address = sockaddr_in()
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            // The port is at the same place for both families.
            let hasPort = withUnsafeMutablePointer(to: &address) { address in
                address.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &size) == 0 }
                    && [sa_family_t(AF_INET), sa_family_t(AF_INET6)].contains(address.pointee.sin_family)
            }
            // An unspecified address dissolves the association of a TCP socket (connect(2)); `shutdown` alone would leave what was received.
            var none = sockaddr(sa_family: sa_family_t(AF_UNSPEC), sa_data: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
            _ = connect(socket, &none, socklen_t(MemoryLayout<sockaddr>.size))
            _ = shutdown(socket, CInt(SHUT_RDWR))
            return hasPort ? Int(UInt16(bigEndian: address.sin_port)) : 0
        }
    }

    /// What of one call has been seen so far. A value without I/O.
    struct CallWatch {
        enum Step: Equatable {
            /// Nothing is to be done.
            case wait
            /// It is slow: record what each socket has delivered so far.
            case measure
            /// It is late: end the sockets that have delivered more since.
            case judge
        }

        /// The processor time of one call that is too long, in nanoseconds, and that from which on its sockets are compared.
        static let limit: UInt64 = 250_000_000
        private static let beginning: UInt64 = 100_000_000

        private(set) var call: UInt64 = 0
        private var begun: UInt64?
        private var isMeasured = false

        /// Examines the number of the call in progress, which is odd, or of the last one.
        mutating func step(_ call: UInt64, processorTime: () -> UInt64?) -> Step {
            guard call & 1 == 1, call == self.call, let begun else {
                self.call = call
                begun = call & 1 == 1 ? processorTime() : nil
                isMeasured = false
                return .wait
            }
            guard let time = processorTime(), time >= begun else { return .wait }
            if isMeasured, time - begun >= Self.limit {
                // What follows is compared anew.
                self.begun = time
                isMeasured = false
                return .judge
            }
            guard !isMeasured, time - begun >= Self.beginning else { return .wait }
            isMeasured = true
            return .measure
        }
    }

    /// What a process has received and read from a socket.
    struct SocketInput {
        /// The number of bytes that were read; `nil` if the system does not count them, as for Unix domain sockets.
        private let consumed: UInt64?
        /// The number of bytes that can be read.
        private let unread: CInt

        /// How many bytes a late call must have read so that its peer is the reason.
        private static let flood: UInt64 = 16 << 10

        init(of socket: CInt) {
            var unread: CInt = 0
            _ = ioctl(socket, UInt(FIONREAD), &unread)
            self.unread = unread
            // `tcpi_bytes_received` of `tcp_info`, since Linux 4.1.
            var information = [UInt64](repeating: 0, count: 32)
            var size = socklen_t(information.count * 8)
            let isKnown = getsockopt(socket, CInt(IPPROTO_TCP), TCP_INFO, &information, &size) == 0 && size >= 136
            consumed = isKnown ? information[16] - min(UInt64(max(unread, 0)), information[16]) : nil
        }

        func isFlood(since before: SocketInput) -> Bool {
            guard let consumed, let earlier = before.consumed else { return unread > 0 && before.unread > 0 }
            return consumed >= earlier + Self.flood
        }
    }

    #if DEBUG
        // Jobs of tasks that block the loop. They are found in debug builds only.
        extension LoopGuard {
            /// How long a job may take before it is reported.
            static let jobLimit: UInt64 = 100_000_000

            fileprivate struct JobWatch {
                var job: UInt64 = 0
                var since: UInt64 = 0
                var hasReported = false
            }

            /// Whether a job was reported.
            var hasReported: Bool { jobWatch.withLock(\.hasReported) }

            /// Called before a job runs.
            func beginJob() {
                jobs.wrappingAdd(1, ordering: .sequentiallyConsistent)
                LoopGuards.shared.wakeIfAsleep()
            }

            /// Called after a job has run.
            func endJob() {
                jobs.wrappingAdd(1, ordering: .relaxed)
            }

            /// Reports a job that has run for too long, on standard error.
            fileprivate func examineJob() {
                let job = jobs.load(ordering: .sequentiallyConsistent)
                let isFirst = jobWatch.withLock { watch in
                    let now = monotonicNanoseconds()
                    guard job & 1 == 1, job == watch.job else {
                        (watch.job, watch.since) = (job, now)
                        return false
                    }
                    guard now - watch.since >= Self.jobLimit, !watch.hasReported else { return false }
                    watch.hasReported = true
                    return true
                }
                guard isFirst else { return }
                StandardError.write(
                    "A task blocked event loop \(loop) of a session manager for 100 ms or longer, so that all requests of this loop waited. "
                        + "Move blocking work out of session.run and session.executor. This is reported once, in debug builds only.\n"
                )
            }
        }
    #endif
#endif
