#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkCore
    import NetworkSupport
    import NetworkTesting
    import Testing
    import TransferTestSupport

    @Suite(.timeLimit(.minutes(10)), .alsoOverURLSession, .alsoOnEventLoops)
    struct EngineExchangeTests {
        let session = testedSession()

        private func echoServer() throws -> LoopbackServer {
            try LoopbackServer { request in
                LoopbackResponse(headers: ["X-Method": request.method.rawValue], body: request.body)
            }
        }

        @Test(arguments: [RequestMethod.post, .put, .patch, .delete, .options, RequestMethod("PROPFIND")])
        func `the server receives the method and the body unchanged`(method: RequestMethod) async throws {
            let server = try echoServer()
            let body = Data("a=1&b=\u{0}2".utf8)
            let response = try await session.response(for: server.request("/", method: method, body: body))
            #expect(response.headers["x-method"] == method.rawValue)
            #expect(response.data == body)
            #expect(server.requests.first?.headers["Content-Type"] == nil, "no Content-Type is added")
            #expect(server.requests.first?.headers.values(for: "Content-Length") == ["\(body.count)"])
        }

        @Test(
            .notOverURLSession(.fields),
            arguments: [(RequestMethod.get, nil), (.head, nil), (.delete, nil), (.post, "0"), (.put, "0"), (.patch, "0")])
        func `without a body, Content-Length is sent only if the method expects content (RFC 9110 §8.6)`(
            method: RequestMethod, length: String?
        )
            async throws
        {
            let server = try echoServer()
            _ = try await session.response(for: server.request("/", method: method))
            #expect(server.requests.first?.method == method)
            #expect(server.requests.first?.headers["Content-Length"] == length)
            #expect(server.requests.first?.headers.contains("Transfer-Encoding") == false)
        }

        @Test func `a reused handle keeps no settings of the previous request`() async throws {
            let server = try echoServer()
            let session = testedSession { $0.maximumConnectionsPerHost = 1 }
            let large = Data(repeating: 7, count: 100_000)
            for (method, body) in [
                (RequestMethod.post, Data("x".utf8)), (.get, nil), (.head, nil), (.put, large), (.get, nil),
                (RequestMethod("PURGE"), nil),
                (.post, nil), (.delete, Data("y".utf8)), (.get, nil), (.post, large), (.post, Data()),
            ] as [(RequestMethod, Data?)] {
                let response = try await session.response(for: server.request("/", method: method, body: body))
                #expect(response.headers["x-method"] == method.rawValue)
                #expect(response.data == (method == .head ? Data() : body ?? Data()))
            }
            #expect(server.connectionCount == 1)
        }

        @Test(.notOverURLSession(.padding), arguments: [1, 15, 1000, 1_000_000, 3_000_000], [true, false])
        func `a body in memory has the padding from which JSON is decoded in place`(count: Int, isChunked: Bool) async throws {
            let body = Data("\"\(String(repeating: "x", count: count))\"".utf8)
            let server = try LoopbackServer { _ in isChunked ? .chunked([body]) : LoopbackResponse(body: body) }
            let response = try await session.response(for: server.request("/"))
            guard case .data(let text) = response.body.source else {
                Issue.record("the body is not in memory")
                return
            }
            #expect(text.hasPadding && text.data == body && response.data == body && response.data.startIndex == 0)
            #expect(response.body == .data(body))
            #expect(try TransferJSONDecoder().decode(String.self, from: text).utf8.count == count)
        }

        @Test(arguments: [0, 1, 14, 15, 32 << 10, (32 << 10) + 1, 1_000_000, 20_000_000])
        func `bodies of any size are uploaded and downloaded unchanged`(count: Int) async throws {
            let server = try echoServer()
            let body = Data.pattern(count)
            let response = try await session.response(for: server.request("/", method: .post, body: body))
            #expect(response.data == body)
            #expect(response.timings.bytesSent == Int64(count))
            #expect(response.timings.bytesReceived == Int64(count))
        }

        @Test func `a slice of data is sent without the bytes outside of it`() async throws {
            let server = try echoServer()
            let slice = Data(repeating: 1, count: 100_000).dropFirst(50_000)
            let response = try await session.response(for: server.request("/", method: .post, body: slice))
            #expect(response.data == Data(slice))
        }

        @Test(.notOverURLSession(.fields))
        func `header fields are sent and received unchanged`() async throws {
            let server = try LoopbackServer { _ in
                LoopbackResponse(headers: ["Set-Cookie": "a=1", "set-cookie": "b=2", "X-Empty": "", "ETag": "\"é\""])
            }
            let headers: HeaderFields = ["x-lower": "1", "X-Two": "a", "X-Two": "b", "X-Empty": "", "X-Utf8": "é"]
            let response = try await session.response(for: server.request("/", headers: headers))
            let sent = try #require(server.requests.first).headers
            #expect(sent.values(for: "X-Two") == ["a", "b"])
            #expect(sent.contains { $0.name == "x-lower" && $0.value == "1" }, "names keep their case")
            #expect(sent["X-Empty"] == "")
            #expect(sent["X-Utf8"] == "é")
            #expect(sent["User-Agent"] == "swift-data-transfer")
            #expect(response.headers.values(for: "Set-Cookie") == ["a=1", "b=2"])
            #expect(response.headers["x-empty"] == "")
            #expect(response.headers["etag"] == "\"é\"")
        }

        @Test func `header fields that the caller sets replace the default ones`() async throws {
            let server = try echoServer()
            let headers: HeaderFields = [
                "User-Agent": "mine", "Accept-Encoding": "identity", "Content-Type": "a/b", "Accept": "x/y",
            ]
            _ = try await session.response(for: server.request("/", method: .post, headers: headers, body: Data("x".utf8)))
            let sent = try #require(server.requests.first).headers
            for field in headers {
                #expect(sent.values(for: field.name) == [field.value])
            }
        }

        @Test func `cookies are neither stored nor sent by default`() async throws {
            let server = try LoopbackServer { _ in LoopbackResponse(headers: ["Set-Cookie": "a=1; Path=/"]) }
            for _ in 0..<2 { _ = try await session.response(for: server.request("/")) }
            #expect(server.requests.allSatisfy { !$0.headers.contains("Cookie") })
        }

        @Test func `a response with any status code is returned and is not an error`() async throws {
            let server = try LoopbackServer { request in LoopbackResponse(status: Int(request.path.dropFirst()) ?? 500) }
            for status in [200, 201, 204, 206, 300, 304, 400, 401, 404, 418, 500, 503, 599] {
                let response = try await session.response(for: server.request("/\(status)"))
                #expect(response.statusCode == status)
            }
        }

        @Test(.notOverURLSession(.trailers))
        func `interim responses are skipped, and trailer fields are returned separately`() async throws {
            let server = try LoopbackServer {
                LoopbackRoute(.get, "/interim") { _ in LoopbackResponse.text("final").interim(103, ["Link": "</a>"]) }
                LoopbackRoute(.get, "/trailers") { _ in
                    .chunked([Data("ab".utf8), Data("c".utf8)], trailers: ["X-Sum": "3"], headers: ["Trailer": "X-Sum"])
                }
            }
            let final = try await session.response(for: server.request("/interim"))
            #expect(final.statusCode == 200 && final.data == Data("final".utf8) && !final.headers.contains("Link"))
            let chunked = try await session.response(for: server.request("/trailers"))
            #expect(chunked.data == Data("abc".utf8) && chunked.trailers["x-sum"] == "3" && !chunked.headers.contains("X-Sum"))
        }

        @Test(.notOverURLSession(.paths))
        func `the path and the query are sent unchanged`() async throws {
            let server = try echoServer()
            for path in ["/a/../b", "/a%2Fb/%2e%2e", "/a//b", "/?q=a%20b%2B&q=", "/x;y=1,2"] {
                _ = try await session.response(for: server.request(path))
                #expect(server.requests.last?.target == path)
            }
        }

        @Test func `user information in a URL is sent as Basic credentials`() async throws {
            let server = try echoServer()
            let url = try #require(URL(string: "http://us%20er:p%40ss@127.0.0.1:\(server.port)/x?y=1"))
            let response = try await session.response(for: NetworkRequest(url: url))
            let expected = "Basic " + Data("us er:p@ss".utf8).base64EncodedString()
            #expect(server.requests.first?.headers["Authorization"] == expected)
            #expect(!response.url.absoluteString.contains("@"))
        }

        @Test(.notOverURLSession(.phases))
        func `timings contain the phases and whether the connection was reused`() async throws {
            let server = try echoServer()
            let first = try await session.response(for: server.request("/")).timings
            let second = try await session.response(for: server.request("/")).timings
            #expect(first.isReusedConnection == false && second.isReusedConnection == true)
            #expect(first.connect != nil && second.connect == nil && first.tls == nil)
            #expect(first.total > .zero && first.firstByte != nil && first.protocolName == "http/1.1")
        }

        @Test func `a completion handler may block until another request has completed`() async throws {
            let server = try echoServer()
            let response: NetworkResponse = await withCheckedContinuation { continuation in
                session.response(for: server.request("/outer")) { outer in
                    // On the thread that runs transfers, waiting here for another transfer would never end.
                    let done = DispatchSemaphore(value: 0)
                    session.response(for: server.request("/inner")) { _ in done.signal() }
                    done.wait()
                    if case .success(let response) = outer { continuation.resume(returning: response) }
                }
            }
            #expect(response.statusCode == 200)
        }

        @Test func `the error of an invalid request names the invalid field`() async throws {
            let server = try echoServer()
            let error = try await failure(of: session, server.request("/", headers: ["X-A": "a\r\nX-B: b"]))
            #expect(error.code == .invalidRequest)
            #expect((error.underlying as? RequestGenerationError)?.field == .headerValue("X-A"))
            #expect(server.requests.isEmpty)
        }

        @Test func `requests fail with a configuration error if a limit is invalid`() async throws {
            let server = try echoServer()
            let session = testedSession { $0.maximumConnectionsPerHost = 0 }
            let error = try await failure(of: session, server.request("/"))
            #expect(error.code == .invalidConfiguration && error.message.contains("maximumConnectionsPerHost"))
        }
    }
#endif
