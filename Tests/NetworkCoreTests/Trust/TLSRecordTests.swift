#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkEngine
    import Testing
    import TransferTestSupport

    @testable import NetworkTransport

    // OpenSSL may take more from a socket than one record. What it keeps must be received too, although the socket is empty.
    extension TLSTests {
        @Test(arguments: ["good", "tls-1.2"])
        func `a response of many records in one segment is received whole, whatever the number of requests`(
            server: String
        ) async throws {
            let session = session(TrustPolicy(roots: servers.authority))
            let url = servers.url(server, path: "/records")
            for _ in 0..<20 { #expect(try await session.connectionState(url).connection > 0) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<100 { group.addTask { _ = try await session.connectionState(url) } }
                try await group.waitForAll()
            }
        }

        @Test(arguments: ["good", "tls-1.2"])
        func `a connection that TLS has ended with the last response is not used again, though its socket is open`(
            server: String
        ) async throws {
            let session = session(TrustPolicy(roots: servers.authority))
            let request = NetworkRequest(method: .post, url: servers.url(server, path: "/last"))
            var connections: Set<Int> = []
            for _ in 0..<10 {
                let data = try await session.response(for: request).data
                connections.insert(try JSONDecoder().decode(TLSServers.ConnectionState.self, from: data).connection)
            }
            #expect(connections.count == 10)
        }
    }
#endif
