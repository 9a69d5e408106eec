#if os(Linux)
    import CCurl
    import Glibc
    import Testing

    @testable import NetworkEngine
    @testable import NetworkTransport

    struct EpollSetTests {
        private let set: EpollSet

        init() throws {
            set = try #require(EpollSet())
        }

        /// Returns a socket that the set opened, and the socket of the test that it is connected to.
        private func pair() throws -> (ours: CInt, peer: CInt) {
            let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
            defer { close(listener) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            return try withUnsafeMutablePointer(to: &address) { pointer in
                try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                    try #require(bind(listener, pointer, size) == 0 && listen(listener, 1) == 0)
                    try #require(getsockname(listener, pointer, &size) == 0)
                    let ours = set.open(family: AF_INET, kind: CInt(SOCK_STREAM.rawValue), transport: 0)
                    try #require(connect(ours, pointer, size) == 0)
                    return (ours, accept(listener, nil, nil))
                }
            }
        }

        private func send(to socket: CInt) {
            var byte: UInt8 = 1
            #expect(write(socket, &byte, 1) == 1)
        }

        private func readable(waiting milliseconds: CInt = 1000) -> [CInt] {
            var sockets: [CInt] = []
            set.forEach(set.wait(milliseconds: milliseconds)) {
                if case .library(_, let socket, _) = $0 { sockets.append(socket) }
            }
            return sockets
        }

        @Test(arguments: [false, true])
        func `a socket causes no event while it is not watched, and its pending input is reported when it is watched again`(
            keeps: Bool
        ) throws {
            set.keepsIdleSockets = keeps
            let (ours, peer) = try pair()
            defer { close(peer) }
            set.watch(ours, what: CInt(CCURL_POLL_IN), for: nil)
            send(to: peer)
            #expect(readable() == [ours])
            set.watch(ours, what: CInt(CCURL_POLL_REMOVE), for: nil)
            for _ in 0..<3 { #expect(readable(waiting: 0) == []) }
            #expect(set.wait(milliseconds: 0) == 0, "it does not wake the loop")
            set.watch(ours, what: CInt(CCURL_POLL_IN), for: nil)
            #expect(readable() == [ours])
            set.watch(ours, what: CInt(CCURL_POLL_OUT), for: nil)
            #expect(readable() == [ours])
            #expect(set.close(ours) == 0)
            #expect(readable(waiting: 0) == [])
        }

        @Test(arguments: [false, true])
        func `a descriptor number that is reused is not confused with the closed socket that had it before`(keeps: Bool) throws {
            set.keepsIdleSockets = keeps
            for _ in 0..<20 {
                let (ours, peer) = try pair()
                set.watch(ours, what: CInt(CCURL_POLL_IN), for: nil)
                set.watch(ours, what: CInt(CCURL_POLL_REMOVE), for: nil)
                #expect(set.close(ours) == 0)
                var ends: [CInt] = [0, 0]
                #expect(pipe(&ends) == 0)
                // Like a resolver's descriptor, which is opened and closed without the set.
                set.watch(ends[0], what: CInt(CCURL_POLL_IN), for: nil)
                send(to: ends[1])
                #expect(readable() == [ends[0]])
                set.watch(ends[0], what: CInt(CCURL_POLL_REMOVE), for: nil)
                for descriptor in ends + [peer] { close(descriptor) }
            }
        }

        @Test func `a socket is watched although a closed socket with the same number was not removed from the set`() throws {
            set.keepsIdleSockets = true
            for _ in 0..<20 {
                let (ours, peer) = try pair()
                set.watch(ours, what: CInt(CCURL_POLL_IN), for: nil)
                send(to: peer)
                #expect(readable() == [ours])
                set.watch(ours, what: CInt(CCURL_POLL_REMOVE), for: nil)
                for descriptor in [ours, peer] { close(descriptor) }
            }
        }

        @Test func `a descriptor that the set did not open is watched although one with the same number was closed before`() {
            for _ in 0..<20 {
                var ends: [CInt] = [0, 0]
                #expect(pipe(&ends) == 0)
                set.watch(ends[0], what: CInt(CCURL_POLL_IN), for: nil)
                send(to: ends[1])
                #expect(readable() == [ends[0]])
                for descriptor in ends { close(descriptor) }
            }
        }

        @Test func `an event of a closed socket is not reported for a new socket with the same number`()
            throws
        {
            let (first, firstPeer) = try pair()
            let closed = Owner(first)
            set.adopt(closed)
            close(firstPeer)
            let count = set.wait(milliseconds: 1000)
            #expect(count == 1)
            set.release(closed, closes: false)
            let (second, secondPeer) = try pair()
            defer { for descriptor in [second, secondPeer] { close(descriptor) } }
            #expect(dup2(second, first) == first)
            let open = Owner(first)
            set.adopt(open)
            defer { set.release(open, closes: true) }
            set.forEach(count) { if case .owner(_, let readiness) = $0 { #expect(!readiness.hasEnded) } }
        }

        private final class Owner: SocketOwner {
            let descriptor: CInt
            var isWatched = false
            var isReady = false
            let isInUse = true

            init(_ descriptor: CInt) {
                self.descriptor = descriptor
            }

            func socketIsReady(_ readiness: EpollSet.Readiness) {}
        }

        @Test func `child processes do not inherit the sockets of a set`() throws {
            let socket = set.open(family: AF_INET, kind: CInt(SOCK_STREAM.rawValue), transport: 0)
            #expect(fcntl(socket, F_GETFD) & FD_CLOEXEC != 0)
            #expect(set.close(socket) == 0)
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
