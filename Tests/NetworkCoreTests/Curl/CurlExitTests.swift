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
    }
#endif
