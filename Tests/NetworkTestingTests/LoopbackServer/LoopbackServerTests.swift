import Endpoints
import Foundation
import Testing
import TransferTestSupport

@testable import NetworkTesting

@Suite(.timeLimit(.minutes(10))) struct LoopbackServerTests {
    private struct Unlucky: Error {}

    private static func makeServer(_ configuration: LoopbackServerConfiguration = .init()) throws -> LoopbackServer {
        try LoopbackServer(configuration: configuration) {
            LoopbackRoute(.get, "/movies/{id}") { request in .json(#"{"id": \#(request.pathParameters["id"]!)}"#) }
            LoopbackRoute(.post, "/movies") { request in
                LoopbackResponse(status: 201, headers: ["Location": "/movies/9"], body: request.body)
            }
            LoopbackRoute(.get, "/async") { _ in
                await Task.yield()
                return .text("later")
            }
            LoopbackRoute(.get, "/busy/{id}", inOrder: .text("one", status: 503), .text("two"), .text("three"))
            LoopbackRoute(.get, "/throws") { _ in throw Unlucky() }
            LoopbackRoute(.get, "/empty") { _ in .status(204) }
            LoopbackRoute(.get, "/unchanged") { _ in LoopbackResponse(status: 304, body: Data("x".utf8)) }
            LoopbackRoute(.get, "/chunks") { _ in
                .chunked([Data("ab".utf8), Data(), Data(repeating: 0x63, count: 17)], trailers: ["X-Sum": "1", "X-Sum": "2"])
            }
            LoopbackRoute(.get, "/hints") { _ in
                LoopbackResponse.text("done").interim(103, ["Link": "</a>"]).interim(102)
            }
            LoopbackRoute(.get, "/cookies") { _ in
                LoopbackResponse(headers: ["Set-Cookie": "a=1", "set-cookie": "b=2"], body: Data("x".utf8))
            }
            LoopbackRoute(.get, "/files/{a}/{b}") { request in
                .text(request.pathParameters["a", default: ""] + "|" + request.pathParameters["b", default: ""])
            }
        }
    }

    @Test func `a route with a list sends its responses in order, and then the last one again`() async throws {
        let server = try Self.makeServer()
        let session = DefaultSessionManager()
        var received: [String] = []
        for id in 1...5 {
            let response = try await session.response(for: NetworkRequest(url: server.url("/busy/\(id)")))
            received.append("\(response.statusCode) \(String(decoding: response.data, as: UTF8.self))")
        }
        #expect(received == ["503 one", "200 two", "200 three", "200 three", "200 three"])
        #expect(server.requests.map(\.path) == (1...5).map { "/busy/\($0)" })
    }

    @Test func `a route sends exactly the bytes of its response`() throws {
        let server = try Self.makeServer()
        let client = try RawSocketClient(server).get("/movies/1", "Connection: close")
        #expect(
            client.readToEnd() == (
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9\r\nConnection: close\r\n\r\n{\"id\": 1}",
                .closed
            ))
    }

    @Test func `a connection is reused, and requests on it are recorded with its number`() async throws {
        let server = try Self.makeServer()
        let first = try RawSocketClient(server).get("/movies/1?a=b", "X-One: 1")
        #expect(first.readResponse().body == #"{"id": 1}"#)
        try first.send("POST /movies HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc")
        let created = first.readResponse()
        #expect(created.head == "HTTP/1.1 201 Created\r\nLocation: /movies/9\r\nContent-Length: 3\r\n\r\n")
        #expect(created.body == "abc")
        let second = try RawSocketClient(server).get("/nowhere")
        _ = second.readResponse()

        let requests = await server.waitForRequests(count: 3)
        #expect(requests.map(\.connectionID) == [1, 1, 2])
        #expect(requests.map(\.method) == [.get, .post, .get])
        #expect(requests[0].target == "/movies/1?a=b" && requests[0].path == "/movies/1")
        #expect(requests[0].queryItems == [URLQueryItem(name: "a", value: "b")])
        #expect(requests[0].headers.values(for: "x-one") == ["1"])
        #expect(requests[1].text == "abc")
        #expect(requests.map(\.pathParameters) == [["id": "1"], [:], [:]])
        #expect(server.connectionCount == 2 && server.openConnectionCount == 2 && server.requestCount == 3)

        first.disconnect()
        second.disconnect()
        #expect(await server.waitForOpenConnections(count: 0))
        server.forgetRequests()
        #expect(server.requests.isEmpty && server.requestCount == 0)
    }

    @Test func `pipelined requests receive their responses in order, even if a handler takes longer`() async throws {
        let server = try Self.makeServer()
        let bodies = try await onThread {
            let client = try RawSocketClient(server)
            let one = "GET /async HTTP/1.1\r\nHost: h\r\n\r\n"
            let two = "POST /movies HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n"
            let three = "GET /movies/3 HTTP/1.1\r\nHost: h\r\n\r\n"
            try client.send(one + two + three)
            return [client.readResponse().body, client.readResponse().body, client.readResponse().body]
        }
        #expect(bodies == ["later", "ab", #"{"id": 3}"#])
    }

    @Test func `five thousand pipelined requests receive responses`() throws {
        let server = try Self.makeServer()
        let client = try RawSocketClient(server)
        let request = Data("GET /movies/3 HTTP/1.1\r\nHost: h\r\n\r\n".utf8)
        // Requests are sent in bursts that fit into the socket buffers of both sides.
        for _ in 0..<10 {
            try client.send((0..<500).reduce(into: Data()) { data, _ in data.append(request) })
            for _ in 0..<500 {
                guard client.readResponse().body == #"{"id": 3}"# else {
                    Issue.record("a response is missing")
                    return
                }
            }
        }
        #expect(server.requestCount == 5000)
    }

    @Test func `requests that arrive during a pause are held back and processed after it`() throws {
        let server = try LoopbackServer { request in
            LoopbackResponse.status(204).delayed(by: request.path == "/0" ? .milliseconds(50) : .zero)
        }
        let client = try RawSocketClient(server)
        let filler = String(repeating: "a", count: 4000)
        for number in 0..<300 { try client.get("/\(number)", "A: \(filler)") }
        for _ in 0..<300 where client.readResponse().head != "HTTP/1.1 204 No Content\r\n\r\n" {
            Issue.record("a response is missing")
        }
        #expect(server.requests.map(\.path) == (0..<300).map { "/\($0)" })
    }

    @Test func `requests that arrive during a long pause do not prevent the server from stopping`() async throws {
        let server = try LoopbackServer { _ in LoopbackResponse.status(204).delayed(by: .seconds(3600)) }
        let client = try RawSocketClient(server)
        for _ in 0..<100 { try client.get("/", "A: \(String(repeating: "a", count: 4000))") }
        await server.waitForRequests(count: 1)
        server.stop()
        #expect(server.openConnectionCount == 0)
    }

    @Test func `a head can be larger than the read-ahead limit`() throws {
        let server = try Self.makeServer(.init(maximumHeadBytes: 2 << 20))
        let client = try RawSocketClient(server).get("/movies/1", "A: \(String(repeating: "a", count: 1_000_000))")
        #expect(client.readResponse().body == #"{"id": 1}"#)
    }

    @Test func `a description contains no query, body or header value`() {
        let request = LoopbackRequest(
            target: "/a?token=canary", headers: ["Authorization": "canary"], body: Data("canary".utf8))
        var dumped = ""
        dump(request, to: &dumped)
        for text in ["\(request)", String(reflecting: request), "\([request])", dumped] {
            #expect(text.contains("/a") && !text.contains("canary"))
        }
    }

    @Test func `path parameters and literals are percent-decoded`() throws {
        let server = try Self.makeServer()
        let client = try RawSocketClient(server).get("/fi%6ces/a%2Fb/%C3%BC%zz")
        #expect(client.readResponse().body == "a/b|ü%zz")
    }

    @Test func `a request without a matching route receives a 404 that names method and path`() throws {
        let server = try Self.makeServer()
        let response = try RawSocketClient(server).get("/movies/?token=secret").readResponse()
        #expect(response.head.hasPrefix("HTTP/1.1 404 Not Found\r\n"))
        #expect(response.body == "No route for GET /movies/\n")
    }

    @Test func `another method on a known path receives a 405 with Allow`() throws {
        let server = try Self.makeServer()
        let client = try RawSocketClient(server).send("DELETE /movies/1 HTTP/1.1\r\nHost: h\r\n\r\n")
        let response = client.readResponse()
        #expect(response.head.hasPrefix("HTTP/1.1 405 Method Not Allowed\r\n"))
        #expect(response.head.contains("\r\nAllow: GET, HEAD\r\n"))
    }

    @Test func `HEAD receives the response to GET without its body, and the connection stays open`() throws {
        let server = try Self.makeServer()
        let client = try RawSocketClient(server)
        try client.send("HEAD /movies/1 HTTP/1.1\r\nHost: h\r\n\r\nGET /empty HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
        #expect(
            client.readToEnd().text
                == "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n"
                + "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
    }

    @Test func `a 304 has no body`() throws {
        let server = try Self.makeServer()
        let client = try RawSocketClient(server).get("/unchanged", "Connection: Close")
        #expect(client.readToEnd().text == "HTTP/1.1 304 Not Modified\r\nConnection: close\r\n\r\n")
    }

    @Test func `chunks and trailers are sent with the given boundaries`() throws {
        let server = try Self.makeServer()
        let client = try RawSocketClient(server).get("/chunks", "Connection: close")
        let expected =
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
            + "2\r\nab\r\n11\r\nccccccccccccccccc\r\n0\r\nX-Sum: 1\r\nX-Sum: 2\r\n\r\n"
        #expect(client.readToEnd() == (expected, .closed))
    }

    @Test func `an HTTP 1.0 request receives no chunks and no interim response, and the connection closes`() throws {
        let server = try Self.makeServer()
        let chunks = try RawSocketClient(server).send("GET /chunks HTTP/1.0\r\n\r\n").readToEnd()
        #expect(chunks == ("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nabccccccccccccccccc", .closed))
        let hints = try RawSocketClient(server).send("GET /hints HTTP/1.0\r\n\r\n").readToEnd()
        #expect(hints.text.hasPrefix("HTTP/1.1 200 OK\r\n") && hints.end == .closed)
    }

    @Test func `interim responses are sent before the final one`() throws {
        let server = try Self.makeServer()
        let client = try RawSocketClient(server).get("/hints")
        #expect(client.readResponse().head == "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
        #expect(client.readResponse().head == "HTTP/1.1 102 Processing\r\n\r\n")
        #expect(client.readResponse().body == "done")
    }

    @Test func `header fields keep their order, case and repetitions`() throws {
        let server = try Self.makeServer()
        let head = try RawSocketClient(server).get("/cookies").readResponse().head
        #expect(head == "HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\nset-cookie: b=2\r\nContent-Length: 1\r\n\r\n")
    }

    @Test func `a handler that throws causes a 500`() throws {
        let server = try Self.makeServer()
        let response = try RawSocketClient(server).get("/throws").readResponse()
        #expect(response.head.hasPrefix("HTTP/1.1 500 Internal Server Error\r\n"))
        #expect(response.body == "The handler threw: Unlucky()\n")
    }

    @Test func `a 100 Continue is sent before the body is read`() throws {
        let server = try Self.makeServer()
        let client = try RawSocketClient(server)
        try client.send("POST /movies HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
        #expect(client.readResponse().head == "HTTP/1.1 100 Continue\r\n\r\n")
        try client.send("ok")
        #expect(client.readResponse().body == "ok")
    }

    @Test(arguments: [
        ("nonsense\r\n\r\n", "HTTP/1.1 400 Bad Request\r\n"),
        ("GET / HTTP/1.1\r\nHost: h\r\nA: \(String(repeating: "a", count: 70_000))\r\n\r\n", "HTTP/1.1 431 Request Header"),
        ("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 268435457\r\n\r\n", "HTTP/1.1 413 Content Too Large\r\n"),
    ])
    func `a malformed request receives an error response and the connection is closed`(request: String, start: String) throws {
        let server = try Self.makeServer()
        let (text, end) = try RawSocketClient(server).send(request).readToEnd()
        #expect(text.hasPrefix(start) && text.contains("\r\nConnection: close\r\n"))
        #expect(end == .closed)
        #expect(server.requestCount == 0)
    }

    @Test func `the response to a rejected body is received completely, and not lost in a reset`() throws {
        let server = try Self.makeServer(.init(maximumBodyBytes: 10))
        let client = try RawSocketClient(server)
        try client.send("POST /movies HTTP/1.1\r\nHost: h\r\nContent-Length: 3000000\r\n\r\n")
        try client.send(Data(count: 3_000_000))
        let (text, end) = client.readToEnd()
        #expect(text.hasPrefix("HTTP/1.1 413 ") && end == .closed)
    }

    @Test func `only the latest requests are recorded, but all are counted`() throws {
        let server = try Self.makeServer(.init(maximumRecordedRequests: 3))
        let client = try RawSocketClient(server)
        for number in 1...20 {
            try client.get("/movies/\(number)")
            _ = client.readResponse()
        }
        #expect(server.requestCount == 20)
        #expect(server.requests.map(\.path) == ["/movies/18", "/movies/19", "/movies/20"])
    }

    @Test func `one closure can handle every request`() async throws {
        let immediate = try LoopbackServer { request in .text("any \(request.path)") }
        #expect(try RawSocketClient(immediate).get("/x").readResponse().body == "any /x")
        let asynchronous = try LoopbackServer { request in
            await Task.yield()
            return .text("any \(request.path)")
        }
        let body = try await onThread { try RawSocketClient(asynchronous).get("/y").readResponse().body }
        #expect(body == "any /y")
    }

    @Test func `URLs point at the server`() throws {
        let server = try LoopbackServer()
        #expect(server.url.absoluteString == "http://127.0.0.1:\(server.port)")
        #expect(server.url("/a?b=c%20d").absoluteString == "http://127.0.0.1:\(server.port)/a?b=c%20d")
        #expect(server.url("a").absoluteString == "http://127.0.0.1:\(server.port)/a")
    }
}
