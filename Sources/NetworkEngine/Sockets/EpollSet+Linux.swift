#if os(Linux)
    import NetworkTransport
    import CCurl
    import NetworkSupport

    /// What owns a socket of an ``EpollSet`` and handles its events. Used only while the lock of the event loop is held.
    protocol SocketOwner: AnyObject {
        var descriptor: CInt { get }
        /// Whether the loop's thread is notified of events of the socket. Changed only by the set.
        var isWatched: Bool { get set }
        /// Whether the owner is in the list of those that continue in the next round of the loop.
        var isReady: Bool { get set }
        /// Whether the socket is open, and a request or another protocol uses it.
        var isInUse: Bool { get }

        /// Handles what the socket is ready for, or continues what was suspended if it is ready for nothing new.
        func socketIsReady(_ readiness: EpollSet.Readiness)
    }

    extension SocketOwner {
        /// Whether a read would not block: there are bytes, an end or an error.
        var isReadable: Bool {
            var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            return poll(&state, 1, 0) > 0
        }
    }

    /// A library that opens and closes sockets in an ``EpollSet`` and handles their events.
    protocol SocketLibrary: AnyObject {
        /// Handles events, with the bits of `curl_multi_socket_action`.
        func act(_ socket: CInt, _ events: CInt)
    }

    /// The sockets that an event loop waits for, and the event that wakes its thread.
    ///
    /// A socket is watched for libcurl while a connection is being made and for HTTP/3, or for its ``SocketOwner``, a connection over HTTP/1.1 or 2,
    /// while it is open. Sockets with an owner are registered once, edge-triggered: no system call is needed per request.
    ///
    /// Idle HTTP/3 connections of libcurl are usually watched again by the next request, and receive nothing meanwhile. Therefore
    /// they stay registered until something is received after all, or they are closed. This is possible only for sockets that are
    /// opened and closed here. Others, such as those of a name lookup, are unregistered at once: libcurl closes them without
    /// notice, and a reused descriptor number must not be mistaken for a registered one.
    ///
    /// While the thread receives events, a caller's thread may close a socket and open another one with the same number. Each
    /// event names the registration that it belongs to, and events of an earlier registration are dropped.
    ///
    /// The loop's thread waits; the set is changed only while the lock of the loop is held. `wakeDescriptor` is written to while
    /// that lock or the lock of the inbox is held.
    final class EpollSet {
        private struct Socket {
            /// The epoll events that libcurl requested; 0 for none.
            var wanted: UInt32 = 0
            /// The epoll events that are registered; 0 if the socket is not registered.
            var registered: UInt32 = 0
            /// How often the descriptor number was registered so far.
            var registrations: UInt32 = 0
            /// Whether the socket was opened by this set.
            var isOurs = false
            /// Whether the socket was opened for HTTP/3.
            var isForStreams = false
            /// The origin of the request for which the socket was opened for HTTP/3.
            var origin = ""
            /// Whether the socket stays open when libcurl closes it.
            var isTaken = false
            /// Whether the socket is shut down, and is closed as soon as libcurl closes it.
            var isLingering = false
            /// The library that handles the socket's events.
            unowned(unsafe) var library: (any SocketLibrary)?
            /// The connection that owns the socket.
            var owner: (any SocketOwner)?
        }

        let wakeDescriptor: CInt
        /// Whether sockets of idle HTTP/3 connections stay registered. `false` while there is only one transfer: its caller often
        /// receives the response itself, and the thread would wake up in vain.
        var keepsIdleSockets = false
        /// The options of new sockets; `nil` for the defaults.
        var options: SocketOptions?
        /// The number of sockets that libcurl has yet to close (``LibraryQuirks/closesRemovedConnections``).
        private(set) var lingering = 0
        /// The number of open sockets of HTTP/3 connections.
        private(set) var streamSockets = 0
        let loopGuard: LoopGuard
        private let descriptor: CInt
        @exclusivity(unchecked) private var events = [epoll_event](repeating: epoll_event(), count: 256)
        /// The state of each socket, indexed by its descriptor.
        private var sockets: [Socket] = []

        /// Creates a set; `nil` if the process has no descriptors left.
        ///
        /// - Parameter loop: The number of its event loop.
        init?(loop: Int = 0) {
            loopGuard = LoopGuard(loop: loop)
            descriptor = epoll_create1(CInt(EPOLL_CLOEXEC))
            guard descriptor >= 0 else { return nil }
            wakeDescriptor = eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK))
            guard wakeDescriptor >= 0 else {
                NetworkSupport.close(descriptor)
                return nil
            }
            control(EPOLL_CTL_ADD, wakeDescriptor, LINUX_EPOLLIN)
            LoopGuards.shared.add(loopGuard)
        }

        deinit {
            LoopGuards.shared.remove(loopGuard)
            NetworkSupport.close(wakeDescriptor)
            NetworkSupport.close(descriptor)
        }

        // MARK: For libcurl

        /// Opens a socket for a connection. Child processes do not inherit it.
        ///
        /// - Returns: -1 if the socket could not be opened; `errno` contains the reason.
        func open(family: CInt, kind: CInt, transport: CInt, isForStreams: Bool = false, origin: String = "") -> CInt {
            let socket = NetworkSupport.socket(family, kind | LINUX_SOCK_CLOEXEC, transport)
            guard socket >= 0 else { return socket }
            update(socket) {
                $0 = Socket(registrations: $0.registrations, isOurs: true, isForStreams: isForStreams, origin: origin)
            }
            if isForStreams {
                streamSockets += 1
                UnsentBytes.limit(socket)
            }
            loopGuard.add(socket)
            return socket
        }

        /// Closes a socket for libcurl, unless a connection has taken it over.
        func close(_ socket: CInt) -> CInt {
            var staysOpen = false
            update(socket) { state in
                staysOpen = !state.isOurs || (state.isTaken && !state.isLingering)
                // libcurl no longer uses the descriptor number.
                if state.isTaken { state.isOurs = false }
                state.isTaken = false
                if staysOpen { return }
                if state.isLingering { lingering -= 1 }
                if state.registered != 0 { control(EPOLL_CTL_DEL, socket, 0) }
                if state.isForStreams { streamSockets -= 1 }
                state = Socket(registrations: state.registrations)
            }
            if staysOpen { return 0 }
            loopGuard.remove(socket)
            return NetworkSupport.close(socket)
        }

        /// Returns the numbers of open sockets of HTTP/3 connections, by origin.
        func streamSocketsByOrigin() -> [String: Int] {
            if streamSockets == 0 { return [:] }
            return sockets.reduce(into: [:]) { if $1.isForStreams { $0[$1.origin, default: 0] += 1 } }
        }

        /// Watches a socket as requested by libcurl's socket callback.
        func watch(_ socket: CInt, what: CInt, for library: (any SocketLibrary)?) {
            var interest: UInt32 = 0
            if what != CInt(CCURL_POLL_REMOVE) {
                if what & CInt(CCURL_POLL_IN) != 0 { interest |= LINUX_EPOLLIN }
                if what & CInt(CCURL_POLL_OUT) != 0 { interest |= LINUX_EPOLLOUT }
            }
            update(socket) { state in
                // The socket already belongs to a connection.
                guard state.owner == nil else { return }
                if interest != 0, !state.isOurs, state.registered == 0 { ChildProcesses.keepPair(of: socket) }
                state.wanted = interest
                state.library = library
                // The number of a socket that was opened elsewhere may now denote another one, which is not registered yet.
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

        /// Assigns a socket to its owner, which handles its events from now on.
        func adopt(_ owner: any SocketOwner) {
            update(owner.descriptor) { state in
                state.wanted = 0
                state.owner = owner
            }
            watch(owner, true)
        }

        /// Starts or stops watching the socket of an owner. Readiness that occurs meanwhile is reported when it is watched again.
        func watch(_ owner: any SocketOwner, _ isWatched: Bool) {
            owner.isWatched = isWatched
            let socket = owner.descriptor
            update(socket) { state in
                let interest = LINUX_EPOLLIN | LINUX_EPOLLOUT | LINUX_EPOLLRDHUP | LINUX_EPOLLET
                register(isWatched ? interest : 0, socket, &state)
            }
        }

        /// Stops reporting events of a socket to its owner.
        ///
        /// - Parameter closes: Whether to close the socket. Otherwise libcurl closes it.
        func release(_ owner: any SocketOwner, closes: Bool) {
            let socket = owner.descriptor
            update(socket) { state in
                guard state.owner === owner else { return }
                state.owner = nil
                if state.registered != 0 { register(0, socket, &state) }
                guard closes else { return }
                if state.isTaken {
                    // libcurl still uses the descriptor number, which must not be assigned to another socket.
                    shutdown(socket, CInt(SHUT_RDWR))
                    state.isLingering = true
                    lingering += 1
                } else {
                    state = Socket(registrations: state.registrations)
                    loopGuard.remove(socket)
                    NetworkSupport.close(socket)
                }
            }
        }

        /// Shuts down a socket that libcurl should have closed, so that libcurl finds it dead at its next check and closes it.
        func linger(_ socket: CInt) {
            update(socket) { state in
                guard state.isOurs, !state.isLingering else { return }
                // Only one direction: libcurl still sends the end of TLS.
                shutdown(socket, CInt(SHUT_RD))
                state.isLingering = true
                lingering += 1
            }
        }

        // MARK: For the loop

        /// Ends the current wait, or the next one as soon as it begins.
        func wake() {
            var one: UInt64 = 1
            _ = write(wakeDescriptor, &one, 8)
        }

        /// Waits for events on the watched sockets.
        ///
        /// - Parameter milliseconds: The time limit; -1 for none.
        /// - Returns: The number of events for ``forEach(_:_:)``.
        func wait(milliseconds: CInt) -> Int {
            Int(max(epoll_wait(descriptor, &events, CInt(events.count), milliseconds), 0))
        }

        /// The operations that a socket is ready for.
        struct Readiness {
            var mayRead = false
            var mayWrite = false
            /// Whether the peer has closed the connection or it has failed, so that reading will reach an end.
            var hasEnded = false
        }

        enum Event {
            /// An event for a library, with the bits of `curl_multi_socket_action`.
            case library((any SocketLibrary)?, socket: CInt, bits: CInt)
            case owner(any SocketOwner, Readiness)
        }

        /// Calls `body` with each of the first `count` events, except for the wake event, which is reset here, and unwanted ones.
        func forEach(_ count: Int, _ body: (Event) -> Void) {
            for index in 0..<count {
                let event = events[index]
                let socket = CInt(truncatingIfNeeded: event.data.u64)
                if socket == wakeDescriptor {
                    var value: UInt64 = 0
                    _ = read(wakeDescriptor, &value, 8)
                    continue
                }
                // The socket was closed meanwhile, and its number may denote another one.
                let registration = UInt32(truncatingIfNeeded: event.data.u64 >> 32)
                guard sockets[Int(socket)].registrations == registration, sockets[Int(socket)].registered != 0 else { continue }
                let isBroken = event.events & (LINUX_EPOLLERR | LINUX_EPOLLHUP) != 0
                let mayRead = event.events & (LINUX_EPOLLIN | LINUX_EPOLLRDHUP) != 0
                let mayWrite = event.events & LINUX_EPOLLOUT != 0
                if let owner = sockets[Int(socket)].owner {
                    let hasEnded = isBroken || event.events & LINUX_EPOLLRDHUP != 0
                    body(
                        .owner(
                            owner,
                            Readiness(mayRead: mayRead || isBroken, mayWrite: mayWrite || isBroken, hasEnded: hasEnded)))
                    continue
                }
                var isWanted = true
                update(socket) { state in
                    // An unwanted event is, for example, the end of an idle connection, which libcurl detects when it uses the
                    // connection again.
                    isWanted = state.wanted != 0
                    if !isWanted, state.registered != 0 { register(0, socket, &state) }
                }
                guard isWanted else { continue }
                var bits: CInt = 0
                if event.events & LINUX_EPOLLIN != 0 { bits |= CInt(CCURL_CSELECT_IN) }
                if mayWrite { bits |= CInt(CCURL_CSELECT_OUT) }
                if isBroken { bits |= CInt(CCURL_CSELECT_ERR) }
                body(.library(sockets[Int(socket)].library, socket: socket, bits: bits))
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
