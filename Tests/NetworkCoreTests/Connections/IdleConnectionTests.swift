#if os(Linux)
    import Endpoints
    import Foundation
    import Glibc
    import NetworkCore
    import NetworkTesting
    import Testing
    import TransferTestSupport

    /// The lifetime of idle connections.
    @Suite(.timeLimit(.minutes(10)))
    struct IdleConnectionTests {
        /// Creates a server that responds to each request, and a stream of the numbers of connections that the client has closed.
        private func server(headers: String = "") throws -> (RawServer, AsyncStream<Int>) {
            let (closed, continuation) = AsyncStream.makeStream(of: Int.self)
            let server = try RawServer { connection in
                while try connection.request() != nil {
                    try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\(headers)\r\nx")
                }
                continuation.yield(connection.number)
            }
            return (server, closed)
        }

        @Test func `a connection is closed after its idle lifetime and is not reused`() async throws {
            let closings = try await withTimeouts(from: .milliseconds(500)) { lifetime -> Int? in
                let (server, closed) = try server()
                let session = SocketSessionManager(configuration: SessionConfiguration { $0.idleConnectionLifetime = lifetime })
                var numbers = closed.makeAsyncIterator()
                for number in 0..<3 {
                    let start = ContinuousClock.now
                    _ = try await session.response(for: server.request("/"))
                    let second = try await session.response(for: server.request("/"))
                    guard second.timings.isReusedConnection == true else {
                        // On a busy machine, the lifetime may end between the two requests.
                        #expect(ContinuousClock.now - start >= lifetime)
                        return nil
                    }
                    #expect(await numbers.next() == number)
                    #expect(ContinuousClock.now - start >= lifetime)
                }
                return 3
            }
            #expect(closings == 3)
        }

        @Test func `a shorter Keep-Alive timeout from the server overrides the idle connection lifetime`() async throws {
            let (server, closed) = try server(headers: "Keep-Alive: timeout=1\r\n")
            let session = SocketSessionManager(configuration: SessionConfiguration { $0.idleConnectionLifetime = .seconds(3600) })
            _ = try await session.response(for: server.request("/"))
            #expect(await closed.first { _ in true } == 0)
        }

        @Test func `a connection that was used once is closed when the server closes it`() async throws {
            // The server's thread responds so soon that the calling thread may receive the response itself.
            let (listener, port) = try LoopbackSocket.listen(backlog: 8, blocks: true)
            let isReceived = DispatchSemaphore(value: 0)
            let (closed, continuation) = AsyncStream.makeStream(of: Void.self)
            Thread.detachNewThread {
                var buffer = [UInt8](repeating: 0, count: 4096)
                let response = Array("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx".utf8)
                while case let socket = accept(listener, nil, nil), socket >= 0 {
                    _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
                    _ = recv(socket, &buffer, buffer.count, 0)
                    _ = Glibc.send(socket, response, response.count, CInt(MSG_NOSIGNAL))
                    isReceived.wait()
                    shutdown(socket, CInt(SHUT_WR))
                    // Until the client has closed the connection too.
                    _ = recv(socket, &buffer, buffer.count, 0)
                    close(socket)
                    continuation.yield()
                }
                close(listener)
            }
            let request = NetworkRequest(url: try #require(URL(string: "http://127.0.0.1:\(port)/")))
            var closings = closed.makeAsyncIterator()
            let session = SocketSessionManager()
            for _ in 0..<50 {
                _ = try await session.response(for: request)
                isReceived.signal()
                await closings.next()
            }
            withExtendedLifetime(session) {}
            shutdown(listener, CInt(SHUT_RDWR))
        }

        @Test func `a connection is replaced after the maximum number of uses`() async throws {
            let server = try LoopbackServer { _ in .text("x") }
            let session = SocketSessionManager(configuration: SessionConfiguration { $0.maximumUsesPerConnection = 3 })
            for _ in 0..<10 { _ = try await session.response(for: server.request("/")) }
            #expect(server.connectionCount == 4)
        }
    }
#endif
