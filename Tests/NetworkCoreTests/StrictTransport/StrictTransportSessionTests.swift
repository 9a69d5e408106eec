#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkTesting
    import Testing
    import TransferTestSupport

    @testable import NetworkEngine
    @testable import NetworkTransport
    @testable import NetworkURLSession

    /// HSTS with real TLS servers.
    @Suite(.needs("python3 and the openssl command", TLSServers.areAvailable), .timeLimit(.minutes(10)))
    struct StrictTransportSessionTests {
        private let servers: TLSServers

        init() throws {
            servers = try TLSServers.running()
        }

        private func session(_ strictTransport: StrictTransport, _ roots: TrustRoots? = nil) -> SocketSessionManager {
            SocketSessionManager(
                configuration: SessionConfiguration {
                    $0.trust = TrustPolicy(roots: roots ?? servers.authority)
                    $0.strictTransport = strictTransport
                    $0.proxy = .none
                })
        }

        private func plain(_ path: String = "/", host: String = "localhost") throws -> NetworkRequest {
            let secure = servers.url("good", host: host, path: path).absoluteString
            return NetworkRequest(url: try #require(URL(string: "http" + secure.dropFirst(5))))
        }

        private func secure(_ path: String, host: String = "localhost") -> NetworkRequest {
            NetworkRequest(url: servers.url("good", host: host, path: path))
        }

        /// Expects that a request is sent without TLS, to which the server responds with an alert, or with the end of the connection.
        private func expectPlain(_ session: SocketSessionManager, _ request: NetworkRequest) async throws {
            let error = try await failure(of: session, request)
            #expect([.connectionLost, .malformedResponse].contains(error.code), "\(error)")
        }

        @Test func `requests and redirects to a known host are sent over TLS, until it says otherwise`() async throws {
            let session = session(.inMemory)
            _ = try await session.response(for: secure("/?strict=max-age%3D100"))
            let response = try await session.response(for: try plain("/a"))
            #expect(response.statusCode == 200 && response.url == servers.url("good", path: "/a"))
            let target = try plain("/b").url.absoluteString
            let redirected = try await session.response(for: secure("/?to=\(target)", host: "127.0.0.1"))
            #expect(redirected.url == servers.url("good", path: "/b"))
            _ = try await session.response(for: try plain("/?strict=max-age%3D0"))
            try await expectPlain(session, try plain())
        }

        @Test func `the field of a redirect counts too`() async throws {
            let session = session(.inMemory)
            let target = try plain("/b").url.absoluteString
            let response = try await session.response(for: secure("/?strict=max-age%3D100&to=\(target)"))
            #expect(response.url == servers.url("good", path: "/b"))
        }

        @Test func `nothing is remembered by default, of unverified servers, and of addresses`() async throws {
            for session in [session(.off), session(.inMemory, .insecureWithoutVerification)] {
                _ = try await session.response(for: secure("/?strict=max-age%3D100"))
                try await expectPlain(session, try plain())
            }
            let session = session(.inMemory)
            _ = try await session.response(for: secure("/?strict=max-age%3D100", host: "127.0.0.1"))
            try await expectPlain(session, try plain(host: "127.0.0.1"))
            try await expectPlain(session, try plain())
        }

        @Test func `another session manager knows the hosts of a file`() async throws {
            let folder = try TemporaryFolder()
            let first = session(.file(folder.file("hosts")))
            _ = try await first.response(for: secure("/?strict=max-age%3D100"))
            await first.strictTransportStore?.flush()
            let second = session(.file(folder.file("hosts")))
            #expect(try await second.response(for: try plain("/a")).url == servers.url("good", path: "/a"))
        }

        @Test func `URLSession sends requests to a known host over TLS`() async throws {
            let folder = try TemporaryFolder()
            try folder.write(Data("localhost \"unlimited\"\n".utf8), to: "hosts")
            let session = URLSessionManager(
                configuration: SessionConfiguration { $0.strictTransport = .file(folder.file("hosts")) })
            // The authority is not one of the system, so the handshake fails: no request is sent without TLS.
            let error = try await failure(of: session, try plain("/a"))
            #expect(error.code == .tlsFailed, "\(error)")
        }
    }
#endif
