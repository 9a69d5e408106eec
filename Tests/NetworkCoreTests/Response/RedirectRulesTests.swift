import Endpoints
import Foundation
import NetworkSupport
import Testing
import TransferTestSupport

@testable import NetworkTransport

struct RedirectRulesTests {
    private func next(
        _ status: Int, from: String = "http://a.example/dir/file?q=1", to location: String?, method: RequestMethod = .get,
        headers: HeaderFields = [:], body: NetworkBody? = nil, redirects: RedirectPolicy = .follow, followed: Int = 0,
        change: (inout SessionConfiguration) -> Void = { _ in }
    ) throws -> NetworkRequest? {
        var request = NetworkRequest(method: method, url: try #require(URL(string: from)), headers: headers, body: body)
        request.redirects = redirects
        var trail = RedirectTrail()
        for number in 0..<followed {
            trail.append(NetworkRequest(url: try #require(URL(string: "http://a.example/\(number)?secret"))))
        }
        var fields: HeaderFields = ["X-Reply": "1"]
        if let location { fields.add(location, for: "Location") }
        return try RedirectRules(SessionConfiguration(change)).next(after: request, status: status, headers: fields, trail: trail)
    }

    @Test(
        arguments: [
            // RFC 9110 §15.4.2, §15.4.3: POST may become GET, other methods do not change.
            (301, "GET", "GET"), (301, "POST", "GET"), (301, "PUT", "PUT"), (301, "HEAD", "HEAD"), (301, "DELETE", "DELETE"),
            (302, "GET", "GET"), (302, "POST", "GET"), (302, "PATCH", "PATCH"), (302, "HEAD", "HEAD"),
            // §15.4.4: a GET, or HEAD, of another resource.
            (303, "GET", "GET"), (303, "POST", "GET"), (303, "PUT", "GET"), (303, "DELETE", "GET"), (303, "HEAD", "HEAD"),
            // §15.4.8, §15.4.9: the method must not change.
            (307, "POST", "POST"), (307, "PUT", "PUT"), (307, "GET", "GET"), (308, "POST", "POST"), (308, "DELETE", "DELETE"),
        ])
    func `the method changes as in RFC 9110 §15.4, and the body is sent only if the method stays the same`(
        status: Int, method: String, expected: String
    )
        throws
    {
        let sendsBody = RequestMethod(method).allowsBody
        let next = try #require(
            try next(
                status, to: "/x", method: RequestMethod(method),
                headers: ["Content-Type": "a/b", "Content-Language": "en", "X-A": "1"],
                body: sendsBody ? .data(Data("body".utf8)) : nil))
        #expect(next.method == RequestMethod(expected))
        let keepsBody = expected == method
        #expect(next.body == (keepsBody && sendsBody ? .data(Data("body".utf8)) : nil))
        #expect(next.headers["Content-Type"] == (keepsBody ? "a/b" : nil))
        #expect(next.headers["Content-Language"] == (keepsBody ? "en" : nil))
        #expect(next.headers["X-A"] == "1")
    }

    @Test(
        arguments: [
            // RFC 3986 §5.4: the Location is resolved against the URL of the redirect.
            ("/x", "http://a.example/x"), ("x", "http://a.example/dir/x"), ("../x", "http://a.example/x"),
            ("?y", "http://a.example/dir/file?y"),
            ("//b.example/x", "http://b.example/x"), ("http://b.example", "http://b.example"),
            ("HTTPS://b.example/x", "https://b.example/x"),
            ("http://[::1]:8080/x", "http://[::1]:8080/x"), ("/a%2Fb?c=%26", "http://a.example/a%2Fb?c=%26"),
        ])
    func `Location is resolved (RFC 3986 §5.2)`(location: String, expected: String) throws {
        let url = try #require(try next(302, to: location)).url
        #expect(url.absoluteString.lowercased() == expected.lowercased())
    }

    @Test(
        arguments: [
            // RFC 3986 §5.2.2: an empty reference means the current URL, and dot segments are always removed.
            ("", "http://a.example/dir/file?q=1#f"), ("http://b.example/x/../y", "http://b.example/y#f"),
            ("//b.example/./x", "http://b.example/x#f"),
            // RFC 9110 §10.2.2: the fragment is inherited unless the Location has one, even an empty one.
            ("/x", "http://a.example/x#f"), ("/x#g", "http://a.example/x#g"), ("/x#", "http://a.example/x#"),
            // The bytes do not change, because the URL may be signed.
            ("/x?", "http://a.example/x?#f"),
            ("/a%2fb%20c?sig=a%2Bb+c/d==&x=%e9", "http://a.example/a%2fb%20c?sig=a%2Bb+c/d==&x=%e9#f"),
            ("/a%2f b", "http://a.example/a%2f%20b#f"),
            // User name and password are removed.
            ("http://user:p@ss@b.example/x", "http://b.example/x#f"), ("//user@a.example/x", "http://a.example/x#f"),
        ])
    func `a Location is followed without changes to its encoding`(location: String, expected: String) throws {
        let url = try #require(try next(302, from: "http://a.example/dir/file?q=1#f", to: location)).url
        #expect(url.absoluteString == expected)
    }

    @Test(
        arguments: [
            ("http://b.example:99999/x", "port"), ("http://b.example:x/", "port"), ("http:///x", "host"), ("//", "host"),
            ("ftp://b.example/", "ftp"), ("mailto:a@b.example", "mailto"), ("http://[::1/", "]"),
        ])
    func `a Location that cannot be followed is refused with the reason`(location: String, reason: String) {
        let error = #expect(throws: TransportError.self) { try next(302, to: location) }
        #expect(error?.code == .redirectRefused && error?.message.contains(reason) == true, "\(String(describing: error))")
    }

    @Test func `several equal Location fields count as one (RFC 9110 §5.5)`() throws {
        let rules = RedirectRules(SessionConfiguration())
        let request = NetworkRequest(url: try #require(URL(string: "http://a.example/")))
        let same = HeaderFields([.init(name: "Location", value: "/x,y"), .init(name: "location", value: "/x,y")])
        let next = try rules.next(after: request, status: 302, headers: same, trail: RedirectTrail())
        #expect(next?.url.absoluteString == "http://a.example/x,y")
        let error = #expect(throws: TransportError.self) {
            try rules.next(
                after: request, status: 302,
                headers: HeaderFields([.init(name: "Location", value: "/x"), .init(name: "Location", value: "/y")]),
                trail: RedirectTrail())
        }
        #expect(error?.code == .redirectRefused && error?.message.contains("several Location") == true)
    }

    @Test(arguments: [200, 201, 304, 305, 306, 400, 500])
    func `only the statuses 300, 301, 302, 303, 307 and 308 are followed`(status: Int) throws {
        #expect(try next(status, to: "/x") == nil)
    }

    @Test func `a response without a Location is not followed, and neither is any if no redirects are allowed`() throws {
        #expect(try next(302, to: nil) == nil)
        #expect(try next(302, to: "/x", change: { $0.maximumRedirects = 0 }) == nil)
    }

    @Test(
        arguments: [
            ("http://a.example/1", "http://a.example/2", true), ("http://a.example/", "http://A.EXAMPLE:80/", true),
            ("https://a.example/", "https://a.example:443/", true), ("http://a.example/", "https://a.example/", false),
            ("http://a.example/", "http://a.example:8080/", false), ("http://a.example/", "http://b.example/", false),
            ("http://a.example/", "http://sub.a.example/", false), ("http://[::1]/", "http://[::1]:80/", true),
        ])
    func `credentials are sent only to the same origin (RFC 6454 §4)`(from: String, to: String, isSame: Bool) throws {
        let secrets: HeaderFields = [
            "Authorization": "x", "cookie": "x", "Proxy-Authorization": "x", "X-API-Key": "x", "X-Auth-Token": "x",
        ]
        let next = try #require(try next(307, from: from, to: to, headers: secrets.replacing(with: ["Accept": "a/b"])))
        #expect(next.headers["Accept"] == "a/b")
        for field in secrets { #expect(next.headers.contains(field.name) == isSame, "\(field.name)") }
    }

    @Test func `a redirect from https to http is refused unless it is allowed`() throws {
        let error = #expect(throws: TransportError.self) { try next(302, from: "https://a.example/", to: "http://a.example/") }
        #expect(error?.code == .redirectRefused && error?.message.contains("allowsInsecureRedirects") == true)
        let allowed = try next(
            302, from: "https://a.example/", to: "http://a.example/", change: { $0.allowsInsecureRedirects = true })
        #expect(allowed?.url.scheme == "http")
    }

    @Test func `the limit of redirects applies to the whole transfer`() throws {
        #expect(try next(302, to: "/x", followed: 9) != nil)
        let error = #expect(throws: TransportError.self) { try next(302, to: "/x", followed: 10) }
        #expect(error?.code == .tooManyRedirects)
    }

    /// RFC 9110 §15.4.1.
    @Test(arguments: [("GET", "GET"), ("HEAD", "HEAD"), ("QUERY", "QUERY"), ("POST", nil), ("DELETE", nil)])
    func `300 with a Location is followed if the method is safe`(method: String, expected: String?) throws {
        let next = try next(300, to: "/x", method: RequestMethod(method))
        #expect(next?.method.rawValue == expected)
        #expect(try self.next(300, to: nil, method: RequestMethod(method)) == nil)
    }

    @Test(
        arguments: [
            (301, "POST", "POST"), (302, "POST", "POST"), (303, "POST", "GET"), (307, "POST", "POST"), (302, "PUT", "PUT"),
            (303, "PUT", "GET"), (302, "GET", "GET"), (303, "HEAD", "HEAD"),
        ])
    func `a policy keeps the method and the body, except for 303`(status: Int, method: String, expected: String) throws {
        let body: NetworkBody? = RequestMethod(method).allowsBody ? .data(Data("body".utf8)) : nil
        let next = try #require(
            try next(
                status, to: "/x", method: RequestMethod(method), headers: ["Content-Type": "a/b"], body: body,
                redirects: .keepMethod))
        #expect(next.method.rawValue == expected)
        #expect(next.body == (method == expected ? body : nil))
        #expect(next.headers.contains("Content-Type") == (method == expected))
    }

    @Test func `a policy returns redirects, also those that cannot be followed`() throws {
        for location in ["/x", "app://callback?code=1", "http:///", "http://a.example:99999/"] {
            #expect(try next(302, to: location, redirects: .doNotFollow) == nil)
            #expect(try next(302, to: location, redirects: .doNotFollow, followed: 10) == nil)
        }
    }

    @Test func `a closure receives the redirect and decides`() throws {
        let seen = Locked<[String]>([])
        func decided(_ decision: RedirectPolicy.Decision) -> RedirectPolicy {
            .decide { redirect in
                seen.withLock {
                    $0.append(
                        "\(redirect.statusCode) \(redirect.request.method) \(redirect.target) \(redirect.count) "
                            + "\(redirect.headers["X-Reply"] ?? "")")
                }
                return decision
            }
        }
        #expect(try next(302, to: "x", method: .post, redirects: decided(.follow), followed: 3)?.method == .get)
        #expect(try next(302, to: "x", method: .post, redirects: decided(.keepMethod))?.method == .post)
        #expect(try next(302, to: "x", redirects: decided(.doNotFollow), followed: 10) == nil)
        let refusal = #expect(throws: TransportError.self) { try next(302, to: "x", redirects: decided(.refuse("another host"))) }
        #expect(refusal?.code == .redirectRefused && refusal?.message.contains("another host") == true)
        // The rules of the session manager come first, and its limit applies.
        let insecure = #expect(throws: TransportError.self) {
            try next(302, from: "https://a.example/", to: "http://a.example/", redirects: decided(.follow))
        }
        #expect(insecure?.code == .redirectRefused)
        let last = #expect(throws: TransportError.self) { try next(302, to: "x", redirects: decided(.follow), followed: 10) }
        #expect(last?.code == .tooManyRedirects)
        #expect(
            seen.withLock { $0 } == [
                "302 POST http://a.example/dir/x 3 1", "302 POST http://a.example/dir/x 0 1",
                "302 GET http://a.example/dir/x 10 1", "302 GET http://a.example/dir/x 0 1",
                "302 GET http://a.example/dir/x 10 1",
            ])
    }

    @Test func `the error names a cycle, without its query`() throws {
        func message(_ location: String) throws -> String {
            let error = #expect(throws: TransportError.self) {
                try next(302, from: "http://a.example/now?secret", to: location, followed: 10)
            }
            return try #require(error).message
        }
        let (itself, others, none) = (try message("/now?secret"), try message("/8?secret"), try message("/10"))
        #expect(itself.hasSuffix("; http://a.example/now?… redirects to itself"))
        #expect(others.hasSuffix("; http://a.example/8?… redirects to itself, by 2 other redirects"))
        #expect(none.hasSuffix("(maximumRedirects)"))
    }

    @Test func `a random Location neither traps nor leads to a scheme other than http and https`() throws {
        var random = SeededGenerator(seed: 1)
        let alphabet = Array("abc:/?#[]@!$&'()*+,;=%%20\u{0}\r\n é€\\\"<>{}|^`.-_~0189htps")
        for _ in 0..<5000 {
            let length = Int.random(in: 0..<30, using: &random)
            let text = String((0..<length).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &random)] })
            let location = Bool.random(using: &random) ? text : "http://" + text
            do {
                let next = try #require(try next(302, to: location))
                #expect(["http", "https"].contains(next.url.scheme?.lowercased() ?? ""))
                #expect(throws: Never.self) { try next.validate() }
            } catch let error as TransportError {
                #expect(error.code == .redirectRefused)
            }
        }
    }

    @Test func `Location fields with different bytes are different, even if they are equal as text`() throws {
        let rules = RedirectRules(SessionConfiguration())
        let request = NetworkRequest(url: try #require(URL(string: "http://a.example/")))
        let error = #expect(throws: TransportError.self) {
            try rules.next(
                after: request, status: 302,
                headers: HeaderFields([.init(name: "Location", value: "/e\u{301}"), .init(name: "Location", value: "/\u{E9}")]),
                trail: RedirectTrail())
        }
        #expect(error?.code == .redirectRefused)
    }
}
