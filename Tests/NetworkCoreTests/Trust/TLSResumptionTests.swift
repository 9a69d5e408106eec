#if os(Linux)
    import Endpoints
    import Foundation
    import Testing
    import TransferTestSupport

    @testable import NetworkTransport

    // New connections resume TLS sessions (RFC 8446 §2.2), but never one that began under another trust policy. libcurl stores the
    // sessions: for each handle before version 8.12, and for all handles of a loop since.
    extension TLSTests {
        @Test(arguments: ["good", "tls-1.2"])
        func `new connections to a host resume its session`(server: String) async throws {
            let session = session(TrustPolicy(roots: servers.authority, pins: [servers.pin("good")]))
            var resumed: [Bool] = []
            for _ in 0..<8 { resumed.append(try await session.connectionState(servers.url(server, path: "/once")).resumed) }
            #expect(!resumed[0])
            #expect(resumed.filter { $0 }.count >= 6, "\(resumed)")
        }

        @Test func `concurrent connections resume sessions too`() async throws {
            let session = session(TrustPolicy(roots: servers.authority))
            let url = servers.url("good", path: "/once")
            var resumed = 0
            for _ in 0..<8 {
                resumed += try await withThrowingTaskGroup(of: Bool.self) { group in
                    for _ in 0..<8 { group.addTask { try await session.connectionState(url).resumed } }
                    return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
                }
            }
            // The first eight have none to resume, and newer versions use each ticket once (RFC 8446 §C.4).
            #expect(resumed >= 16, "\(resumed)")
        }

        @Test func `a session of a policy without verification is not resumed by one with verification`() async throws {
            let unverified = TrustPolicy(roots: .insecureWithoutVerification)
            let session = session(TrustPolicy(roots: servers.authority), byHost: ["127.0.0.1": unverified])
            for _ in 0..<4 {
                for server in ["self", "expired", "wrong-host"] {
                    _ = try await session.connectionState(servers.url(server, host: "127.0.0.1", path: "/once"))
                    let error = try await TransferTestSupport.failure(
                        of: session, NetworkRequest(url: servers.url(server, path: "/once")))
                    #expect(error.code == .tlsFailed, "\(server): \(error)")
                }
            }
        }

        @Test func `a wrong pin refuses each connection, not only the first`() async throws {
            let session = session(TrustPolicy(roots: servers.authority, pins: [servers.pin("client")]))
            for _ in 0..<4 {
                let error = try await TransferTestSupport.failure(
                    of: session, NetworkRequest(url: servers.url("good", path: "/once")))
                #expect(error.tlsFailure == .pinMismatch, "\(error)")
            }
        }
    }
#endif
