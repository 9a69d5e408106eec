#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkCore
    import Testing
    import TransferTestSupport

    /// A redirect, and the request that follows it.
    struct RedirectRow: Behaviour {
        var name: String
        var source: String
        var status: Int
        var location: String?
        var request: NetworkRequest
        /// The request line of the second request, without its version; `nil` if there is no second request.
        var line: String?
        /// The outcome when no redirect is followed: the status, or the code of the error.
        var gives: String
        /// Lines that the second request has to contain.
        var has: [String]
        /// Names of fields that the second request must not contain.
        var lacks: [String]
        var body: String

        static func row(
            _ name: String, _ source: String, _ location: String?, status: Int = 302,
            from url: String = "http://a.example/dir/file?q=1", method: RequestMethod = .get, headers: HeaderFields = [:],
            body: NetworkBody? = nil, redirects: RedirectPolicy = .follow, sends line: String? = nil, gives: String = "200",
            has: [String] = [],
            lacks: [String] = [], sendsBody: String = ""
        ) -> RedirectRow {
            var request = NetworkRequest(
                method: method, url: URL(string: url) ?? URL(fileURLWithPath: "/"), headers: headers, body: body)
            request.redirects = redirects
            return RedirectRow(
                name: name, source: source, status: status, location: location, request: request, line: line, gives: gives,
                has: has, lacks: lacks, body: sendsBody)
        }
    }

    /// Which request follows a redirect (RFC 9110 §10.2.2, §15.4). One server is the proxy for all hosts.
    @Suite(.timeLimit(.minutes(10)))
    struct RedirectBehaviourTests {
        @Test(arguments: methods + locations + credentials)
        func `a redirect is followed as in other HTTP clients`(row: RedirectRow) async throws {
            for face in Face.allCases {
                let bodies = Watched<[String]>([])
                let server = try RawServer.responding { request, body in
                    bodies.withLock { $0.append(String(decoding: body, as: UTF8.self)) }
                    guard request.target == row.request.url.absoluteString || request.target.hasSuffix("/dir/file?q=1") else {
                        return WireRuleTests.ok("there")
                    }
                    let location = row.location.map { "Location: \($0)\r\n" } ?? ""
                    return "HTTP/1.1 \(row.status) Moved\r\n\(location)Content-Length: 0\r\n\r\n"
                }
                let outcome = await face.outcome(of: server.session(), for: row.request)
                #expect(outcome.words.hasPrefix(row.gives), "\(face): \(outcome.words)")
                let second = server.arrivals.dropFirst().first?.request
                #expect(second.map { "\($0.method) \($0.target)" } == row.line, "\(face)")
                #expect(server.arrivals.count == (row.line == nil ? 1 : 2), "\(face)")
                guard let second else { continue }
                for line in row.has { #expect(second.lines.contains(line), "\(face): \(second.text)") }
                for field in row.lacks { #expect(second[field.lowercased()] == nil, "\(face): \(field)") }
                #expect(bodies.withLock { $0.last } == row.body, "\(face)")
            }
        }

        private static let text = NetworkBody.data(Data("text".utf8))

        private static let methods: [RedirectRow] = [
            .row(
                "301 changes POST to GET, without the body and its fields", "OkHttp response301MovedPermanentlyWithPost", "/to",
                status: 301,
                method: .post, headers: ["Content-Type": "text/plain", "X-A": "1"], body: text, sends: "GET http://a.example/to",
                has: ["X-A: 1"], lacks: ["Content-Type", "Content-Length", "Transfer-Encoding"]),
            .row(
                "fields that describe the content are removed when POST becomes GET", "RFC 9110 §15.4", "/to", status: 303,
                method: .post,
                headers: ["Digest": "d", "Repr-Digest": "r", "Last-Modified": "l", "X-A": "1"], body: text,
                sends: "GET http://a.example/to", has: ["X-A: 1"], lacks: ["Digest", "Repr-Digest", "Last-Modified"]),
            .row(
                "303 changes PUT to GET", "curl test1984", "/to", status: 303, method: .put, body: text,
                sends: "GET http://a.example/to"),
            .row(
                "301 keeps PUT and its body", "curl test1051", "/to", status: 301, method: .put, body: text,
                sends: "PUT http://a.example/to", sendsBody: "text"),
            .row(
                "302 keeps PROPFIND and its body", "OkHttp propfindRedirectsToPropfindAndMaintainsRequestBody", "/to",
                method: RequestMethod("PROPFIND"), body: text, sends: "PROPFIND http://a.example/to", sendsBody: "text"),
            .row(
                "303 changes QUERY to GET", "OkHttp queryRedirectsToGetAndDropsRequestBodyOnSeeOther", "/to", status: 303,
                method: .query, body: text, sends: "GET http://a.example/to"),
            .row(
                "307 sends POST and its body again", "OkHttp response307WithPost", "/to", status: 307, method: .post,
                headers: ["Content-Type": "text/plain"], body: text, sends: "POST http://a.example/to",
                has: ["Content-Type: text/plain", "Content-Length: 4"], sendsBody: "text"),
            .row(
                "a streamed body is not needed after 302", "OkHttp postRedirectToGetWithStreamedRequest", "/to",
                method: .post, body: .stream(makeChunks: { AsyncStream<Data> { $0.finish() } }), sends: "GET http://a.example/to",
                lacks: ["Transfer-Encoding"]),
            .row(
                "a body that can be created again is sent again after 308", "Go TestTransportBodyAltRewind", "/to", status: 308,
                method: .post,
                body: .stream(makeChunks: {
                    AsyncStream<Data> { stream in
                        stream.yield(Data("text".utf8))
                        stream.finish()
                    }
                }), sends: "POST http://a.example/to", has: ["Transfer-Encoding: chunked"], sendsBody: "text"),
            .row("a 300 with a Location is followed", "RFC 9110 §15.4.1", "/to", status: 300, sends: "GET http://a.example/to"),
            .row(
                "a 300 with a Location is returned to POST", "OkHttp response300MultipleChoiceWithPost", "/to", status: 300,
                method: .post, body: text,
                gives: "300"),
            .row("a 300 without a Location is returned", "Go redirectBehavior", nil, status: 300, gives: "300"),
            .row(
                "301 keeps POST if the request asks for it", "curl test1012", "/to", status: 301, method: .post, body: text,
                redirects: .keepMethod, sends: "POST http://a.example/to", sendsBody: "text"),
            .row(
                "a redirect is returned if the request asks for it", "RFC 9110 §15.4", "app://callback", redirects: .doNotFollow,
                gives: "302"),
            .row(
                "a closure refuses a redirect", "RFC 9110 §15.4", "http://b.example/", redirects: .decide { _ in .refuse("no") },
                gives: "redirectRefused"),
            .row("a 305 is returned", "OkHttp response305UseProxy", "/to", status: 305, gives: "305"),
            .row("a 301 without a Location is returned", "Go TestClientRedirectNoLocation", nil, status: 301, gives: "301"),
        ]

        private static let locations: [RedirectRow] = [
            .row("a query alone keeps the path", "curl test1031", "?new=2", sends: "GET http://a.example/dir/file?new=2"),
            .row(
                "a Location with two slashes names a host", "curl test1314", "//b.example/to", sends: "GET http://b.example/to",
                has: ["Host: b.example"]),
            .row(
                "a query after the host gets a slash before it", "curl test187", "http://b.example?x=1/2",
                sends: "GET http://b.example/?x=1/2"),
            .row("spaces around a Location are ignored", "curl test28", " \t /to \t", sends: "GET http://a.example/to"),
            .row("a space in the path is encoded", "curl test42", "/a b", sends: "GET http://a.example/a%20b"),
            .row("a space in the query is encoded", "curl test40", "/to?a=b c", sends: "GET http://a.example/to?a=b%20c"),
            .row(
                "text in UTF-8 is encoded", "curl test1138", "/gr\u{FC}n?\u{20AC}",
                sends: "GET http://a.example/gr%C3%BCn?%E2%82%AC"),
            .row(
                "a Location with a percent sign that encodes nothing is followed", "OkHttp HttpUrlTest", "/to?p=100%",
                sends: "GET http://a.example/to?p=100%25"),
            .row(
                "an encoded octet of a path is kept beside characters that have to be encoded", "RFC 3986 §2.4, curl test1138",
                "/a%20b c",
                sends: "GET http://a.example/a%20b%20c"),
            .row(
                "an encoded octet of a query is kept beside brackets", "RFC 3986 §2.4, OkHttp HttpUrlTest", "/to?a[]=%26",
                sends: "GET http://a.example/to?a%5B%5D=%26"),
            .row(
                "a NUL in the host of a Location is refused", "OkHttp urlRedirectToHostWithNul", "http://b%00.example/to",
                gives: "redirectRefused"),
            .row("brackets in a query are encoded", "RFC 3986 §3.4", "/to?a[]=1", sends: "GET http://a.example/to?a%5B%5D=1"),
            .row(
                "an IPv6 address keeps its brackets", "OkHttp ipv6HostHasSquareBracesHttp1", "http://[::1]:81/to",
                sends: "GET http://[::1]:81/to", has: ["Host: [::1]:81"]),
            .row(
                "a Location with three slashes has no host and is refused", "curl test1141", "http:///b.example/to",
                gives: "redirectRefused"),
        ]

        private static let secrets: HeaderFields = [
            "Authorization": "Bearer x", "Cookie": "a=1", "X-A": "1", "Accept-Language": "en",
        ]

        private static let credentials: [RedirectRow] = [
            .row(
                "credentials are kept on the same origin", "Go TestClientCopyHeadersOnRedirect", "/to", headers: secrets,
                sends: "GET http://a.example/to", has: ["Authorization: Bearer x", "Cookie: a=1", "X-A: 1"]),
            .row(
                "credentials are not sent to another host", "curl test317", "http://b.example/to", headers: secrets,
                sends: "GET http://b.example/to", has: ["Accept-Language: en"], lacks: ["Authorization", "Cookie", "X-A"]),
            .row(
                "credentials are not sent to another port", "curl test898", "http://a.example:81/to", headers: secrets,
                sends: "GET http://a.example:81/to", has: ["Accept-Language: en"], lacks: ["Authorization", "Cookie", "X-A"]),
            .row(
                "credentials are not sent to a subdomain", "Go TestShouldCopyHeaderOnRedirect", "http://sub.a.example/to",
                headers: secrets, sends: "GET http://sub.a.example/to", lacks: ["Authorization", "Cookie"]),
            .row(
                "user information of the URL is not sent to another host", "curl test998", "http://b.example/to",
                from: "http://u:p@a.example/dir/file?q=1", sends: "GET http://b.example/to", lacks: ["Authorization"]),
            .row(
                "a Host field of the request is kept on the same origin", "curl test185", "/to",
                headers: ["Host": "virtual.example"],
                sends: "GET http://a.example/to", has: ["Host: virtual.example"]),
            .row(
                "a Host field of the request is not sent to another host", "curl test184", "http://b.example/to",
                headers: ["Host": "virtual.example"], sends: "GET http://b.example/to", has: ["Host: b.example"]),
            .row(
                "no Referer is added", "curl test2505", "/to", sends: "GET http://a.example/to",
                lacks: ["Referer"]),
        ]
    }
#endif
