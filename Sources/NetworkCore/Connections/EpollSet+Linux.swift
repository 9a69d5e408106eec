#if os(Linux)
    import CCurl
    import Glibc

    /// The sockets that the engine waits for, and the event that wakes its thread.
    ///
    /// A socket is watched for libcurl while a connection is being made and for HTTP/2, or for an ``HTTP1Connection`` while it is open.
    /// Connections of ours are registered once, edge-triggered: no system call per request.
    ///
    /// libcurl's kept HTTP/2 connections are wanted again with the next request, and nothing comes in meanwhile: they stay in the
    /// kernel's set until something comes in after all, or they are closed. That goes only for sockets that are opened and closed here.
    /// The others, such as those of a name lookup, leave at once: libcurl closes them without a word, and a number used anew must not be
    /// taken for one that is in the set.
    ///
    /// While the thread receives events, a caller's thread may close a socket and open another of the same number. Each event names
    /// the registration that it belongs to, and those of an earlier one are dropped.
    ///
    /// The loop's thread waits; whoever has the engine's turn changes what it waits for. `wakeDescriptor` is written to under the
    /// loop's lock or by the holder of the turn.
    final class EpollSet {
        private struct Socket {
            /// What libcurl wants to hear; 0 for nothing.
            var wanted: UInt32 = 0
            /// What the kernel was asked for; 0 for nothing.
            var registered: UInt32 = 0
            /// How often the number was registered.
            var registrations: UInt32 = 0
            /// Whether it was opened here.
            var isOurs = false
            /// Whether it was opened for HTTP/2.
            var isForStreams = false
            /// Whether it stays open when libcurl closes it.
            var isTaken = false
            /// Whether nothing but libcurl's word is waited for to close it.
            var isLingering = false
            /// Which of libcurl's multi handles wants to hear of it.
            unowned(unsafe) var multi: CurlMulti?
            /// The connection that owns it.
            var connection: HTTP1Connection?
        }

        let wakeDescriptor: CInt
        /// Whether sockets of idle HTTP/2 connections stay registered. `false` while there is one transfer only: its caller often receives
        /// the response itself, and the thread would wake up for it.
        var keepsIdleSockets = false
        /// Sockets that wait to be closed by libcurl (``LibraryQuirks/closesRemovedConnections``).
        private(set) var lingering = 0
        /// Open sockets of HTTP/2 connections.
        private(set) var streamSockets = 0
        private let descriptor: CInt
        private var events = [epoll_event](repeating: epoll_event(), count: 256)
        /// By descriptor.
        private var sockets: [Socket] = []

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

        // MARK: For libcurl

        /// A socket for a connection; children of this process do not inherit it.
        ///
        /// - Returns: -1 when the process has no descriptors left.
        func open(family: CInt, kind: CInt, transport: CInt, isForStreams: Bool = false) -> CInt {
            let socket = Glibc.socket(family, kind | CInt(SOCK_CLOEXEC.rawValue), transport)
            guard socket >= 0 else { return socket }
            update(socket) { $0 = Socket(registrations: $0.registrations, isOurs: true, isForStreams: isForStreams) }
            if isForStreams { streamSockets += 1 }
            return socket
        }

        /// Closes a socket for libcurl, unless it was taken.
        func close(_ socket: CInt) -> CInt {
            var staysOpen = false
            update(socket) { state in
                staysOpen = !state.isOurs || (state.isTaken && !state.isLingering)
                // Its number is nothing to libcurl from now on.
                if state.isTaken { state.isOurs = false }
                state.isTaken = false
                if staysOpen { return }
                if state.isLingering { lingering -= 1 }
                if state.registered != 0 { control(EPOLL_CTL_DEL, socket, 0) }
                if state.isForStreams { streamSockets -= 1 }
                state = Socket(registrations: state.registrations)
            }
            return staysOpen ? 0 : Glibc.close(socket)
        }

        /// What libcurl's socket callback asks for.
        func watch(_ socket: CInt, what: CInt, for multi: CurlMulti?) {
            var interest: UInt32 = 0
            if what != CInt(CCURL_POLL_REMOVE) {
                if what & CInt(CCURL_POLL_IN) != 0 { interest |= EPOLLIN.rawValue }
                if what & CInt(CCURL_POLL_OUT) != 0 { interest |= EPOLLOUT.rawValue }
            }
            update(socket) { state in
                // Its connection belongs to somebody else already.
                guard state.connection == nil else { return }
                if interest != 0, !state.isOurs, state.registered == 0 { ChildProcesses.keepPair(of: socket) }
                state.wanted = interest
                state.multi = multi
                // The number of one that is not ours may have come to stand for another, which the kernel has yet to hear of.
                if interest == state.registered, state.isOurs || interest == 0 { return }
                if interest == 0, state.isOurs, keepsIdleSockets { return }
                register(interest, socket, &state)
            }
        }

        // MARK: For connections

        /// Keeps a socket open that libcurl is about to close.
        func take(_ socket: CInt) {
            update(socket) { $0.isTaken = true }
        }

        /// Tells a connection of its socket's events from now on.
        func adopt(_ connection: HTTP1Connection) {
            update(connection.descriptor) { state in
                state.wanted = 0
                state.connection = connection
            }
            watch(connection, true)
        }

        /// Starts or stops watching an open connection. What has become ready meanwhile is reported when it is watched again.
        func watch(_ connection: HTTP1Connection, _ isWatched: Bool) {
            connection.isWatched = isWatched
            update(connection.descriptor) { state in
                let interest = EPOLLIN.rawValue | EPOLLOUT.rawValue | EPOLLRDHUP.rawValue | EPOLLET.rawValue
                register(isWatched ? interest : 0, connection.descriptor, &state)
            }
        }

        /// Stops telling a connection of its socket's events.
        ///
        /// - Parameter closes: Whether to close it; else libcurl does.
        func release(_ connection: HTTP1Connection, closes: Bool) {
            let socket = connection.descriptor
            update(socket) { state in
                guard state.connection === connection else { return }
                state.connection = nil
                if state.registered != 0 { register(0, socket, &state) }
                guard closes else { return }
                if state.isTaken {
                    // libcurl still knows the number, which must not come to stand for another socket.
                    shutdown(socket, CInt(SHUT_RDWR))
                    state.isLingering = true
                    lingering += 1
                } else {
                    state = Socket(registrations: state.registrations)
                    Glibc.close(socket)
                }
            }
        }

        /// A socket that libcurl should have closed, and will when it looks at it: it is made to look dead.
        func linger(_ socket: CInt) {
            update(socket) { state in
                guard state.isOurs, !state.isLingering else { return }
                // Not both ways: libcurl still says goodbye to TLS.
                shutdown(socket, CInt(SHUT_RD))
                state.isLingering = true
                lingering += 1
            }
        }

        // MARK: For the loop

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

        /// What a socket is ready for.
        struct Readiness {
            var mayRead = false
            var mayWrite = false
            /// Whether the other side has closed, or the connection has failed: a read comes to an end.
            var hasEnded = false
        }

        enum Event {
            /// With the bits that libcurl takes.
            case curl(CurlMulti?, socket: CInt, bits: CInt)
            case connection(HTTP1Connection, Readiness)
        }

        /// Hands the first events to `body`, except for the wake event, which is taken back here, and those nobody wants.
        func forEach(_ count: Int, _ body: (Event) -> Void) {
            for index in 0..<count {
                let event = events[index]
                let socket = CInt(truncatingIfNeeded: event.data.u64)
                if socket == wakeDescriptor {
                    var value: UInt64 = 0
                    _ = read(wakeDescriptor, &value, 8)
                    continue
                }
                // The socket was closed meanwhile, and its number may belong to another one.
                let registration = UInt32(truncatingIfNeeded: event.data.u64 >> 32)
                guard sockets[Int(socket)].registrations == registration, sockets[Int(socket)].registered != 0 else { continue }
                let isBroken = event.events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0
                let mayRead = event.events & (EPOLLIN.rawValue | EPOLLRDHUP.rawValue) != 0
                let mayWrite = event.events & EPOLLOUT.rawValue != 0
                if let connection = sockets[Int(socket)].connection {
                    let hasEnded = isBroken || event.events & EPOLLRDHUP.rawValue != 0
                    body(
                        .connection(
                            connection,
                            Readiness(mayRead: mayRead || isBroken, mayWrite: mayWrite || isBroken, hasEnded: hasEnded)))
                    continue
                }
                var isWanted = true
                update(socket) { state in
                    // Such as the end of a kept connection: libcurl sees it when it wants the connection again.
                    isWanted = state.wanted != 0
                    if !isWanted, state.registered != 0 { register(0, socket, &state) }
                }
                guard isWanted else { continue }
                var bits: CInt = 0
                if event.events & EPOLLIN.rawValue != 0 { bits |= CInt(CCURL_CSELECT_IN) }
                if mayWrite { bits |= CInt(CCURL_CSELECT_OUT) }
                if isBroken { bits |= CInt(CCURL_CSELECT_ERR) }
                body(.curl(sockets[Int(socket)].multi, socket: socket, bits: bits))
            }
        }

        private func update(_ socket: CInt, _ change: (inout Socket) -> Void) {
            let index = Int(socket)
            guard index >= 0 else { return }
            while sockets.count <= index { sockets.append(Socket()) }
            change(&sockets[index])
        }

        private func register(_ interest: UInt32, _ socket: CInt, _ state: inout Socket) {
            let operation = interest == 0 ? EPOLL_CTL_DEL : state.registered == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD
            if operation == EPOLL_CTL_ADD { state.registrations &+= 1 }
            control(operation, socket, interest, registration: state.registrations)
            state.registered = interest
        }

        private func control(_ operation: CInt, _ socket: CInt, _ interest: UInt32, registration: UInt32 = 0) {
            let data = UInt64(registration) << 32 | UInt64(UInt32(bitPattern: socket))
            var event = epoll_event(events: interest, data: epoll_data_t(u64: data))
            guard epoll_ctl(descriptor, operation, socket, &event) != 0 else { return }
            if operation == EPOLL_CTL_ADD, errno == EEXIST {
                _ = epoll_ctl(descriptor, EPOLL_CTL_MOD, socket, &event)
            } else if operation == EPOLL_CTL_MOD, errno == ENOENT {
                _ = epoll_ctl(descriptor, EPOLL_CTL_ADD, socket, &event)
            }
        }
    }
#endif
