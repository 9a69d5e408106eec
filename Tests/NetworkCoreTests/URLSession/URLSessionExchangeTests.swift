import Endpoints
import Foundation
import NetworkCore
import NetworkTesting
import Testing
import TransferTestSupport
import NetworkURLSession

extension URLSessionTests {
    @Suite(.timeLimit(.minutes(10))) struct URLSessionExchangeTests {
        private let manager = URLSessionManager()

        @Test(arguments: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY"])
        func `a request without a body is sent with its method and target unchanged`(name: String) async throws {
            let server = try LoopbackServer { request in .text("\(request.method) \(request.target)") }
            let response = try await manager.response(
                for: NetworkRequest(method: RequestMethod(name), url: server.url("/a%20b?c=d%2B")))
            #expect(response.statusCode == 200)
            #expect(response.text == (name == "HEAD" ? "" : "\(name) /a%20b?c=d%2B"))
            #expect(response.headers["Content-Type"] == "text/plain; charset=utf-8")
            let received = try #require(server.requests.first)
            #expect(received.method.rawValue == name && received.body.isEmpty)
            #expect(!received.headers.contains("Content-Type"))
            #expect(!received.headers.contains("Transfer-Encoding"))
        }

        @Test(arguments: ["POST", "PUT", "PATCH", "DELETE", "QUERY"], [nil, "application/json"])
        func `a body is sent with the given Content-Type, or without one`(method: String, type: String?) async throws {
            let server = try LoopbackServer { request in .data(request.body) }
            var request = NetworkRequest(
                method: RequestMethod(method), url: server.url("/"), body: .data(Data("{\"a\": 1}".utf8)))
            request.headers["Content-Type"] = type
            let response = try await manager.response(for: request)
            #expect(response.text == "{\"a\": 1}")
            let received = try #require(server.requests.first)
            #expect(received.headers["Content-Type"] == type)
            #expect(received.headers.values(for: "Content-Length") == ["8"])
            #expect(!received.headers.contains("Transfer-Encoding") && !received.headers.contains("Expect"))
        }

        @Test func `a large body is unchanged in both directions`() async throws {
            let server = try LoopbackServer { request in .data(request.body) }
            var random = SeededGenerator(seed: 7)
            let body = Data((0..<3_000_000).map { _ in UInt8.random(in: 0...255, using: &random) })
            let response = try await manager.response(for: NetworkRequest(method: .post, url: server.url("/"), body: .data(body)))
            #expect(response.data == body)
            #expect(response.timings.bytesSent == 3_000_000 && response.timings.bytesReceived == 3_000_000)
            #expect(response.timings.total > .zero)
        }

        @Test func `request header fields are sent`() async throws {
            let server = try LoopbackServer { _ in .status(204) }
            var request = NetworkRequest(url: server.url("/"))
            request.headers = [
                "Accept": "text/plain", "X-Many": "one", "X-Many": "two", "X-Empty": "", "X-Text": "a, b; c=\"d\"",
            ]
            let response = try await manager.response(for: request)
            #expect(response.statusCode == 204 && response.data.isEmpty)
            let received = try #require(server.requests.first).headers
            #expect(received["X-Many"]?.filter { $0 != " " } == "one,two")
            #expect(received["X-Empty"] == "")
            #expect(received["X-Text"] == "a, b; c=\"d\"")
            #expect(received["Accept"] == "text/plain")
            #expect(received["User-Agent"] == "swift-data-transfer")
        }

        @Test func `user information in a URL is sent as Basic credentials`() async throws {
            let server = try LoopbackServer { _ in .status(204) }
            // Not a word of other tests: from now on, the process redacts it everywhere.
            let url = try #require(URL(string: "http://me:p4ss-in-url@127.0.0.1:\(server.port)/"))
            let response = try await manager.response(for: NetworkRequest(url: url))
            #expect(response.url.absoluteString == "http://127.0.0.1:\(server.port)/")
            #expect(server.requests.first?.headers["Authorization"] == "Basic bWU6cDRzcy1pbi11cmw=")
        }

        @Test func `response header fields are received, with separate cookies`() async throws {
            let server = try LoopbackServer { _ in
                LoopbackResponse.status(
                    200, headers: ["ETag": "\"x\"", "Set-Cookie": "a=1; Expires=Sat, 01 Jan 2028 00:00:00 GMT"]
                )
                .header("b=2; Path=/", for: "Set-Cookie").header("one", for: "X-Many").header("two", for: "X-Many")
            }
            let response = try await manager.response(for: NetworkRequest(url: server.url("/")))
            #expect(response.headers["etag"] == "\"x\"")
            #expect(
                response.headers.values(for: "Set-Cookie") == ["a=1; Expires=Sat, 01 Jan 2028 00:00:00 GMT", "b=2; Path=/"])
            #expect(response.headers["X-Many"] == "one, two")
        }

        @Test func `cookies are neither stored nor sent`() async throws {
            let server = try LoopbackServer { _ in LoopbackResponse.status(200, headers: ["Set-Cookie": "a=1"]) }
            for _ in 0..<2 { _ = try await manager.response(for: NetworkRequest(url: server.url("/"))) }
            #expect(server.requests.count == 2)
            #expect(!server.requests.contains { $0.headers.contains("Cookie") })
            var request = NetworkRequest(url: server.url("/"))
            request.headers["Cookie"] = "mine=1"
            _ = try await manager.response(for: request)
            #expect(server.requests.last?.headers["Cookie"] == "mine=1")
        }

        @Test(arguments: [200, 201, 204, 304, 400, 404, 429, 500, 503, 599])
        func `a response with any status code is returned and is not an error`(status: Int) async throws {
            let server = try LoopbackServer { _ in .status(status) }
            #expect(try await manager.response(for: NetworkRequest(url: server.url("/"))).statusCode == status)
        }

        @Test func `interim responses are ignored`() async throws {
            let server = try LoopbackServer { _ in .text("final").interim(103, ["Link": "</a.css>"]) }
            let response = try await manager.response(for: NetworkRequest(url: server.url("/")))
            #expect(response.statusCode == 200 && response.text == "final")
            #expect(!response.headers.contains("Link"))
        }

        @Test func `the chunks of a chunked body are joined`() async throws {
            let server = try LoopbackServer { _ in .chunked([Data("one ".utf8), Data("two".utf8)]) }
            #expect(try await manager.response(for: NetworkRequest(url: server.url("/"))).text == "one two")
        }

        @Test func `a URL scheme in capital letters is accepted`() async throws {
            let server = try LoopbackServer { _ in .text("ok") }
            let url = try #require(URL(string: "HTTP://127.0.0.1:\(server.port)/"))
            #expect(try await manager.response(for: NetworkRequest(url: url)).text == "ok")
        }

        @Test func `the number of connections per host does not exceed the limit`() async throws {
            let server = try LoopbackServer { _ in LoopbackResponse.text("ok").delayed(by: .milliseconds(2)) }
            let manager = URLSessionManager(configuration: SessionConfiguration { $0.maximumConnectionsPerHost = 3 })
            let texts = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<50 {
                    group.addTask { try await manager.response(for: NetworkRequest(url: server.url("/"))).text }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(texts.count == 50)
            #expect(server.connectionCount <= 3)
        }

        @Test func `a session manager that is released closes its connections`() async throws {
            let server = try LoopbackServer { _ in .text("ok") }
            var manager: URLSessionManager? = URLSessionManager()
            #expect(try await manager?.response(for: NetworkRequest(url: server.url("/"))).text == "ok")
            #expect(server.openConnectionCount == 1)
            manager = nil
            #expect(await server.waitForOpenConnections(count: 0))
        }

        @Test func `a transfer completes after its session manager was released`() async throws {
            let server = try LoopbackServer { request in
                request.path == "/" ? .status(302, headers: ["Location": "/next"]) : .text("ok")
            }
            let outcomes = Outcomes()
            URLSessionManager().response(for: NetworkRequest(url: server.url("/")), completion: outcomes.completion)
            #expect(try await outcomes.wait(count: 1)[0].get().text == "ok")
            #expect(await server.waitForOpenConnections(count: 0))
        }
    }
}
