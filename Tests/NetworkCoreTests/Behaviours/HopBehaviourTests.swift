#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkCore
    import Testing
    import TransferTestSupport

    /// What is kept from one redirect to the next: the connection, credentials, cookies (RFC 9110 §15.4; RFC 6265 §5.3).
    @Suite(.timeLimit(.minutes(10)))
    struct HopBehaviourTests {
        @Test(arguments: redirects)
        func `connections, credentials and cookies are kept across redirects as in other HTTP clients`(row: Story) async throws {
            try await row.run()
        }

        /// Creates a server that redirects from `/from` to `/to`.
        private static func leading(_ fields: String, _ body: String = "", status: Int = 302) throws -> RawServer {
            try .responding { request, _ in
                guard request.target == "/from" else { return WireRuleTests.ok("there") }
                return "HTTP/1.1 \(status) Moved\r\nLocation: /to\r\n\(fields)\r\n\(body)"
            }
        }

        private static let redirects: [Story] = [
            .row("a redirect with an empty body keeps its connection", "OkHttp sameConnectionRedirectAndReuse") {
                let server = try leading("Content-Length: 0\r\n")
                #expect(try await SocketSessionManager().response(for: server.request("/from")).data == Data("there".utf8))
                #expect(server.connectionNumbers == [0, 0])
            },
            .row("a redirect whose chunks were all received keeps its connection", "OkHttp redirectedWithChunkedEncoding") {
                let server = try leading("Transfer-Encoding: chunked\r\n", "5\r\nmoved\r\n0\r\n\r\n")
                #expect(try await SocketSessionManager().response(for: server.request("/from")).data == Data("there".utf8))
                #expect(server.connectionNumbers == [0, 0])
            },
            .row("a redirect with Connection: close is followed on another connection", "OkHttp connectionCloseWithRedirect") {
                let server = try leading("Connection: close\r\nContent-Length: 0\r\n")
                #expect(try await SocketSessionManager().response(for: server.request("/from")).data == Data("there".utf8))
                #expect(server.connectionNumbers == [0, 1])
            },
            .row("as many redirects are followed as allowed", "OkHttp follow20Redirects") {
                let server = try RawServer.responding { request, _ in
                    let left = Int(request.target.dropFirst()) ?? 0
                    guard left > 0 else { return WireRuleTests.ok("there") }
                    return "HTTP/1.1 302 Moved\r\nLocation: /\(left - 1)\r\nContent-Length: 0\r\n\r\n"
                }
                let session = SocketSessionManager(configuration: SessionConfiguration { $0.maximumRedirects = 20 })
                let response = try await session.response(for: server.request("/20"))
                #expect(response.data == Data("there".utf8) && response.timings.redirects == 20 && server.connections == 1)
                #expect(response.url.path == "/0")
                #expect(try await failure(of: session, server.request("/21")).code == .tooManyRedirects)
            },
            .row("credentials are not sent again after a redirect back", "Go TestClientCopyHeadersOnRedirect") {
                let server = try RawServer.responding { request, _ in
                    let next = ["http://a.example/1": "http://b.example/2", "http://b.example/2": "http://a.example/3"]
                    guard let location = next[request.target] else { return WireRuleTests.ok("there") }
                    return "HTTP/1.1 302 Moved\r\nLocation: \(location)\r\nContent-Length: 0\r\n\r\n"
                }
                let url = try #require(URL(string: "http://a.example/1"))
                let request = NetworkRequest(url: url, headers: ["Authorization": "Bearer x"])
                _ = try await server.session().response(for: request)
                #expect(server.arrivals.map { $0.request["authorization"] } == ["Bearer x", nil, nil])
            },
            .row("a cookie that a redirect sets is sent to its target", "curl test1024") {
                let server = try leading("Set-Cookie: a=1\r\nContent-Length: 0\r\n")
                let session = SocketSessionManager(configuration: SessionConfiguration { $0.cookies = .separate })
                _ = try await session.response(for: server.request("/from"))
                #expect(server.arrivals.map { $0.request["cookie"] } == [nil, "a=1"])
            },
            .row("cookies of the request and of the store are sent in one field", "curl test1025") {
                let server = try leading("Set-Cookie: b=2\r\nContent-Length: 0\r\n")
                let session = SocketSessionManager(configuration: SessionConfiguration { $0.cookies = .separate })
                _ = try await session.response(for: server.request("/from", headers: ["Cookie": "a=1"]))
                #expect(server.arrivals.map { $0.request["cookie"] } == ["a=1", "a=1; b=2"])
            },
            .row("a cookie among the trailers is not stored", "OkHttp cookiesAndTrailers") {
                let server = try RawServer.responding { _, _ in
                    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nSet-Cookie: a=1\r\n\r\n0\r\nSet-Cookie: b=2\r\n\r\n"
                }
                let session = SocketSessionManager(configuration: SessionConfiguration { $0.cookies = .separate })
                for _ in 0..<2 { _ = try await session.response(for: server.request("/")) }
                #expect(server.arrivals.map { $0.request["cookie"] } == [nil, "a=1"])
            },
        ]
    }
#endif
