#if os(Linux)
    import CCurl

    /// A libcurl multi handle, driven by the engine's event loop. Confined to the holder of the engine's turn.
    final class CurlMulti {
        let pointer: UnsafeMutableRawPointer
        /// When libcurl wants to be called without an event.
        private(set) var deadline = UInt64.max
        private let sockets: EpollSet
        private var isClosed = false

        /// `nil` when the process has no descriptors or memory left.
        init?(_ sockets: EpollSet) {
            guard let pointer = ChildProcesses.keep(ccurl_multi_init, wakeUp: ccurl_multi_wake) else { return nil }
            self.pointer = pointer
            self.sockets = sockets
            // Versions without a pool of threads for lookups do not know them. Twenty lookups that hang would delay all others.
            set(CCURLMOPT_RESOLVE_THREADS_MAX, 256)
            set(CCURLMOPT_QUICK_EXIT, 1)
            let context = Unmanaged.passUnretained(self).toOpaque()
            ccurl_multi_set_pointer(pointer, CInt(CCURLMOPT_SOCKETDATA), context)
            ccurl_multi_set_pointer(pointer, CInt(CCURLMOPT_TIMERDATA), context)
            ccurl_multi_set_socket_callback(pointer) { _, socket, what, context, _ in
                guard let context else { return 0 }
                let multi = Unmanaged<CurlMulti>.fromOpaque(context).takeUnretainedValue()
                multi.sockets.watch(socket, what: what, for: multi)
                return 0
            }
            ccurl_multi_set_timer_callback(pointer) { _, milliseconds, context in
                guard let context else { return 0 }
                Unmanaged<CurlMulti>.fromOpaque(context).takeUnretainedValue().setTimer(milliseconds)
                return 0
            }
        }

        deinit {
            close()
        }

        /// Closes its connections. Its handles have to be gone before.
        func close() {
            if !isClosed { ccurl_multi_cleanup(pointer) }
            isClosed = true
        }

        func set<Option: BinaryInteger>(_ option: Option, _ value: Int) {
            ccurl_multi_set_long(pointer, CInt(option), CLong(value))
        }

        /// Lets libcurl deal with what a socket is ready for.
        func act(_ socket: CInt, _ events: CInt) {
            var running: CInt = 0
            ccurl_multi_socket_action(pointer, socket, events, &running)
        }

        /// Lets libcurl do what is due.
        func runTimers() {
            deadline = .max
            act(CInt(CCURL_SOCKET_TIMEOUT), 0)
        }

        /// The next handle that is done, and its result code.
        func nextDone() -> (handle: UnsafeMutableRawPointer, code: CInt)? {
            var pointer: UnsafeMutableRawPointer?
            var code: CInt = 0
            while ccurl_multi_next_done(self.pointer, &pointer, &code) != 0 {
                var context: UnsafeMutableRawPointer?
                guard let pointer, ccurl_easy_get_pointer(pointer, CInt(CCURLINFO_PRIVATE), &context) == 0, let context else {
                    continue
                }
                return (context, code)
            }
            return nil
        }

        private func setTimer(_ milliseconds: CLong) {
            // 0 means at once, also for an engine whose clock was read a moment ago.
            switch milliseconds {
            case ..<0: deadline = .max
            case 0: deadline = 0
            default: deadline = monotonicNanoseconds() &+ UInt64(milliseconds) * 1_000_000
            }
        }
    }
#endif
