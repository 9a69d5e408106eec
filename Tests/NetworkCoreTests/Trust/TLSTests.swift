#if os(Linux)
    import Endpoints
    import Foundation
    import Testing
    import TransferTestSupport

    @testable import NetworkEngine
    @_spi(SessionManagers) @testable import NetworkTransport

    /// Trust policies with real TLS servers, whose certificates are created when the tests start.
    @Suite(
        .serialized, .needs("python3 and the openssl command", TLSServers.areAvailable), .timeLimit(.ofStorm))
    struct TLSTests {
        let servers: TLSServers

        init() throws {
            servers = try TLSServers.running()
        }

        func session(_ trust: TrustPolicy, byHost: [String: TrustPolicy] = [:]) -> SocketSessionManager {
            SocketSessionManager(
                configuration: SessionConfiguration {
                    $0.trust = trust
                    $0.trustByHost = byHost
                })
        }

        /// Sends a request that is expected to fail, and returns its error.
        func failure(
            _ server: String, _ session: SocketSessionManager, host: String = "localhost",
            sourceLocation: SourceLocation = #_sourceLocation
        ) async throws -> TransportError {
            try await TransferTestSupport.failure(
                of: session,
                NetworkRequest(method: .post, url: servers.url(server, host: host), body: .data(Data("secret".utf8))),
                sourceLocation: sourceLocation)
        }

        // MARK: Roots

        @Test func `a private authority can be trusted from a file and from data`() async throws {
            let roots: [TrustRoots] = [
                servers.authority, .pem(.data(try servers.data("ca.pem"))), .systemAnd(pem: .file(servers.file("ca.pem"))),
                .pem(.data(try servers.data("other-ca.pem") + servers.data("ca.pem"))),
            ]
            for root in roots {
                #expect(try await session(TrustPolicy(roots: root)).connectionState(servers.url("good")).version == "TLSv1.3")
            }
        }

        @Test func `a self-signed server certificate can be used as the trusted root`() async throws {
            let policy = TrustPolicy(roots: .pem(.file(servers.file("self.pem"))))
            #expect(try await session(policy).connectionState(servers.url("self")).requests > 0)
        }

        static let refusals: [(server: String, roots: String?, failure: TLSFailure)] = [
            ("good", nil, .unknownIssuer), ("good", "other-ca.pem", .unknownIssuer), ("self", "ca.pem", .selfSigned),
            ("expired", "ca.pem", .certificateExpired), ("not-yet", "ca.pem", .certificateNotYetValid),
            ("wrong-host", "ca.pem", .wrongHost), ("tls-1.0", "ca.pem", .protocolVersion),
            ("tls-1.1", "ca.pem", .protocolVersion), ("client-1.3", "ca.pem", .clientCertificateRequired),
            ("client-1.2", "ca.pem", .handshakeRefused),
        ]

        @Test(arguments: refusals.indices)
        func `each failed verification is reported as a specific TLS failure`(index: Int) async throws {
            let row = Self.refusals[index]
            let roots = row.roots.map { TrustRoots.pem(.file(servers.file($0))) } ?? .system
            let error = try await failure(row.server, session(TrustPolicy(roots: roots)))
            #expect(error.code == .tlsFailed && error.tlsFailure == row.failure && error.phase == .tls, "\(error)")
            #expect(error.description.contains(row.failure.description), "\(error)")
            #expect(!error.isRetryable)
        }

        @Test(
            arguments: ["common-name", "email-name"])
        func `a certificate without a host name in its alternative names is refused, even if its common name matches`(
            server: String
        ) async throws {
            let session = session(TrustPolicy(roots: servers.authority))
            let error = try await failure(server, session)
            #expect(error.tlsFailure == .missingAlternativeName && error.phase == .tls && !error.isRetryable, "\(error)")
            #expect(error.description.contains("no subject alternative name"))
            // No byte of the request was sent, and the session manager stays usable.
            let unverified = self.session(TrustPolicy(roots: .insecureWithoutVerification))
            #expect(try await unverified.connectionState(servers.url(server)).bytes < 200)
            #expect(try await session.connectionState(servers.url("good")).requests > 0)
        }

        @Test func `a session manager stays usable after every kind of failed verification`() async throws {
            let session = session(TrustPolicy(roots: servers.authority))
            let pinned = TrustPolicy(roots: servers.authority, pins: [servers.pin("client")])
            let mismatched = self.session(TrustPolicy(roots: servers.authority), byHost: ["127.0.0.1": pinned])
            for row in Self.refusals where row.roots == "ca.pem" {
                _ = try await failure(row.server, session)
                #expect(try await failure("good", mismatched, host: "127.0.0.1").tlsFailure == .pinMismatch)
                for _ in 0..<(runs(20, slow: 400)) {
                    #expect(try await session.connectionState(servers.url("good")).version == "TLSv1.3")
                }
                #expect(try await mismatched.connectionState(servers.url("good")).version == "TLSv1.3")
            }
        }

        @Test func `any certificate is accepted if verification is disabled`() async throws {
            let session = session(TrustPolicy(roots: .insecureWithoutVerification))
            for server in ["self", "expired", "wrong-host", "good"] {
                #expect(try await session.connectionState(servers.url(server)).requests > 0)
            }
        }

        // MARK: Versions

        @Test func `a server that does not support the minimum TLS version is refused`() async throws {
            let strict = session(TrustPolicy(roots: servers.authority, minimumTLSVersion: .v1_3))
            #expect(try await strict.connectionState(servers.url("good")).version == "TLSv1.3")
            let error = try await failure("tls-1.2", strict)
            #expect(error.tlsFailure == .protocolVersion, "\(error)")
            let usual = session(TrustPolicy(roots: servers.authority))
            #expect(try await usual.connectionState(servers.url("tls-1.2")).version == "TLSv1.2")
        }

        @Test func `an obsolete TLS version is used only if the policy permits it explicitly`() async throws {
            let old = session(TrustPolicy(roots: servers.authority, minimumTLSVersion: .obsoleteV1_0))
            #expect(try await old.connectionState(servers.url("tls-1.0")).version == "TLSv1")
            #expect(try await old.connectionState(servers.url("tls-1.1")).version == "TLSv1.1")
            let less = session(TrustPolicy(roots: servers.authority, minimumTLSVersion: .obsoleteV1_1))
            #expect(try await less.connectionState(servers.url("tls-1.1")).version == "TLSv1.1")
            #expect(try await failure("tls-1.0", less).code == .tlsFailed)
        }

        // MARK: Client certificates

        @Test(arguments: ["client-1.2", "client-1.3"])
        func `a client certificate is sent if the server requests it`(server: String) async throws {
            let pem = try servers.data("client.pem") + servers.data("client.key")
            let identities = [
                ClientIdentity(certificate: .file(servers.file("client.pem")), key: .file(servers.file("client.key"))),
                ClientIdentity(certificate: .data(pem)),
                ClientIdentity(
                    certificate: .file(servers.file("client.pem")), key: .file(servers.file("client-encrypted.key")),
                    passphrase: "open sesame"),
            ]
            for identity in identities {
                let session = session(TrustPolicy(roots: servers.authority, clientIdentity: identity))
                #expect(try await session.connectionState(servers.url(server)).client == "client")
                #expect(try await session.connectionState(servers.url("good")).client == nil, "sent only on request")
            }
        }

        @Test(arguments: ["client-1.2", "client-1.3"])
        func `a client with an untrusted certificate is rejected`(server: String) async throws {
            let identity = ClientIdentity(
                certificate: .file(servers.file("stranger.pem")), key: .file(servers.file("client.key")))
            let error = try await failure(server, session(TrustPolicy(roots: servers.authority, clientIdentity: identity)))
            #expect(error.code == .tlsFailed && error.tlsFailure == .clientCertificateRejected, "\(error)")
        }

        @Test func `an inconsistent client identity is a trust error, and no request is sent`() async throws {
            let certificate = TrustMaterial.file(servers.file("client.pem"))
            let encrypted = TrustMaterial.file(servers.file("client-encrypted.key"))
            let identities = [
                ClientIdentity(certificate: certificate, key: encrypted),
                ClientIdentity(certificate: certificate, key: encrypted, passphrase: "wrong"),
                ClientIdentity(certificate: certificate, key: .file(servers.file("good.key"))),
            ]
            let probe = session(TrustPolicy(roots: servers.authority))
            let before = try await probe.connectionState(servers.url("good"))
            for identity in identities {
                let error = try await failure("good", session(TrustPolicy(roots: servers.authority, clientIdentity: identity)))
                #expect(error.code == .trustUnavailable, "\(error)")
            }
            #expect(try await probe.connectionState(servers.url("good")).requests == before.requests + 1)
        }
    }
#endif
