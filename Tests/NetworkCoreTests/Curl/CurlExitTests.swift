#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkCore
    import NetworkTesting
    import Testing

    @Suite(.timeLimit(.minutes(2)))
    struct CurlExitTests {
        @Test(arguments: 0..<5)
        func `a process may end with transfers under way`(round: Int) async {
            await #expect(processExitsWith: .success) {
                let server = try LoopbackServer { request in
                    request.path == "/stall" ? LoopbackResponse.text("x").fault(.stallBody(after: 0)) : .text("x")
                }
                let session = CurlSessionManager(configuration: SessionConfiguration { $0.maximumConnectionsPerHost = 100 })
                for number in 0..<100 {
                    session.request(NetworkRequest(url: server.url(number % 2 == 0 ? "/stall" : "/"))) { _ in }
                }
                _ = await server.waitForRequests(count: 60)
                exit(0)
            }
        }

        @Test(.enabled(if: TLSServers.areAvailable, "needs python3 and openssl"), arguments: 0..<3)
        func `a process may end with transfers over TLS under way, in several loops`(round: Int) async throws {
            let servers = try TLSServers.running()
            let url = servers.url("good")
            let authority = servers.file("ca.pem")
            await #expect(processExitsWith: .success) { [url = url as URL, authority = authority as URL] in
                let session = CurlSessionManager(
                    configuration: SessionConfiguration {
                        $0.trust = TrustPolicy(roots: .pem(file: authority))
                        $0.maximumConnectionsPerHost = 40
                        $0.eventLoops = 2
                    })
                let (answers, answered) = AsyncStream.makeStream(of: Void.self)
                for _ in 0..<200 { session.request(NetworkRequest(url: url)) { _ in answered.yield() } }
                var iterator = answers.makeAsyncIterator()
                for _ in 0..<10 { await iterator.next() }
                exit(0)
            }
        }
    }
#endif
