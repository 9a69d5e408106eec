#if os(Linux)
    import CCurl
    import Glibc

    /// The sockets libcurl wants to hear about, and the event that wakes the loop.
    ///
    /// Confined to the loop's thread, except for `wakeDescriptor`, which others write to under the loop's lock.
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

        /// Waits for events and hands each to `body`, except for the wake event, which is taken back here.
        ///
        /// - Parameter milliseconds: -1 waits for ever.
        func wait(milliseconds: CInt, _ body: (_ socket: CInt, _ curlEvents: CInt) -> Void) {
            let count = epoll_wait(descriptor, &events, CInt(events.count), milliseconds)
            guard count > 0 else { return }
            for index in 0..<Int(count) {
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
