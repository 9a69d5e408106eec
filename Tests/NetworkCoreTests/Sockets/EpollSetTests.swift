#if os(Linux)
    import COpenSSL
    import Glibc
    import NetworkTesting
    import Testing
    import TransferTestSupport

    @testable import NetworkEngine
    @testable import NetworkTransport

    // One after another, because two of them use the same high number of a socket.
    @Suite(.serialized) struct EpollSetTests {
        private let set: EpollSet

        init() throws {
            set = try #require(EpollSet())
        }

        private final class Owner: SocketOwner {
            let descriptor: CInt
            var isWatched = false
            var isReady = false
            let needsWatching = true

            init(_ descriptor: CInt) {
                self.descriptor = descriptor
            }

            func socketIsReady(_ readiness: EpollSet.Readiness) {}
        }

        #if canImport(Glibc)
            @Test(.needs("no sanitizer, as each replaces close itself", !isSanitized))
            func `a test that closes a descriptor twice ends the tests`() async {
                await #expect(processExitsWith: .signal(SIGABRT)) {
                    // A number that no other thread of the process gets.
                    let descriptor = fcntl(STDIN_FILENO, F_DUPFD, 900)
                    close(descriptor)
                    close(descriptor)
                }
            }
        #endif

        /// Returns a socket of the set, and the socket of the test that it is connected to.
        private func pair() throws -> (ours: CInt, peer: CInt) {
            let (listener, port) = try LoopbackSocket.listen(backlog: 1, blocks: true)
            defer { close(listener) }
            let ours = set.open(family: AF_INET)
            let address = SocketAddress(
                place: .ip(try #require(IPAddress("127.0.0.1")), scope: 0), port: UInt16(port))
            let result = address.withSystemAddress { connect(ours, $0, $1) == 0 ? 0 : errno }
            try #require(result == 0 || result == EINPROGRESS)
            return (ours, accept(listener, nil, nil))
        }

        /// Moves a socket to a high number, which nothing else in this process gets after the socket was closed: the system assigns the lowest free number.
        private func moved(_ socket: CInt) -> CInt {
            defer { close(socket) }
            // The system's limit may be a thousand million, for which the kernel has no table.
            let limit = sysconf(CInt(_SC_OPEN_MAX))
            return fcntl(socket, F_DUPFD_CLOEXEC, CInt(limit < 0 ? 1 << 16 : min(limit, 1 << 16)) - 16)
        }

        /// Opens a socket with a number that is free, and watches it.
        private func reopened(_ number: CInt) throws -> (owner: Owner, peer: CInt) {
            let (socket, peer) = try pair()
            #expect(dup2(socket, number) == number)
            close(socket)
            let owner = Owner(number)
            set.adopt(owner)
            set.watch(owner, true)
            return (owner, peer)
        }

        private func send(to socket: CInt) {
            var byte: UInt8 = 1
            #expect(write(socket, &byte, 1) == 1)
        }

        private func readable(waiting milliseconds: CInt = 1000) -> [CInt] {
            var sockets: [CInt] = []
            set.forEach(set.wait(milliseconds: milliseconds)) { owner, readiness in
                if readiness.mayRead { sockets.append(owner.descriptor) }
            }
            return sockets
        }

        /// Waits until the socket is reported as readable: it may be reported as connected before.
        private func waitUntilReadable(_ socket: CInt) {
            for _ in 0..<10 where readable() == [socket] { return }
            Issue.record("the socket is never reported as readable")
        }

        @Test
        func `a socket causes no event while it is not watched, and its pending input is reported when it is watched again`()
            throws
        {
            let (ours, peer) = try pair()
            defer { close(peer) }
            let owner = Owner(ours)
            set.adopt(owner)
            set.watch(owner, true)
            send(to: peer)
            waitUntilReadable(ours)
            set.watch(owner, false)
            send(to: peer)
            #expect(set.wait(milliseconds: 0) == 0, "it does not wake the loop")
            set.watch(owner, true)
            waitUntilReadable(ours)
            set.release(owner)
            #expect(readable(waiting: 0) == [])
        }

        @Test func `a socket with a new owner is reported to that owner only`() throws {
            let (socket, peer) = try pair()
            defer { close(peer) }
            let ours = moved(socket)
            let (former, next) = (Owner(ours), Owner(ours))
            set.adopt(former)
            set.watch(former, true)
            set.hand(former, to: next)
            #expect(next.isWatched && !former.isWatched)
            send(to: peer)
            var owners: [Owner] = []
            set.forEach(set.wait(milliseconds: 1000)) { owner, _ in
                owners.append(contentsOf: [owner as? Owner].compactMap(\.self))
            }
            #expect(!owners.isEmpty && owners.allSatisfy { $0 === next })
            set.release(former)
            #expect(fcntl(ours, F_GETFD) >= 0, "the former owner does not close it")
            set.release(next)
            #expect(fcntl(ours, F_GETFD) < 0)
        }

        @Test func `an event of a closed socket is not reported for a new socket with the same number`()
            throws
        {
            let (socket, firstPeer) = try pair()
            let first = moved(socket)
            let closed = Owner(first)
            set.adopt(closed)
            set.watch(closed, true)
            close(firstPeer)
            let count = set.wait(milliseconds: 1000)
            #expect(count == 1)
            set.release(closed)
            let (open, secondPeer) = try reopened(first)
            defer {
                close(secondPeer)
                set.release(open)
            }
            set.forEach(count) { _, readiness in #expect(!readiness.hasEnded) }
        }

        @Test
        func `a closed socket that a copy of its descriptor keeps open causes no event for a new socket with the same number`()
            throws
        {
            let (socket, firstPeer) = try pair()
            defer { close(firstPeer) }
            let first = moved(socket)
            // As in a child process before it executes another program.
            let copy = dup(first)
            defer { close(copy) }
            let closed = Owner(first)
            set.adopt(closed)
            set.watch(closed, true)
            set.release(closed)
            let (open, secondPeer) = try reopened(first)
            defer {
                close(secondPeer)
                set.release(open)
            }
            send(to: firstPeer)
            #expect(readable() == [], "the event of the closed socket is dropped")
            send(to: secondPeer)
            waitUntilReadable(first)
        }

        @Test func `child processes do not inherit the sockets of a set`() throws {
            for family in [AF_INET, AF_INET6, AF_UNIX] {
                let socket = set.open(family: family)
                #expect(fcntl(socket, F_GETFD) & FD_CLOEXEC != 0 && fcntl(socket, F_GETFL) & O_NONBLOCK != 0)
                close(socket)
            }
        }

        @Test func `a wake-up is reported once`() {
            set.wake()
            #expect(set.wait(milliseconds: 1000) == 1)
            set.wake()
            #expect(readable() == [])
            #expect(set.wait(milliseconds: 0) == 0)
        }
    }
#endif
