#if os(Linux)
    import CCurl
    import Glibc

    /// The sockets libcurl wants to hear about, and the event that wakes the loop.
    ///
    /// The loop's thread waits; whoever has the engine's turn changes what it waits for. `wakeDescriptor` is written to under the
    /// loop's lock or by the holder of the turn.
    final class EpollSet {
        let wakeDescriptor: CInt
        private let descriptor: CInt
        private var events = [epoll_event](repeating: epoll_event(), count: 256)

        /// `nil` when the process has no descriptors left.
        init?() {
            descriptor = epoll_create1(CInt(EPOLL_CLOEXEC))
            guard descriptor >= 0 else { return nil }
            wakeDescriptor = eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK))
            guard wakeDescriptor >= 0 else {
                Glibc.close(descriptor)
                return nil
            }
            control(EPOLL_CTL_ADD, wakeDescriptor, EPOLLIN.rawValue)
        }

        deinit {
            Glibc.close(wakeDescriptor)
            Glibc.close(descriptor)
        }

        /// What libcurl's socket callback asks for.
        func watch(_ socket: CInt, what: CInt, isKnown: Bool) {
            if what == CInt(CCURL_POLL_REMOVE) {
                control(EPOLL_CTL_DEL, socket, 0)
                return
            }
            var interest: UInt32 = 0
            if what & CInt(CCURL_POLL_IN) != 0 { interest |= EPOLLIN.rawValue }
            if what & CInt(CCURL_POLL_OUT) != 0 { interest |= EPOLLOUT.rawValue }
            control(isKnown ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, socket, interest)
        }

        /// Makes a wait end, now or as soon as it begins.
        func wake() {
            var one: UInt64 = 1
            _ = write(wakeDescriptor, &one, 8)
        }

        /// - Parameter milliseconds: -1 waits for ever.
        /// - Returns: How many events there are for ``forEach(_:_:)``.
        func wait(milliseconds: CInt) -> Int {
            Int(max(epoll_wait(descriptor, &events, CInt(events.count), milliseconds), 0))
        }

        /// Hands the first events to `body`, except for the wake event, which is taken back here.
        func forEach(_ count: Int, _ body: (_ socket: CInt, _ curlEvents: CInt) -> Void) {
            for index in 0..<count {
                let event = events[index]
                if event.data.fd == wakeDescriptor {
                    var value: UInt64 = 0
                    _ = read(wakeDescriptor, &value, 8)
                    continue
                }
                var mask: CInt = 0
                if event.events & EPOLLIN.rawValue != 0 { mask |= CInt(CCURL_CSELECT_IN) }
                if event.events & EPOLLOUT.rawValue != 0 { mask |= CInt(CCURL_CSELECT_OUT) }
                if event.events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0 { mask |= CInt(CCURL_CSELECT_ERR) }
                body(event.data.fd, mask)
            }
        }

        private func control(_ operation: CInt, _ socket: CInt, _ interest: UInt32) {
            var event = epoll_event(events: interest, data: epoll_data_t(fd: socket))
            if epoll_ctl(descriptor, operation, socket, &event) != 0, operation == EPOLL_CTL_ADD, errno == EEXIST {
                _ = epoll_ctl(descriptor, EPOLL_CTL_MOD, socket, &event)
            }
        }
    }
#endif
