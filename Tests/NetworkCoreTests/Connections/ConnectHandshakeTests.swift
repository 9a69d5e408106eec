#if os(Linux)
    import Endpoints
    import Foundation
    import Testing
    import TransferTestSupport

    @testable import NetworkEngine
    @testable import NetworkTransport

    /// What a proxy or a server does in the handshakes that make a connection.
    @Suite(.timeLimit(.minutes(10)))
    struct ConnectHandshakeTests {
        private func session(_ change: (inout SessionConfiguration) -> Void) -> SocketSessionManager {
            SocketSessionManager(configuration: SessionConfiguration(change))
        }

        /// An HTTP proxy that says that it has connected, without doing so.
        private func pretendingProxy() throws -> RawServer {
            try RawServer { connection in
                _ = try connection.head()
                try connection.send("HTTP/1.1 200 OK\r\n\r\n")
                connection.waitForHangUp()
            }
        }

        @Test(arguments: [String(repeating: "a", count: 256), ".example.com", ".", String(repeating: "a.", count: 200)])
        func `a host that no certificate can name is refused behind a proxy, before TLS`(host: String) async throws {
            let proxy = try pretendingProxy()
            let session = session { $0.proxy = .http(host: "127.0.0.1", port: Int(proxy.port)) }
            for _ in 0..<20 {
                let request = NetworkRequest(url: try #require(URL(string: "https://\(host)/")))
                let error = try await failure(of: session, request)
                #expect(error.code == .invalidRequest && error.message.contains("host"), "\(error)")
            }
        }

        @Test func `a close_notify in place of a handshake is a lost connection`() async throws {
            let server = try RawServer { connection in
                _ = try connection.receive()
                try connection.send([0x15, 0x03, 0x03, 0x00, 0x02, 0x01, 0x00] as [UInt8])
                connection.waitForHangUp()
            }
            let request = NetworkRequest(url: try #require(URL(string: "https://127.0.0.1:\(server.port)/")))
            let error = try await failure(of: session { _ in }, request)
            #expect(error.code == .connectionLost && error.message.contains("closed during the TLS handshake"), "\(error)")
        }

        @Test func `a proxy with SOCKS 4 gets the IPv4 address of localhost`() async throws {
            // In another process: only its environment names such a proxy.
            await #expect(processExitsWith: .success) {
                let proxy = try RawServer { connection in
                    let request = try connection.take(9)
                    try connection.send([0, request[4...7] == [127, 0, 0, 1] ? 90 : 91, 0, 0, 0, 0, 0, 0] as [UInt8])
                    _ = try connection.head()
                    try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
                    connection.waitForHangUp()
                }
                setenv("http_proxy", "socks4://127.0.0.1:\(proxy.port)", 1)
                setenv("no_proxy", "", 1)
                let url = try #require(URL(string: "http://localhost:8080/"))
                let response = try await SocketSessionManager().response(for: NetworkRequest(url: url))
                #expect(response.data == Data("ok".utf8))
            }
        }

        @Test func `an alert of an HTTPS proxy about its protocol is no decision of the server`() async throws {
            // A fatal no_application_protocol (RFC 7301 §3.2).
            let proxy = try RawServer { connection in
                _ = try connection.receive()
                try connection.send([0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 120] as [UInt8])
                connection.waitForHangUp()
            }
            let session = session {
                $0.proxy = .https(host: "127.0.0.1", port: Int(proxy.port))
                $0.httpVersion = .http2
            }
            let request = NetworkRequest(url: try #require(URL(string: "https://server.invalid/")))
            let error = try await failure(of: session, request)
            #expect(error.message.contains("TLS to the proxy"), "\(error)")
        }
    }
#endif
