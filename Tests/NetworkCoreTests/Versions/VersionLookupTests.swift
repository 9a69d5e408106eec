#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkCore
    import Testing
    import TransferTestSupport

    /// Requests over TLS to an origin of which nothing is known: the first connection finds out the version of HTTP, and the others wait for it.
    @Suite(.timeLimit(.minutes(10)))
    struct VersionLookupTests {
        @Test(arguments: [1, 2])
        func `each request makes one attempt if every handshake fails, and none waits for longer than that`(
            eventLoops: Int
        ) async throws {
            let server = try RawServer { connection in _ = try connection.take(5) }
            let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))
            let session = SocketSessionManager(
                configuration: SessionConfiguration {
                    $0.maximumConnectionsPerHost = 100
                    $0.eventLoops = eventLoops
                    $0.connectTimeout = .seconds(600)
                })
            let codes = await withTaskGroup(of: TransportError.Code?.self) { group in
                for _ in 0..<100 {
                    group.addTask {
                        await #expect(throws: TransportError.self) {
                            try await session.response(for: NetworkRequest(url: url))
                        }?.code
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(codes.allSatisfy { $0 == .connectionLost } && codes.count == 100)
            #expect(server.connections == 100)
        }
    }
#endif
