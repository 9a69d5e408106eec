import Endpoints
import Foundation
import NetworkTesting
import Testing

@testable import NetworkTransport
@testable import NetworkURLSession

extension URLSessionTests {
    @Suite(.timeLimit(.minutes(10))) struct URLSessionRedirectTests {
        private let manager = URLSessionManager()

        private static func server() throws -> LoopbackServer {
            try LoopbackServer { request in
                guard let status = Int(request.path.dropFirst()) else {
                    return .text("\(request.method) \(request.path) \(request.text)")
                }
                return LoopbackResponse.text("moved", status: status).header("/end", for: "Location")
            }
        }

        /// RFC 9110 §15.4.
        @Test(arguments: [
            (301, "GET", "GET"), (301, "POST", "GET"), (301, "PUT", "PUT"), (302, "POST", "GET"), (302, "PUT", "PUT"),
            (302, "HEAD", "HEAD"), (303, "POST", "GET"), (303, "PUT", "GET"), (303, "HEAD", "HEAD"), (307, "POST", "POST"),
            (307, "GET", "GET"), (308, "POST", "POST"), (308, "DELETE", "DELETE"),
        ])
        func `the method and body are kept or changed after a redirect, depending on its status`(
            status: Int, method: String, after: String
        ) async throws {
            let server = try Self.server()
            var request = NetworkRequest(method: RequestMethod(method), url: server.url("/\(status)"))
            if request.method.allowsBody {
                request.body = .data(Data("content".utf8))
                request.headers = ["Content-Type": "text/plain", "Authorization": "Bearer one"]
            }
            let response = try await manager.response(for: request)
            let body = request.body != nil && after == method ? "content" : ""
            #expect(response.text == (after == "HEAD" ? "" : "\(after) /end \(body)"))
            #expect(response.url == server.url("/end") && response.timings.redirects == 1)
            let last = try #require(server.requests.last)
            #expect(last.method.rawValue == after && last.text == body)
            #expect(last.headers.contains("Content-Type") == !body.isEmpty)
            #expect(last.headers["Authorization"] == request.headers["Authorization"])
        }

        @Test func `credentials are removed from a cross-origin redirect`() async throws {
            let other = try LoopbackServer { request in .text(request.text) }
            let target = other.url("/there").absoluteString
            let server = try LoopbackServer { _ in .status(307, headers: ["Location": target]) }
            let headers: HeaderFields = [
                "Authorization": "Bearer one", "Cookie": "a=1", "X-Api-Key": "k", "Accept": "text/plain",
            ]
            let request = NetworkRequest(method: .post, url: server.url("/"), headers: headers, body: .data(Data("content".utf8)))
            #expect(try await manager.response(for: request).text == "content")
            let received = try #require(other.requests.first?.headers)
            #expect(received["Accept"] == "text/plain")
            for name in ["Authorization", "Cookie", "X-Api-Key"] { #expect(!received.contains(name), "\(name)") }
        }

        @Test func `a redirect loop ends at the limit for redirects`() async throws {
            let server = try LoopbackServer { _ in .status(302, headers: ["Location": "/again"]) }
            #expect(await manager.error(for: NetworkRequest(url: server.url("/")))?.code == .tooManyRedirects)
            #expect(server.requestCount == 11)
        }

        @Test func `if no redirects are allowed, the redirect itself is returned as the response`() async throws {
            let server = try Self.server()
            let manager = URLSessionManager(configuration: SessionConfiguration { $0.maximumRedirects = 0 })
            let response = try await manager.response(for: NetworkRequest(url: server.url("/302")))
            #expect(response.statusCode == 302 && response.headers["Location"] == "/end")
            #expect(server.requestCount == 1)
        }

        @Test(arguments: ["ftp://example.com/", "file:///etc/passwd", "data:text/plain,hello"])
        func `a redirect to another scheme is refused`(location: String) async throws {
            let server = try LoopbackServer { _ in .status(302, headers: ["Location": location]) }
            #expect(await manager.error(for: NetworkRequest(url: server.url("/")))?.code == .redirectRefused)
            #expect(server.requestCount == 1)
        }

        @Test(arguments: [("sibling", "/a/sibling"), ("../up", "/up"), ("?q=1", "/a/b?q=1"), ("/%2Fx", "/%2Fx")])
        func `a relative Location is resolved against the request URL`(location: String, target: String) async throws {
            let server = try LoopbackServer { request in
                request.target == "/a/b" ? .status(302, headers: ["Location": location]) : .text(request.target)
            }
            #expect(try await manager.response(for: NetworkRequest(url: server.url("/a/b"))).text == target)
        }

        @Test func `a redirect status without a Location is returned as a response`() async throws {
            let server = try LoopbackServer { _ in .text("choose", status: 302) }
            let response = try await manager.response(for: NetworkRequest(url: server.url("/")))
            #expect(response.statusCode == 302 && response.headers["Content-Length"] == "6")
        }

        @Test func `a redirect from https to http is refused`() throws {
            let rules = RedirectRules(SessionConfiguration())
            let request = NetworkRequest(url: try #require(URL(string: "https://example.com/")))
            let error = #expect(throws: TransportError.self) {
                try rules.next(after: request, status: 302, headers: ["Location": "http://example.com/"], trail: RedirectTrail())
            }
            #expect(error?.code == .redirectRefused)
        }
    }
}
