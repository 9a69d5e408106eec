#if os(Linux)
    import Endpoints
    import Foundation
    import Glibc
    import NetworkCore
    import NetworkTesting
    import Testing
    import TransferTestSupport

    @Suite(.timeLimit(.ofStorm))
    struct EngineExitTests {
        @Test(arguments: 0..<5)
        func `a process can exit while transfers are in progress`(round: Int) async {
            await #expect(processExitsWith: .success) {
                let server = try LoopbackServer { request in
                    request.path == "/stall" ? LoopbackResponse.text("x").fault(.stallBody(after: 0)) : .text("x")
                }
                let session = SocketSessionManager(configuration: SessionConfiguration { $0.maximumConnectionsPerHost = 100 })
                for number in 0..<100 {
                    session.response(for: NetworkRequest(url: server.url(number % 2 == 0 ? "/stall" : "/"))) { _ in }
                }
                _ = await server.waitForRequests(count: 60)
                exit(0)
            }
        }

        @Test(.needs("python3 and the openssl command", TLSServers.areAvailable), arguments: 0..<3)
        func `a process can exit while transfers over TLS are in progress in several event loops`(round: Int) async throws {
            let servers = try TLSServers.running()
            let url = servers.url("good")
            let authority = servers.file("ca.pem")
            await #expect(processExitsWith: .success) { [url = url as URL, authority = authority as URL] in
                let session = SocketSessionManager(
                    configuration: SessionConfiguration {
                        $0.trust = TrustPolicy(roots: .pem(.file(authority)))
                        $0.maximumConnectionsPerHost = 40
                        $0.eventLoops = 2
                    })
                let (responses, responded) = AsyncStream.makeStream(of: Void.self)
                for _ in 0..<200 { session.response(for: NetworkRequest(url: url)) { _ in responded.yield() } }
                var iterator = responses.makeAsyncIterator()
                for _ in 0..<10 { await iterator.next() }
                exit(0)
            }
        }

        @Test(arguments: ["127.0.0.1", "localhost"])
        func `a process without free file descriptors gets a typed error, and requests succeed again once there are some`(
            host: String
        ) async throws {
            let server = try LoopbackServer { _ in .text("good") }
            let url = try #require(URL(string: "http://\(host):\(server.port)/good"))
            await #expect(processExitsWith: .success) { [url = url as URL] in try await EngineExitTests.useAllDescriptors(url) }
            #expect(server.requestCount >= 100)
        }

        private static func useAllDescriptors(_ url: URL) async throws {
            let request = NetworkRequest(url: url)
            let used = SocketSessionManager()
            _ = try await used.response(for: request)
            let unused = SocketSessionManager()
            var limit = rlimit(rlim_cur: 512, rlim_max: 512)
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            var taken: [Int32] = []
            while case let descriptor = open("/dev/null", O_RDONLY), descriptor >= 0 { taken.append(descriptor) }
            #expect(!taken.isEmpty)
            // One connection is open and idle; the other requests need new ones.
            let codes = await withTaskGroup(of: TransportError.Code?.self) { group in
                for session in [used, used, used, used, unused, unused] {
                    group.addTask {
                        do throws(TransportError) {
                            _ = try await session.response(for: request)
                            return nil
                        } catch {
                            return error.code
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(codes.compactMap(\.self).allSatisfy { $0 == .outOfResources } && codes.contains(.outOfResources), "\(codes)")
            for descriptor in taken { close(descriptor) }
            for session in [used, unused] {
                for _ in 0..<(isSlowRun ? 1000 : 50) {
                    #expect(try await session.response(for: request).data == Data("good".utf8))
                }
            }
        }

        @Test func `an attempt to connect continues when the process has no descriptor for the next one`() async throws {
            let stuck = try StuckListener(last: 2)
            let port = try #require(stuck.url.port)
            // The system repeats the attempt a second after its beginning, and the next one begins after 250 ms.
            let helper = try LoopbackServer { request in
                if request.path == "/accept" { stuck.respond("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok") }
                return .text("x")
            }
            await #expect(processExitsWith: .success) { [helper = helper.url as URL, port = port as Int] in
                let session = SocketSessionManager(
                    configuration: SessionConfiguration { $0.route.addresses["two.example"] = ["127.0.0.2", "127.0.0.1"] })
                _ = try await session.response(for: NetworkRequest(url: helper))
                let request = NetworkRequest(url: try #require(URL(string: "http://two.example:\(port)/")))
                async let response = session.response(for: request)
                while await session.connectionCounts().total.connecting == 0 { await Task.yield() }
                var limit = rlimit()
                getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
                limit.rlim_cur = 3
                setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
                // Over the connection that is open.
                _ = try await session.response(for: NetworkRequest(url: helper.appendingPathComponent("accept")))
                #expect(try await response.data == Data("ok".utf8))
            }
        }

        @Test func `child processes inherit no descriptors of active or idle connections and of name lookups`() async throws {
            let server = try LoopbackServer { request in
                request.path == "/stall" ? LoopbackResponse.text("x").fault(.stallBody(after: 0)) : .text("x")
            }
            let url = server.url("/")
            let named = try #require(URL(string: "http://localhost:\(server.port)/"))
            await #expect(processExitsWith: .success) { [url = url as URL, named = named as URL] in
                let before = EngineExitTests.inheritable()
                let session = SocketSessionManager(configuration: SessionConfiguration { $0.eventLoops = 2 })
                let stalled = url.appendingPathComponent("stall")
                for _ in 0..<3 { session.response(for: NetworkRequest(url: stalled)) { _ in } }
                for url in [url, named, url, named] {
                    for _ in 0..<5 { _ = try await session.response(for: NetworkRequest(url: url)) }
                }
                _ = try? await session.response(for: NetworkRequest(url: try #require(URL(string: "https://localhost:9/"))))
                let new = EngineExitTests.inheritable().subtracting(before)
                #expect(new.isEmpty, "\(new)")
                exit(new.isEmpty ? 0 : 1)
            }
        }

        /// The descriptors that a child process would inherit.
        private static func inheritable() -> Set<CInt> {
            Set(
                (0..<1024).filter { descriptor in
                    let bits = fcntl(descriptor, F_GETFD)
                    return bits >= 0 && bits & FD_CLOEXEC == 0
                })
        }
    }
#endif
