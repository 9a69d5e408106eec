#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkCore
    import Testing
    import TransferTestSupport

    /// A row with the response of a proxy to CONNECT, and the expected outcome.
    struct TunnelRow: Behaviour {
        var name: String
        var source: String
        var response: Data
        /// Whether TLS begins after the response; otherwise the request fails with a proxy error.
        var opens: Bool

        static func row(_ name: String, _ source: String, _ response: String, opens: Bool = false) -> TunnelRow {
            TunnelRow(name: name, source: source, response: Data(response.utf8), opens: opens)
        }
    }

    /// Requests through HTTP proxies (RFC 9112 §3.2.2; RFC 9110 §9.3.6).
    @Suite(.timeLimit(.minutes(10)))
    struct ProxyBehaviourTests {
        @Test(arguments: tunnels)
        func `a tunnel is opened, or the request fails with a proxy error`(row: TunnelRow) async throws {
            let firstByte = Watched<UInt8?>(nil)
            let proxy = try RawServer { connection in
                guard try connection.head() != nil else { return }
                try connection.send(row.response)
                if row.opens {
                    let byte = try connection.take(1)[0]
                    firstByte.withLock { $0 = byte }
                } else {
                    connection.finish()
                    connection.drain()
                }
            }
            let url = try #require(URL(string: "https://u:p@b.example/path"))
            let request = NetworkRequest(url: url, headers: ["Authorization": "Bearer x", "Cookie": "a=1"])
            let error = try await failure(of: proxy.session(), request)
            #expect(([.proxyFailed, .proxyRefused].contains(error.code)) == !row.opens, "\(error)")
            // The first byte of a TLS handshake (RFC 8446 §5.1).
            #expect(firstByte.withLock { $0 } == (row.opens ? 22 : nil))
            let sent = try #require(proxy.arrivals.first?.request)
            #expect(proxy.arrivals.count == 1 && sent.method == "CONNECT" && sent.target == "b.example:443")
            #expect(sent["authorization"] == nil && sent["cookie"] == nil, "\(sent.text)")
        }

        @Test(arguments: stories)
        func `a proxy is used as in other HTTP clients`(row: Story) async throws {
            try await row.run()
        }

        private static let tunnels: [TunnelRow] = [
            .row("a 200 opens a tunnel", "curl test80", "HTTP/1.1 200 Go\r\n\r\n", opens: true),
            .row("a 204 opens a tunnel", "curl test1904", "HTTP/1.1 204 Go\r\n\r\n", opens: true),
            .row(
                "a length in the response to CONNECT is ignored", "curl test1287", "HTTP/1.1 200 Go\r\nContent-Length: 5\r\n\r\n",
                opens: true
            ),
            .row(
                "chunked coding in the response to CONNECT is ignored", "curl test1287",
                "HTTP/1.1 200 Go\r\nTransfer-Encoding: chunked\r\n\r\n",
                opens: true),
            .row("a 405 is a failure of the proxy", "curl test217", "HTTP/1.1 405 No\r\nContent-Length: 2\r\n\r\nno"),
            .row(
                "a 407 with a length and chunks is a failure of the proxy", "curl test1715",
                "HTTP/1.1 407 Proxy Authentication\r\nContent-Length: 13\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nno\r\n0\r\n\r\n"
            ),
            .row("text that is not HTTP is a failure of the proxy", "curl test750", "<html>I am not HTTP</html>\r\n\r\n"),
            .row("no response is a failure of the proxy", "curl test1297", ""),
            .row(
                "an incomplete head is a failure of the proxy", "OkHttp proxyUpgradeFailsWithTruncatedResponse",
                "HTTP/1.1 200 Go\r\nX: "
            ),
        ]

        private static func request(_ text: String, headers: HeaderFields = [:]) throws -> NetworkRequest {
            NetworkRequest(url: try #require(URL(string: text)), headers: headers)
        }

        private static func proxy(_ username: String?, _ password: String?, _ server: RawServer) -> SocketSessionManager {
            server.session { [port = Int(server.port)] in
                $0.proxy = .http(host: "127.0.0.1", port: port, username: username, password: password)
            }
        }

        private static let stories: [Story] = [
            .row("two hosts share a connection to their proxy", "curl test1421") {
                let server = try RawServer.responding { request, _ in WireRuleTests.ok(request.target) }
                let session = server.session()
                for url in ["http://a.example/", "http://b.example:81/x", "http://a.example/"] {
                    #expect(try await session.response(for: request(url)).data == Data(url.utf8))
                }
                #expect((1...2).contains(server.connections))
            },
            .row("the proxy's credentials are sent with every redirect, the server's are not", "curl test233") {
                let server = try RawServer.responding { request, _ in
                    guard request.target == "http://a.example/" else { return WireRuleTests.ok("there") }
                    return "HTTP/1.1 302 Moved\r\nLocation: http://b.example/\r\nContent-Length: 0\r\n\r\n"
                }
                let session = proxy("u", "p", server)
                _ = try await session.response(for: request("http://a.example/", headers: ["Authorization": "Bearer x"]))
                #expect(server.arrivals.map { $0.request["proxy-authorization"] } == ["Basic dTpw", "Basic dTpw"])
                #expect(server.arrivals.map { $0.request["authorization"] } == ["Bearer x", nil])
            },
            .row("a 407 without a tunnel is returned", "curl test93") {
                let server = try RawServer.responding { _, _ in
                    "HTTP/1.1 407 Proxy Authentication\r\nProxy-Authenticate: Basic realm=\"x\"\r\nContent-Length: 2\r\n\r\nno"
                }
                let response = try await server.session().response(for: request("http://a.example/"))
                #expect(response.statusCode == 407 && response.headers["Proxy-Authenticate"] == "Basic realm=\"x\"")
            },
            .row(
                "the credentials of the proxy are sent with CONNECT before they are requested",
                "OkHttp preemptiveProxyAuthentication"
            ) {
                let server = try RawServer { connection in
                    _ = try connection.head()
                    try connection.send("HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n")
                    connection.drain()
                }
                #expect(try await failure(of: proxy("u", "p", server), request("https://a.example/")).code == .proxyRefused)
                #expect(server.arrivals.first?.request["proxy-authorization"] == "Basic dTpw")
            },
            .row("an IPv6 address has brackets in CONNECT", "curl test1230") {
                let server = try RawServer { connection in
                    _ = try connection.head()
                    try connection.send("HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n")
                    connection.drain()
                }
                #expect(try await failure(of: server.session(), request("https://[1200::1]:8443/")).code == .proxyRefused)
                let sent = try #require(server.arrivals.first?.request)
                #expect(sent.target == "[1200::1]:8443" && sent["host"] == "[1200::1]:8443")
            },
        ]
    }
#endif
