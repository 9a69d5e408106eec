#if os(Linux)
    import NetworkTransport
    import CCurl
    import Foundation
    import NetworkSupport

    /// A libcurl multi handle, driven by an event loop. Used only while the lock of the loop is held.
    final class CurlMulti: SocketLibrary {
        let pointer: UnsafeMutableRawPointer
        /// The time at which libcurl has to be called even without an event, in nanoseconds of the monotonic clock.
        private(set) var deadline = UInt64.max
        private let sockets: EpollSet
        private var isClosed = false

        /// Creates a multi handle; `nil` if the process has no descriptors or memory left.
        init?(_ sockets: EpollSet) {
            guard let pointer = ChildProcesses.keep(ccurl_multi_init, wakeUp: ccurl_multi_wake) else { return nil }
            self.pointer = pointer
            self.sockets = sockets
            // Versions without a thread pool for name lookups do not have these options. With the defaults, twenty hanging
            // lookups would delay all others.
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

        /// Closes all connections of the handle. Its easy handles must be removed before.
        func close() {
            if !isClosed { sockets.loopGuard.call { _ = ccurl_multi_cleanup(pointer) } }
            isClosed = true
        }

        func set<Option: BinaryInteger>(_ option: Option, _ value: Int) {
            ccurl_multi_set_long(pointer, CInt(option), CLong(value))
        }

        /// Makes libcurl process the events of a socket.
        func act(_ socket: CInt, _ events: CInt) {
            var running: CInt = 0
            sockets.loopGuard.call { _ = ccurl_multi_socket_action(pointer, socket, events, &running) }
        }

        /// Adds an easy handle, and returns libcurl's result code.
        func add(_ easy: EasyHandle) -> CInt { sockets.loopGuard.call { ccurl_multi_add(pointer, easy.pointer) } }

        /// Removes an easy handle.
        func remove(_ easy: EasyHandle) {
            sockets.loopGuard.call { _ = ccurl_multi_remove(pointer, easy.pointer) }
        }

        /// Makes libcurl continue an easy handle that was paused, and returns its result code.
        func resume(_ easy: EasyHandle) -> CInt {
            sockets.loopGuard.call { ccurl_easy_pause(easy.pointer, CInt(CCURLPAUSE_CONT)) }
        }

        /// Makes libcurl process its expired timers.
        func runTimers() {
            deadline = .max
            act(CInt(CCURL_SOCKET_TIMEOUT), 0)
        }

        /// Returns the private pointer and the result code of the next easy handle that has finished.
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
            // 0 means immediately, even for an engine that read its clock a moment ago.
            switch milliseconds {
            case ..<0: deadline = .max
            case 0: deadline = 0
            default: deadline = monotonicNanoseconds() &+ UInt64(milliseconds) * 1_000_000
            }
        }
    }
#endif
