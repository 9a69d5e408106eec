#if os(Linux)
    import Endpoints
    import Foundation
    import Testing
    import TransferTestSupport

    @testable import NetworkTransport

    extension TLSTests {
        @Test(.tags(.pins)) func `a connection is accepted if one pin matches, in any of its forms`() async throws {
            let wrong = servers.pin("client")
            let lists: [[TrustPin]] = [
                [servers.pin("good")], [wrong, servers.pin("good")], [.certificate(.file(servers.file("good.pem")))],
                [.certificate(.file(servers.file("good.der")))], [.certificate(.data(try servers.data("good.pem")))],
                [wrong, .certificate(.data(try servers.data("good.der")))],
            ]
            for pins in lists {
                let session = session(TrustPolicy(roots: servers.authority, pins: pins))
                #expect(try await session.connectionState(servers.url("good")).requests > 0)
            }
        }

        @Test func `a server whose key does not match a pin receives no byte of the request`() async throws {
            let probe = session(TrustPolicy(roots: servers.authority))
            let first = try await probe.connectionState(servers.url("good"))
            // Without a verification, the server has proven to own the first key only.
            for (pins, all) in [
                ([servers.pin("client")], [servers.authority, .insecureWithoutVerification]),
                ([servers.pin("self"), servers.pin("ca")], [.insecureWithoutVerification]),
            ] {
                for roots in all {
                    let error = try await failure("good", session(TrustPolicy(roots: roots, pins: pins)))
                    #expect(error.code == .tlsFailed && error.tlsFailure == .pinMismatch && error.phase == .tls, "\(error)")
                }
            }
            let second = try await probe.connectionState(servers.url("good"))
            let third = try await probe.connectionState(servers.url("good"))
            #expect(second.connections == first.connections + 3, "the connections were opened")
            #expect(second.requests == first.requests + 1)
            #expect(second.bytes - first.bytes == third.bytes - second.bytes, "only the requests of the probe arrived")
        }

        @Test func `the key of any certificate of the verified chain can be pinned`() async throws {
            let session = session(TrustPolicy(roots: servers.authority, pins: [servers.pin("self"), servers.pin("ca")]))
            #expect(try await session.connectionState(servers.url("good")).requests > 0)
        }

        @Test func `a matching pin does not replace the verification of the certificate`() async throws {
            let error = try await failure("good", session(TrustPolicy(pins: [servers.pin("good")])))
            #expect(error.tlsFailure == .unknownIssuer)
            let expired = try await failure(
                "expired", session(TrustPolicy(roots: servers.authority, pins: [servers.pin("expired")])))
            #expect(expired.tlsFailure == .certificateExpired)
        }

        @Test func `the trust policy of a host applies to each spelling of the host name`() async throws {
            let session = session(
                TrustPolicy(),
                byHost: [
                    "LocalHost.": TrustPolicy(roots: servers.authority, pins: [servers.pin("good")]),
                    "127.0.0.1": TrustPolicy(roots: servers.authority, pins: [servers.pin("self")]),
                ])
            for host in ["localhost", "LOCALHOST", "LocalHost"] {
                #expect(try await session.connectionState(servers.url("good", host: host)).requests > 0)
            }
            #expect(try await failure("good", session, host: "127.0.0.1").tlsFailure == .pinMismatch)
            #expect(try await failure("good", session, host: "127.1").code == .trustUnavailable)
            #expect(try await failure("good", session, host: "2130706433").code == .trustUnavailable)
        }

        @Test func `a redirect uses the trust policy of its target host`() async throws {
            let trusted = TrustPolicy(roots: servers.authority)
            let session = session(
                trusted, byHost: ["127.0.0.1": TrustPolicy(roots: servers.authority, pins: [servers.pin("self")])])
            let before = try await session.connectionState(servers.url("tls-1.2"))
            let target = servers.url("tls-1.2", host: "127.0.0.1")
            let request = NetworkRequest(url: servers.url("good", path: "/?to=\(target.absoluteString)"))
            let error = try await TransferTestSupport.failure(of: session, request)
            #expect(error.tlsFailure == .pinMismatch && error.request?.contains("127.0.0.1") == true, "\(error)")
            let after = try await session.connectionState(servers.url("tls-1.2"))
            #expect(after.requests == before.requests + 1 && after.connections == before.connections + 1)
            let back = servers.url("good", path: "/?to=\(servers.url("tls-1.2").absoluteString)")
            #expect(try await session.connectionState(back).version == "TLSv1.2")
        }

        @Test func `connections are not shared between trust policies`() async throws {
            let strict = TrustPolicy(roots: servers.authority, pins: [servers.pin("good")])
            let session = session(strict, byHost: ["127.0.0.1": TrustPolicy(roots: .insecureWithoutVerification)])
            let urls = [servers.url("good"), servers.url("self", host: "127.0.0.1"), servers.url("good", host: "127.0.0.1")]
            var connections: [[Int]] = [[], [], []]
            for round in 0..<50 {
                for (index, url) in urls.enumerated() {
                    connections[index].append(try await session.connectionState(url).connection)
                }
                if round % 10 == 0 {
                    // A certificate that the insecure policy accepts is refused by the strict one.
                    #expect(try await failure("self", session).tlsFailure == .selfSigned)
                }
            }
            #expect(connections.allSatisfy { Set($0).count == 1 }, "each host keeps one connection")
            #expect(connections[0][0] != connections[2][0], "the same server, under two policies")
        }

        @Test func `a thousand requests succeed after every kind of trust failure`() async throws {
            let session = session(
                TrustPolicy(roots: servers.authority),
                byHost: ["127.0.0.1": TrustPolicy(roots: servers.authority, pins: [servers.pin("client")])])
            for _ in 0..<3 {
                for row in Self.refusals where row.roots == "ca.pem" {
                    #expect(try await failure(row.server, session).tlsFailure == row.failure)
                }
                #expect(try await failure("good", session, host: "127.0.0.1").tlsFailure == .pinMismatch)
            }
            let url = servers.url("good")
            let connections = try await withThrowingTaskGroup(of: Set<Int>.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        var seen: Set<Int> = []
                        for _ in 0..<250 { seen.insert(try await session.connectionState(url).connection) }
                        return seen
                    }
                }
                return try await group.reduce(into: Set<Int>()) { $0.formUnion($1) }
            }
            #expect(connections.count <= 4)
        }
    }
#endif
