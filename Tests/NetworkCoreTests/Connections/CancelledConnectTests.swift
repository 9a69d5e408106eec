#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkCore
    import TransferTestSupport
    import Testing

    /// If a request is cancelled while its connection is being established, the next request uses that connection.
    ///
    /// The server is a SOCKS proxy that responds only when a test opens the door, so a test controls when connections are ready.
    @Suite(.timeLimit(.minutes(10)))
    struct CancelledConnectTests {
        /// Blocks threads until it is opened. It opens once, for all waiting threads.
        private final class Door: Sendable {
            private let semaphore = DispatchSemaphore(value: 0)

            func open() { semaphore.signal() }

            func pass() {
                semaphore.wait()
                semaphore.signal()
            }
        }

        private let door = Door()
        private let arrivals = AsyncStream.makeStream(of: Int.self)
        private let proxy: RawServer

        init() throws {
            let (door, arrivals) = (door, arrivals.continuation)
            proxy = try RawServer { connection in
                // RFC 1928: the greeting, and the request with an IPv4 address.
                let methods = try connection.take(2)[1]
                _ = try connection.take(Int(methods))
                try connection.send([5, 0])
                _ = try connection.take(10)
                arrivals.yield(connection.number)
                door.pass()
                try connection.send([5, 0, 0, 1, 127, 0, 0, 1, 0, 80])
                while try connection.request() != nil { try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok") }
            }
        }

        private func session(_ adjust: (inout SessionConfiguration) -> Void = { _ in }) -> SocketSessionManager {
            SocketSessionManager(
                configuration: SessionConfiguration {
                    $0.proxy = .socks5(host: "127.0.0.1", port: Int(proxy.port))
                    // Longer than any pause of a test on a busy machine.
                    $0.connectTimeout = .seconds(600)
                    adjust(&$0)
                })
        }

        private let request = NetworkRequest(url: URL(string: "http://127.0.0.1:80/") ?? URL(fileURLWithPath: "/"))

        /// Returns when the engine has processed all earlier cancellations. It processes them before the request sent here.
        private func settle(_ session: SocketSessionManager) async {
            var shortRequest = request
            shortRequest.timeouts.total = .milliseconds(1)
            await #expect(throws: TransportError.self) { try await session.response(for: shortRequest) }
        }

        /// Waits until a connection to the proxy has been opened.
        private func nextArrival() async { _ = await arrivals.stream.first { _ in true } }

        @Test func `after cancelled requests, the next request uses the pending connection`() async throws {
            let session = session()
            for _ in 0..<20 {
                let handle = session.response(for: request) { _ in }
                if proxy.connections == 0 { await nextArrival() }
                handle.cancel()
            }
            await settle(session)
            let last = Task { try await session.response(for: request) }
            door.open()
            let response = try await last.value
            #expect(response.statusCode == 200)
            #expect(proxy.connections == 1)
            let timings = response.timings
            #expect((timings.nameLookup ?? .zero) + (timings.connect ?? .zero) <= timings.total, "\(timings)")
        }

        @Test func `a connection that is established after its request was cancelled is kept for later requests`() async throws {
            let session = session()
            let handle = session.response(for: request) { _ in }
            await nextArrival()
            handle.cancel()
            await settle(session)
            door.open()
            for _ in 0..<2 { #expect(try await session.response(for: request).statusCode == 200) }
            #expect(proxy.connections == 1)
        }

        @Test func `the pending connection of a request that timed out is used by the next request`() async throws {
            let session = session()
            var shortRequest = request
            shortRequest.timeouts.total = .milliseconds(50)
            let error = await #expect(throws: TransportError.self) { try await session.response(for: shortRequest) }
            #expect(error?.code == .timedOut)
            door.open()
            #expect(try await session.response(for: request).statusCode == 200)
            #expect(proxy.connections == 1)
        }

        @Test func `a connection attempt that exceeds the connect timeout is abandoned`() async throws {
            // On a busy machine, a short timeout may expire before the first connection is opened.
            let connections = try await withTimeouts(from: .milliseconds(50)) { timeout -> Int? in
                let test = try Self()
                let session = test.session()
                var slow = test.request
                slow.timeouts.connect = timeout
                let error = await #expect(throws: TransportError.self) { try await session.response(for: slow) }
                #expect(error?.code == .timedOut)
                test.door.open()
                #expect(try await session.response(for: test.request).statusCode == 200)
                return test.proxy.connections > 1 ? test.proxy.connections : nil
            }
            #expect(connections == 2)
        }

        @Test func `the pending connection of a cancelled request is closed if no idle connections are allowed`() async throws {
            let session = session { $0.maximumIdleConnections = 0 }
            let handle = session.response(for: request) { _ in }
            await nextArrival()
            handle.cancel()
            await settle(session)
            door.open()
            #expect(try await session.response(for: request).statusCode == 200)
            // The request that `settle` sends may time out before its connection is opened.
            #expect(proxy.connections >= 2)
        }

        @Test func `the pending connection of a cancelled request is closed when the session manager is released`() async throws {
            let hangUps = AsyncStream.makeStream(of: Void.self)
            let silent = try RawServer { connection in
                _ = try connection.take(3)
                connection.waitForHangUp()
                hangUps.continuation.yield()
            }
            do {
                let session = SocketSessionManager(
                    configuration: SessionConfiguration { $0.proxy = .socks5(host: "127.0.0.1", port: Int(silent.port)) })
                let task = Task { try await session.response(for: request) }
                while silent.connections == 0 { await Task.yield() }
                task.cancel()
                _ = await task.result
            }
            _ = await hangUps.stream.first { true }
        }
    }
#endif
