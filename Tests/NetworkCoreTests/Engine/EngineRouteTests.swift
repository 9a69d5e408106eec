#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkTesting
    import Testing
    import TransferTestSupport

    @testable import NetworkEngine
    @testable import NetworkTransport

    @Suite(.timeLimit(.minutes(10)))
    struct EngineRouteTests {
        private func session(_ change: (inout SessionConfiguration) -> Void) -> SocketSessionManager {
            SocketSessionManager(configuration: SessionConfiguration(change))
        }

        private func request(_ text: String, headers: HeaderFields = [:]) throws -> NetworkRequest {
            NetworkRequest(url: try #require(URL(string: text)), headers: headers)
        }

        @Test func `an HTTP proxy receives the absolute URL and separate credentials`() async throws {
            let proxy = try LoopbackServer { _ in .text("through the proxy") }
            let session = session { $0.proxy = .http(host: "127.0.0.1", port: proxy.port, username: "u:", password: "p@") }
            let response = try await session.response(
                for: try request("http://nowhere.example/a?b=1", headers: ["Authorization": "Bearer mine"]))
            #expect(response.data == Data("through the proxy".utf8))
            let sent = try #require(proxy.requests.first)
            #expect(sent.target == "http://nowhere.example/a?b=1" && sent.headers["Host"] == "nowhere.example")
            #expect(sent.headers["Proxy-Authorization"] == "Basic " + Data("u::p@".utf8).base64EncodedString())
            #expect(sent.headers["Authorization"] == "Bearer mine")
        }

        @Test func `requests to excluded hosts do not use the proxy`() async throws {
            let proxy = try LoopbackServer { _ in .text("proxy") }
            let server = try LoopbackServer { _ in .text("server") }
            let session = session {
                $0.proxy = .http(host: "127.0.0.1", port: proxy.port, excludedHosts: ["other.example", "127.0.0.1"])
            }
            #expect(try await session.response(for: server.request("/")).data == Data("server".utf8))
            #expect(try await session.response(for: try request("http://nowhere.example/")).data == Data("proxy".utf8))
        }

        @Test func `a proxy that refuses a tunnel or is unreachable is reported as a proxy error`() async throws {
            let proxy = try LoopbackServer { _ in .status(403) }
            let refusing = session { $0.proxy = .http(host: "127.0.0.1", port: proxy.port) }
            let tunnel = try await failure(of: refusing, try request("https://nowhere.example/"))
            #expect(tunnel.code == .proxyRefused && !tunnel.isConnectivity && !tunnel.isRetryable, "\(tunnel)")
            #expect(try await refusing.response(for: try request("http://nowhere.example/")).statusCode == 403)
            let closed = try ClosedPort()
            defer { withExtendedLifetime(closed) {} }
            let unreachable = session { [port = closed.number] in $0.proxy = .http(host: "127.0.0.1", port: port) }
            #expect(try await failure(of: unreachable, try request("http://nowhere.example/")).code == .proxyFailed)
            let socks = session { [port = closed.number] in $0.proxy = .socks5(host: "127.0.0.1", port: port) }
            #expect(try await failure(of: socks, try request("http://nowhere.example/")).code == .proxyFailed)
        }

        @Test(
            arguments: [
                ProxyConfiguration.http(host: "", port: 1), .http(host: "a b", port: 1), .http(host: "u@h", port: 1),
                .http(host: "h", port: 0),
                .http(host: "h", port: 65536), .socks5(host: "h", port: 1, username: "a\n"),
                .http(host: "h", port: 1, password: "p"),
                .http(host: "h", port: 1, excludedHosts: ["a,b"]), .http(host: "h", port: 1, excludedHosts: [""]),
            ])
        func `an invalid proxy configuration is an error before any request is sent`(proxy: ProxyConfiguration) async throws {
            let error = try await failure(of: session { $0.proxy = proxy }, try request("http://127.0.0.1:1/"))
            #expect(error.code == .invalidConfiguration && error.message.hasPrefix("proxy"))
        }

        @Test func `the description of a proxy does not contain its credentials`() {
            let proxy = ProxyConfiguration.http(host: "h", port: 1, username: "canary", password: "canary")
            var dumped = ""
            dump(proxy, to: &dumped)
            dump(SessionConfiguration { $0.proxy = proxy }, to: &dumped)
            #expect(!(dumped + "\(proxy)" + String(reflecting: proxy)).contains("canary"))
        }

        @Test func `requests can be sent to a Unix domain socket instead of a host`() async throws {
            let server = try UnixSocketServer(response: "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\nunix")
            let session = session { $0.unixSocketPath = server.path }
            for _ in 0..<3 {
                #expect(try await session.response(for: try request("http://localhost/x")).data == Data("unix".utf8))
            }
        }

        @Test func `a Unix domain socket that does not exist or has an invalid path is an error`() async throws {
            let missing = session { $0.unixSocketPath = "/nonexistent/socket" }
            #expect(try await failure(of: missing, try request("http://localhost/")).code == .cannotConnect)
            for path in ["", String(repeating: "x", count: 108), "a\u{0}b"] {
                let error = try await failure(of: session { $0.unixSocketPath = path }, try request("http://localhost/"))
                #expect(error.code == .invalidConfiguration && error.message.contains("unixSocketPath"))
            }
        }

        @Test func `stored cookies are sent to their host and path only`() async throws {
            let server = try LoopbackServer { request in
                request.path == "/login"
                    ? LoopbackResponse(headers: ["Set-Cookie": "id=7; Path=/in", "set-cookie": "all=1; Path=/"]) : .text("")
            }
            let session = session { $0.cookies = .separate }
            for path in ["/login", "/in/side", "/out"] { _ = try await session.response(for: server.request(path)) }
            let cookies = server.requests.map { Set(($0.headers["Cookie"] ?? "").components(separatedBy: "; ")) }
            #expect(cookies == [[""], ["id=7", "all=1"], ["all=1"]])
            let other = SocketSessionManager(configuration: session.configuration)
            _ = try await other.response(for: server.request("/in/side"))
            #expect(server.requests.last?.headers.contains("Cookie") == false, "each session manager has separate cookies")
        }

        @Test func `an IPv6 literal is accepted as a host`() async throws {
            let error = try await failure(of: SocketSessionManager(), try request("http://[::1]:1/"))
            #expect(error.code == .cannotConnect)
        }
    }
#endif
