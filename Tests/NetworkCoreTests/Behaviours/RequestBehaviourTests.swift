#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkCore
    import Testing
    import TransferTestSupport

    /// A row with a request, and the bytes that are sent for it.
    struct SentRow: Behaviour {
        var name: String
        var source: String
        var request: NetworkRequest?
        /// The request line without its version; the code of the error if nothing is sent.
        var line: String
        /// Lines that the head has to contain.
        var has: [String]
        /// Names of fields that the head must not contain.
        var lacks: [String]
        var body: String

        static func row(
            _ name: String, _ source: String, _ url: String = "http://a.example/", method: RequestMethod = .get,
            headers: HeaderFields = [:], body: NetworkBody? = nil, sends line: String = "GET http://a.example/",
            has: [String] = [], lacks: [String] = [], sendsBody: String = ""
        ) -> SentRow {
            let request = URL(string: url).map { NetworkRequest(method: method, url: $0, headers: headers, body: body) }
            return SentRow(name: name, source: source, request: request, line: line, has: has, lacks: lacks, body: sendsBody)
        }
    }

    /// The bytes that are sent for a request (RFC 9112 §3, §6; RFC 9110 §7.2). One server is the proxy for all hosts.
    @Suite(.timeLimit(.minutes(10)))
    struct RequestBehaviourTests {
        @Test(arguments: targets + fields + bodies)
        func `a request is sent as in other HTTP clients`(row: SentRow) async throws {
            // Without a valid URL, the request cannot be created.
            guard let request = row.request else { return #expect(row.line == "invalidRequest") }
            for face in Face.allCases {
                let bodies = Watched<[String]>([])
                let server = try RawServer.responding { _, body in
                    bodies.withLock { $0.append(String(decoding: body, as: UTF8.self)) }
                    return WireRuleTests.ok("x")
                }
                let outcome = await face.outcome(of: server.session(), for: request)
                guard let sent = server.arrivals.first?.request else {
                    #expect(outcome.words == row.line, "\(face)")
                    continue
                }
                #expect(outcome.response != nil && "\(sent.method) \(sent.target)" == row.line, "\(face): \(outcome.words)")
                for line in row.has { #expect(sent.lines.contains(line), "\(face): \(sent.text)") }
                for field in row.lacks { #expect(sent[field.lowercased()] == nil, "\(face): \(field)") }
                #expect(sent.fields.count { $0.name == "host" } == 1, "\(face)")
                #expect(bodies.withLock { $0 } == [row.body], "\(face)")
            }
        }

        private static let targets: [SentRow] = [
            .row(
                "a query without a path gets a slash before it", "OkHttp urlContainsQueryButNoPath", "http://a.example?q=1",
                sends: "GET http://a.example/?q=1"),
            .row(
                "a fragment after the query is not sent", "curl test1110", "http://a.example/x?q#part?y",
                sends: "GET http://a.example/x?q"),
            .row("the default port is not sent", "RFC 9110 §4.2.3", "http://a.example:80/", has: ["Host: a.example"]),
            .row(
                "the port of an IPv6 address follows its brackets", "curl test240", "http://[1080::8:800]:81/x",
                sends: "GET http://[1080::8:800]:81/x", has: ["Host: [1080::8:800]:81"]),
            .row(
                "the zone of an IPv6 address is not sent", "Go TestRequestWrite, issue 9544", "http://[fe80::1%25en0]:81/",
                sends: "GET http://[fe80::1]:81/", has: ["Host: [fe80::1]:81"]),
            .row(
                "user information becomes Authorization, and is not part of the target", "Go TestBasicAuth",
                "http://u:p@a.example/", has: ["Authorization: Basic dTpw", "Host: a.example"]),
            .row(
                "a user without password has an empty one", "Go TestEmptyPasswordAuth", "http://u@a.example/",
                has: ["Authorization: Basic dTo="]),
            .row(
                "an Authorization field of the request takes precedence over it", "Go TestBasicAuthHeadersPreserved",
                "http://u:p@a.example/",
                headers: ["Authorization": "Bearer x"], has: ["Authorization: Bearer x"]),
            .row(
                "letters in a port are refused", "Go TestTransportRejectsAlphaPort", "http://a.example:123foo/",
                sends: "invalidRequest"),
        ]

        private static let fields: [SentRow] = [
            .row(
                "no Connection field is added", "RFC 9112 §9.3", lacks: ["Connection", "Proxy-Connection", "Keep-Alive", "TE"]),
            .row("an empty value is sent", "OkHttp emptyRequestHeaderValueIsAllowed", headers: ["X-A": ""], has: ["X-A:"]),
            .row(
                "fields of the same name are sent in their order", "OkHttp repeatedHeaderNames",
                headers: ["X-A": "1", "x-a": "2", "X-B": "3"], has: ["X-A: 1", "x-a: 2", "X-B: 3"]),
            .row(
                "a Host field of the request is the only one sent", "curl test62", headers: ["host": "b.example:1"],
                has: ["Host: b.example:1"]),
            .row(
                "a line end in a value is refused", "OkHttp requestHeaderValidationIsStrict", headers: ["X-A": "1\r\nX-B: 2"],
                sends: "invalidRequest"),
            .row(
                "a Content-Length field of the request is refused", "curl test3", method: .post, headers: ["Content-Length": "0"],
                body: .data(Data("text".utf8)), sends: "invalidRequest"),
            .row(
                "CONNECT is refused", "OkHttp setInvalidRequestMethodConnect", method: RequestMethod("CONNECT"),
                sends: "invalidRequest"),
        ]

        private static let text = NetworkBody.data(Data("text".utf8))

        private static func chunks(_ chunks: [String], length: Int64? = nil) -> NetworkBody {
            .stream(length: length) {
                AsyncStream<Data> { stream in
                    for chunk in chunks { stream.yield(Data(chunk.utf8)) }
                    stream.finish()
                }
            }
        }

        private static let framing = ["Content-Length", "Transfer-Encoding"]

        private static let bodies: [SentRow] = [
            .row(
                "GET with an empty body announces no body", "hyper client_get_req_body_implicitly_empty", body: .data(Data()),
                lacks: framing),
            .row("GET with a body is refused", "OkHttp getWithRequestBody", body: text, sends: "invalidRequest"),
            .row(
                "DELETE may have a body", "OkHttp bodyPermittedOnDelete", method: .delete, body: text,
                sends: "DELETE http://a.example/", has: ["Content-Length: 4"], sendsBody: "text"),
            .row(
                "a method of any name may have a body", "OkHttp customMethodWithBody", method: RequestMethod("REPORT"),
                body: text,
                sends: "REPORT http://a.example/", has: ["Content-Length: 4"], sendsBody: "text"),
            .row(
                "POST without a body announces a length of 0", "OkHttp zeroLengthPost", method: .post,
                sends: "POST http://a.example/", has: ["Content-Length: 0"], lacks: ["Transfer-Encoding"]),
            .row(
                "a body of unknown length is sent in chunks", "OkHttp uploadBodySmallChunkedEncoding", method: .post,
                body: chunks(["te", "xt"]), sends: "POST http://a.example/", has: ["Transfer-Encoding: chunked"],
                lacks: ["Content-Length"], sendsBody: "text"),
            .row(
                "an empty piece does not end a body of chunks", "Go chunkedWriter.Write", method: .post,
                body: chunks(["te", "", "xt"]), sends: "POST http://a.example/", has: ["Transfer-Encoding: chunked"],
                sendsBody: "text"),
            .row(
                "a body of known length in pieces is sent without chunks", "OkHttp fixedLengthUpload_byteByByte", method: .post,
                body: chunks("text".map(String.init), length: 4), sends: "POST http://a.example/", has: ["Content-Length: 4"],
                lacks: ["Transfer-Encoding"], sendsBody: "text"),
        ]
    }
#endif
