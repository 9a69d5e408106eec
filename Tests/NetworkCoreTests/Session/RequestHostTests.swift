#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkCore
    import Testing

    struct RequestHostTests {
        @Test func `an encoded host is looked up, compared and sent as the decoded one, also after a redirect`() async throws {
            let server = try RawServer.responding { request, _ in
                guard request.target == "/from" else { return WireRuleTests.ok(request["host"] ?? "") }
                return
                    "HTTP/1.1 302 Found\r\nLocation: //%6cocalhos%54:\(request["host"]?.split(separator: ":").last ?? "")/to\r\n"
                    + "Content-Length: 0\r\n\r\n"
            }
            for path in ["/to", "/from"] {
                let url = try #require(URL(string: "http://loc%61LHOST:\(server.port)\(path)"))
                let request = NetworkRequest(url: url)
                #expect(request.origin == "http://localhost:\(server.port)" && CookieLocation(request)?.host == "localhost")
                let response = try await SocketSessionManager().response(for: request)
                #expect(response.data == Data("localhost:\(server.port)".utf8))
                #expect(response.url.absoluteString == "http://localhost:\(server.port)/to")
            }
        }
    }
#endif
