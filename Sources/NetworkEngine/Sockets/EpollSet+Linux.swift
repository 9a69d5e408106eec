#if os(Linux)
    import NetworkTransport
    import COpenSSL
    import NetworkSupport

    /// What owns a socket of an ``EpollSet`` and handles its events. Used only while the lock of the event loop is held.
    protocol SocketOwner: AnyObject {
        var descriptor: CInt { get }
        /// Whether the loop's thread is notified of events of the socket. Changed only by the set.
        var isWatched: Bool { get set }
        /// Whether the owner is in the list of those that continue in the next round of the loop.
        var isReady: Bool { get set }
        /// Whether the loop's thread has to watch the socket when a caller's thread has ended its work on it.
        var needsWatching: Bool { get }

        /// Handles what the socket is ready for, or continues what was suspended if it is ready for nothing new.
        func socketIsReady(_ readiness: EpollSet.Readiness)
    }

    extension SocketOwner {
        /// Whether a read would not block: there are bytes, an end or an error.
        var isReadable: Bool {
            var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            return poll(&state, 1, 0) > 0
        }

        /// What the socket is ready for at the moment; `nil` if a write would block.
        var readinessToWrite: EpollSet.Readiness? {
            var state = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            guard poll(&state, 1, 0) > 0 else { return nil }
            return EpollSet.Readiness(events: UInt32(UInt16(bitPattern: state.revents)))
        }
    }

    /// The sockets that an event loop waits for, and the event that wakes its thread.
    ///
    /// A socket is watched for its ``SocketOwner``, an attempt to connect or a connection, while it is open. It is registered once, edge-triggered: no
    /// system call is needed per request.
    ///
    /// While the thread receives events, a caller's thread may close a socket and open another one with the same number. Each
    /// event names the registration that it belongs to, and events of an earlier registration are dropped.
    ///
    /// The loop's thread waits; the set is changed only while the lock of the loop is held. `wakeDescriptor` is written to while
    /// that lock or the lock of the inbox is held.
    final class EpollSet {
        private struct Socket {
            /// Whether the socket is registered.
            var isRegistered = false
            /// How often the descriptor number was registered so far.
            var registrations: UInt32 = 0
            /// The attempt to connect or the connection that owns the socket.
            var owner: (any SocketOwner)?
        }

        let wakeDescriptor: CInt
        /// The options of new sockets; `nil` for the defaults.
        var options: SocketOptions?
        private let descriptor: CInt
        @exclusivity(unchecked) private var events = [epoll_event](repeating: epoll_event(), count: 256)
        /// Whether all events were handled that had occurred when the loop's thread last waited. Cleared before each wait, and by a caller's thread,
        /// which does not wait. Used only while the lock of the loop is held.
        var areAllEventsHandled = false
        /// The state of each socket, indexed by its descriptor.
        @exclusivity(unchecked) private var sockets: [Socket] = []

        /// Creates a set; `nil` if the process has no descriptors left.
        init?() {
            descriptor = epoll_create1(CInt(EPOLL_CLOEXEC))
            guard descriptor >= 0 else { return nil }
            wakeDescriptor = eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK))
            // All properties are set, so that `deinit` follows.
            guard wakeDescriptor >= 0 else { return nil }
            control(EPOLL_CTL_ADD, wakeDescriptor, LINUX_EPOLLIN)
        }

        deinit {
            NetworkSupport.close(wakeDescriptor)
            NetworkSupport.close(descriptor)
        }

        // MARK: For connections

        /// Opens a stream socket that does not block. Child processes do not inherit it.
        ///
        /// - Parameter family: The address family, such as `AF_INET`.
        /// - Returns: -1 if the socket could not be opened; `errno` contains the reason.
        func open(family: CInt) -> CInt {
            let socket = NetworkSupport.socket(family, LINUX_SOCK_STREAM | LINUX_SOCK_CLOEXEC | LINUX_SOCK_NONBLOCK, 0)
            if socket >= 0, family != AF_UNIX {
                // A request is sent at once, not when the last packet was acknowledged.
                var isOn: CInt = 1
                setsockopt(socket, CInt(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<CInt>.size))
            }
            return socket
        }

        /// Opens a datagram socket that does not block, for QUIC. Child processes do not inherit it.
        ///
        /// - Returns: -1 if the socket could not be opened; `errno` contains the reason.
        func openForDatagrams(family: CInt) -> CInt {
            let socket = NetworkSupport.socket(family, LINUX_SOCK_DGRAM | LINUX_SOCK_CLOEXEC | LINUX_SOCK_NONBLOCK, 0)
            // What arrives while the loop does other things should not be lost.
            var bytes: CInt = 1 << 20
            if socket >= 0 { setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &bytes, socklen_t(MemoryLayout<CInt>.size)) }
            return socket
        }

        /// Assigns a socket to its first owner. It is not watched yet.
        func adopt(_ owner: any SocketOwner) {
            update(owner.descriptor) { $0.owner = owner }
        }

        /// Assigns a socket to another owner, which continues with what the former one has learned of its readiness.
        func hand(_ former: any SocketOwner, to owner: any SocketOwner) {
            owner.isWatched = former.isWatched
            former.isWatched = false
            update(owner.descriptor) { $0.owner = owner }
        }

        /// Starts or stops watching the socket of an owner. Readiness that occurs meanwhile is reported when it is watched again.
        func watch(_ owner: any SocketOwner, _ isWatched: Bool) {
            owner.isWatched = isWatched
            let socket = owner.descriptor
            update(socket) { register(isWatched, socket, &$0) }
        }

        /// Closes the socket of an owner. Does nothing if that was done before, or if the socket belongs to another owner.
        func release(_ owner: any SocketOwner) {
            let socket = owner.descriptor
            update(socket) { state in
                guard state.owner === owner else { return }
                state.owner = nil
                // The kernel removes a closed socket from the set. While a child process has a copy of the descriptor, before `exec`, it does not:
                // the events of such a registration are dropped.
                state.isRegistered = false
                NetworkSupport.close(socket)
            }
        }

        // MARK: For the loop

        /// Ends the current wait, or the next one as soon as it begins.
        func wake() {
            var one: UInt64 = 1
            _ = write(wakeDescriptor, &one, 8)
        }

        /// Waits for events on the watched sockets. Called by the loop's thread only, also while the lock of the loop is not held: this changes only `events`.
        ///
        /// - Parameter milliseconds: The time limit; -1 for none.
        /// - Returns: The number of events for ``forEach(_:_:)``; negative if the wait was interrupted.
        func wait(milliseconds: CInt) -> Int {
            Int(epoll_wait(descriptor, &events, CInt(events.count), milliseconds))
        }

        /// The operations that a socket is ready for.
        struct Readiness {
            var mayRead = false
            var mayWrite = false
            /// Whether the peer has closed the connection or it has failed, so that reading will reach an end.
            var hasEnded = false
        }

        /// Calls `body` with the owner and the readiness of each of the first `count` events, except for the wake event, which is reset here, and
        /// those of sockets that were closed meanwhile.
        func forEach(_ count: Int, _ body: (any SocketOwner, Readiness) -> Void) {
            // A wait that was interrupted, or for which there was no room, may have left events.
            defer { areAllEventsHandled = count >= 0 && count < events.count }
            for index in 0..<max(count, 0) {
                let event = events[index]
                let socket = CInt(truncatingIfNeeded: event.data.u64)
                if socket == wakeDescriptor {
                    var value: UInt64 = 0
                    _ = read(wakeDescriptor, &value, 8)
                    continue
                }
                // The socket was closed meanwhile, and its number may denote another one.
                let registration = UInt32(truncatingIfNeeded: event.data.u64 >> 32)
                guard sockets[Int(socket)].registrations == registration, sockets[Int(socket)].isRegistered,
                    let owner = sockets[Int(socket)].owner
                else { continue }
                body(owner, Readiness(events: event.events))
            }
        }

        private func update(_ socket: CInt, _ change: (inout Socket) -> Void) {
            let index = Int(socket)
            guard index >= 0 else { return }
            while sockets.count <= index { sockets.append(Socket()) }
            change(&sockets[index])
        }

        private func register(_ isRegistered: Bool, _ socket: CInt, _ state: inout Socket) {
            if isRegistered, !state.isRegistered { state.registrations &+= 1 }
            let operation = !isRegistered ? EPOLL_CTL_DEL : state.isRegistered ? EPOLL_CTL_MOD : EPOLL_CTL_ADD
            let interest = LINUX_EPOLLIN | LINUX_EPOLLOUT | LINUX_EPOLLRDHUP | LINUX_EPOLLET
            control(operation, socket, isRegistered ? interest : 0, registration: state.registrations)
            state.isRegistered = isRegistered
        }

        private func control(_ operation: CInt, _ socket: CInt, _ interest: UInt32, registration: UInt32 = 0) {
            let data = UInt64(registration) << 32 | UInt64(UInt32(bitPattern: socket))
            var event = epoll_event(events: interest, data: epoll_data_t(u64: data))
            _ = epoll_ctl(descriptor, operation, socket, &event)
        }
    }

    extension EpollSet.Readiness {
        /// - Parameter events: What the system has reported (epoll_ctl(2)); those of poll(2) have the same numbers.
        init(events: UInt32) {
            let isBroken = events & (LINUX_EPOLLERR | LINUX_EPOLLHUP) != 0
            hasEnded = events & LINUX_EPOLLRDHUP != 0 || isBroken
            mayRead = events & LINUX_EPOLLIN != 0 || hasEnded
            mayWrite = events & LINUX_EPOLLOUT != 0 || isBroken
        }
    }
#endif
