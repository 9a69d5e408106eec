import Foundation
import NetworkSupport
import Testing

@testable import NetworkTransport

struct CookieStoreTests {
    /// A store with a manual clock, which takes URLs as text.
    private final class Session: Sendable {
        private let clock = Locked(Int64(1_000_000_000_000))
        let store: CookieStore

        init(_ limits: CookieLimits = CookieLimits()) {
            store = CookieStore(limits: limits) { [clock] in clock.withLock { $0 } }
        }

        func pass(milliseconds: Int64) { clock.withLock { $0 += milliseconds } }

        func receive(_ fields: String..., from url: String) throws {
            store.receive(fields, from: try Self.location(url))
        }

        func header(_ url: String, own: String? = nil) throws -> String? {
            store.merged(own: own, for: try Self.location(url))
        }

        private static func location(_ url: String) throws -> CookieLocation {
            try #require(URL(string: url).flatMap { CookieLocation($0) })
        }
    }

    // MARK: - Domains and paths

    @Test func `a cookie without Domain is sent only to its host, one with Domain also to subdomains`() throws {
        let session = Session()
        try session.receive("host=1", "domain=2; Domain=example.org", from: "http://example.org/")
        #expect(try session.header("http://example.org/") == "host=1; domain=2")
        #expect(try session.header("http://www.example.org/") == "domain=2")
        #expect(try session.header("http://a.b.example.org:81/") == "domain=2", "§8.5: cookies are shared by all ports")
        #expect(try session.header("http://EXAMPLE.org./") == "host=1; domain=2")
        for other in ["http://example.com/", "http://nexample.org/", "http://org/", "http://example.org.evil.example/"] {
            #expect(try session.header(other) == nil)
        }
    }

    @Test func `a host can set cookies for its parent domains, but not for subdomains, siblings and single labels`() throws {
        for (domain, isStored) in [
            ("a.b.example.org", true), ("b.example.org", true), ("example.org", true), ("org", false),
            ("x.a.b.example.org", false),
            ("c.b.example.org", false), ("ample.org", false),
            // A public suffix, although the store has no list of them.
            ("co.uk", false),
        ] {
            let session = Session()
            try session.receive("a=1; Domain=\(domain)", from: "http://a.b.example.org/")
            #expect((try session.header("http://a.b.example.org/") != nil) == isStored, "\(domain)")
            #expect(session.store.count == (isStored ? 1 : 0))
        }
    }

    @Test(arguments: ["localhost", "intranet"]) func `a host of a single label can set cookies for itself`(host: String) throws {
        let session = Session()
        try session.receive("a=1", "b=2; Domain=\(host)", "c=3; Domain=.\(host)", from: "http://\(host)/")
        #expect(try session.header("http://\(host)/") == "a=1; b=2; c=3")
        #expect(try session.header("http://www.\(host)/") == nil, "host-only, like a cookie of a public suffix (§5.3 step 5)")
        try session.receive("d=4; Domain=\(host)", from: "http://www.\(host)/")
        #expect(try session.header("http://www.\(host)/") == nil)
    }

    @Test func `an IP address has neither parent domains nor subdomains`() throws {
        let session = Session()
        try session.receive("a=1", "b=2; Domain=10.0.0.1", "c=3; Domain=0.0.1", "d=4; Domain=.0.1", from: "http://10.0.0.1/")
        #expect(try session.header("http://10.0.0.1/") == "a=1; b=2" && session.store.count == 2)
        #expect(try session.header("http://1.10.0.0.example/") == nil)
        #expect(CookieLocation(scheme: "http", host: "1.10.0.0.1", path: "/") == nil)
        try session.receive("e=5", "f=6; Domain=[::1]", "g=7; Domain=0:0::1", "h=8; Domain=::2", from: "http://[::1]/")
        #expect(try session.header("http://[0::1]:8080/") == "e=5; f=6; g=7")
        #expect(try session.header("http://[::2]/") == nil)
    }

    @Test func `the default path is derived from the URL of the response`() throws {
        let session = Session()
        try session.receive("a=1", from: "http://a.example/in/login?x=/y")
        #expect(try session.header("http://a.example/in/side") == "a=1")
        #expect(try session.header("http://a.example/in") == "a=1")
        #expect(try session.header("http://a.example/inner") == nil)
        #expect(try session.header("http://a.example/") == nil)
        let long = "http://a.example/" + String(repeating: "p", count: 1100) + "/"
        try session.receive("b=2", from: long)
        #expect(try session.header(long) == nil, "too long to be stored")
    }

    @Test func `a host without a canonical form has no location, and therefore no cookies`() {
        #expect(CookieLocation(scheme: "http", host: "127.1", path: "/") == nil)
    }

    // MARK: - Secure

    @Test func `a cookie with Secure is stored and sent only over TLS or on the local machine`() throws {
        let session = Session()
        try session.receive("a=1; Secure", from: "http://a.example/")
        #expect(session.store.count == 0)
        try session.receive("a=1; Secure", "b=2", from: "https://a.example/")
        #expect(try session.header("http://a.example/") == "b=2")
        #expect(try session.header("https://a.example/") == "a=1; b=2")
        for host in ["localhost", "127.0.0.1", "[::1]"] {
            try session.receive("c=3; Secure", from: "http://\(host)/")
            #expect(try session.header("http://\(host):8080/") == "c=3")
        }
    }

    /// 6265bis, storage model: "leave secure cookies alone".
    @Test func `a cookie that is set without TLS neither replaces nor shadows a cookie with Secure`() throws {
        let session = Session()
        try session.receive("a=1; Secure; Path=/login; Domain=example.org", from: "https://www.example.org/")
        for field in [
            "a=2; Path=/login", "a=2; Path=/login/en", "a=2; Path=/login; Domain=example.org",
            "a=; Max-Age=0; Path=/login; Domain=example.org",
        ] {
            try session.receive(field, from: "http://www.example.org/")
            #expect(try session.header("https://www.example.org/login/en") == "a=1")
        }
        try session.receive("a=3; Path=/", "a=4; Path=/foo", "A=5; Path=/login", from: "http://www.example.org/")
        #expect(session.store.count == 4)
        // The cookie with Secure may belong to a subdomain.
        try session.receive("b=1; Secure", from: "https://www.example.org/")
        try session.receive("b=2; Domain=example.org", from: "http://other.example.org/")
        #expect(try session.header("https://www.example.org/") == "a=3; b=1")
        try session.receive("b=2; Domain=example.org", from: "https://other.example.org/")
        #expect(try session.header("https://www.example.org/") == "a=3; b=1; b=2")
        // An expired cookie protects nothing.
        try session.receive("c=1; Secure; Max-Age=1", from: "https://www.example.org/")
        session.pass(milliseconds: 1000)
        try session.receive("c=2", from: "http://www.example.org/")
        #expect(try session.header("http://www.example.org/") == "a=3; b=2; c=2")
    }

    /// 6265bis §4.1.3.
    @Test(
        arguments: [
            ("__Secure-a=1; Secure", true), ("__Secure-a=1", false), ("__Secure-a=1; Secure; Domain=example.org", true),
            ("__SECURE-a=1", false), ("__secure-a=1; secure", true), ("__Host-a=1; Secure; Path=/", true),
            ("__Host-a=1; Secure", false),
            ("__Host-a=1; Path=/", false), ("__Host-a=1; Secure; Path=/a", false), ("__hOsT-a=1; Secure", false),
            ("__Host-a=1; Secure; Path=/; Domain=www.example.org", false), ("__Host-a=1; Secure; Path=/; Domain=", true),
            ("=__Host-a=1; Secure; Path=/", false), ("__Secure-a; Secure", false), ("=__host-", false), ("__Hosta=1", true),
            ("__Host=1", true), ("a=__Host-", true), ("_\u{1F}Host-a=1", false), ("\u{5F}_Host\u{D}a=1", false),
            ("__Host\u{2D}a=1", false),
        ])
    func `a cookie whose name has a prefix is stored only with the attributes that the prefix requires`(
        field: String, isStored: Bool
    ) throws {
        let session = Session()
        try session.receive(field, from: "https://www.example.org/")
        #expect(session.store.count == (isStored ? 1 : 0))
        try session.receive(field, from: "http://plain.example.org/")
        #expect(session.store.count == (isStored && !field.lowercased().contains("secure") ? 2 : isStored ? 1 : 0))
    }

    // MARK: - Expiry and limits

    @Test func `a cookie is sent until it expires`() throws {
        let session = Session()
        try session.receive("a=1; Max-Age=10", "b=2; Expires=Sun, 09 Sep 2001 01:46:50 GMT", "c=3", from: "http://a.example/")
        session.pass(milliseconds: 9999)
        #expect(try session.header("http://a.example/") == "a=1; b=2; c=3")
        session.pass(milliseconds: 1)
        #expect(try session.header("http://a.example/") == "c=3" && session.store.count == 1)
        session.pass(milliseconds: 1 << 52)
        #expect(try session.header("http://a.example/") == "c=3")
    }

    @Test func `a cookie is replaced by one of the same name, domain, path and scope`() throws {
        let session = Session()
        try session.receive("a=1; Domain=example.org", "b=2", "a=3", "a=4; Path=/x", from: "http://example.org/")
        #expect(session.store.count == 4)
        try session.receive("a=5; Domain=.EXAMPLE.org; Max-Age=9", "a=6", from: "http://example.org/")
        #expect(try session.header("http://example.org/") == "a=5; b=2; a=6")
        try session.receive("a=; Max-Age=0; Domain=example.org", from: "http://www.example.org/")
        #expect(try session.header("http://example.org/") == "b=2; a=6")
    }

    @Test func `in a full domain, the least recently used cookie is removed first, and those with Secure last`() throws {
        let session = Session(CookieLimits(maximumCookiesPerDomain: 3))
        try session.receive("s=0; Secure", from: "https://a.example/")
        try session.receive("a=1; Path=/a", "b=2; Path=/b", from: "http://a.example/")
        #expect(try session.header("http://a.example/a") == "a=1")
        try session.receive("c=3", "other=1; Domain=example", from: "http://a.example/")
        #expect(try session.header("https://a.example/b") == "s=0; c=3")
        #expect(try session.header("https://a.example/a") == "a=1; s=0; c=3")
        try session.receive("d=4; Max-Age=5", "e=5; Max-Age=5", from: "http://b.a.example/")
        #expect(session.store.count == 5, "a subdomain has a separate limit")
        try session.receive("f=6; Max-Age=1; Path=/f", from: "http://b.a.example/")
        session.pass(milliseconds: 1000)
        try session.receive("g=7", from: "http://b.a.example/")
        #expect(try session.header("http://b.a.example/") == "d=4; e=5; g=7", "expired cookies are removed first")
        try session.receive("1=1; Secure", "2=2; Secure", "3=3; Secure", from: "https://c.example/")
        try session.receive("4=4", from: "http://c.example/")
        #expect(try session.header("https://c.example/") == "1=1; 2=2; 3=3")
        try session.receive("4=4; Secure", from: "https://c.example/")
        #expect(try session.header("https://c.example/") == "2=2; 3=3; 4=4")
    }

    @Test func `if the store is full, the least recently used tenth of all cookies is removed`() throws {
        let session = Session(CookieLimits(maximumCookies: 20))
        for number in 0..<20 { try session.receive("a=\(number)", from: "http://\(number).example/") }
        #expect(session.store.count == 20)
        #expect(try session.header("http://0.example/") == "a=0")
        try session.receive("a=20", from: "http://20.example/")
        #expect(session.store.count == 18)
        let removed = try (0...20).filter { try session.header("http://\($0).example/") == nil }
        #expect(removed == [1, 2, 3])
        for number in 21...22 { try session.receive("a=\(number); Max-Age=1", from: "http://\(number).example/") }
        session.pass(milliseconds: 1000)
        try session.receive("a=23", from: "http://23.example/")
        #expect(session.store.count == 19, "removing the expired cookies is enough")
    }

    @Test func `a server cannot make the store grow beyond its limits`() throws {
        let session = Session()
        let value = String(repeating: "v", count: 4000)
        for round in 0..<3 {
            for host in 0..<4 {
                let location = try #require(CookieLocation(scheme: "https", host: "h\(host).example.org", path: "/"))
                session.store.receive(
                    (0..<200).map { "\(round).\($0)=\(value); Domain=\($0 % 2 == 0 ? "" : "example.org"); Path=/" },
                    from: location)
            }
        }
        #expect(session.store.count == 5 * 50)
        let header = try session.header("https://h0.example.org/")
        #expect(header?.utf8.count == 2 * 4003 + 2 || header?.utf8.count == 2 * 4004 + 2 || header?.utf8.count == 2 * 4005 + 2)
    }

    @Test func `at most fifty Set-Cookie fields of a response are read`() throws {
        let session = Session()
        let location = try #require(CookieLocation(scheme: "http", host: "a.example", path: "/"))
        session.store.receive((0..<51).map { "\($0)=; Domain=\($0 % 2 == 0 ? "" : "a.example")" }, from: location)
        let header = try session.header("http://a.example/")
        #expect(header?.contains("49=") == true && header?.contains("50=") == false)
    }

    // MARK: - The Cookie field

    @Test func `cookies that do not fit into the Cookie field are omitted`() throws {
        let session = Session(CookieLimits(maximumFieldBytes: 20))
        try session.receive("a=12345678", "b=12345678", "c=123456", "d=", from: "http://a.example/")
        #expect(try session.header("http://a.example/") == "a=12345678; c=123456")
        #expect(try session.header("http://a.example/", own: "own=1234567890123456789") == "own=1234567890123456789")
        #expect(try session.header("http://a.example/", own: "own=12") == "own=12; a=12345678")
    }

    @Test(
        arguments: [
            ("x=y", "x=y; a=1; b=2; n"), ("a=own", "a=own; b=2; n"), ("x=y; b=own", "x=y; b=own; a=1; n"),
            ("A=1", "A=1; a=1; b=2; n"),
            ("x=y;b=3 ;;", "x=y;b=3; a=1; n"), ("  b = 3;a=4", "  b = 3;a=4; n"), ("m", "m; a=1; b=2"), ("", "a=1; b=2; n"),
            (" ; ", "a=1; b=2; n"), ("a", "a; a=1; b=2"), ("a=1; b=2; n; ", "a=1; b=2; n; "),
            ("x=y; ;z", "x=y; ;z; a=1; b=2"), ("x=y; ;", "x=y; a=1; b=2; n"), ("; ;x=y", "; ;x=y; a=1; b=2; n"),
            ("xa=1;\tb=2", "xa=1;\tb=2; a=1; n"),
        ])
    func `cookies of the request are sent first, and replace stored cookies with the same name`(own: String, merged: String)
        throws
    {
        let session = Session()
        try session.receive("a=1", "b=2", "n", from: "http://a.example/")
        #expect(try session.header("http://a.example/", own: own) == merged)
        #expect(try session.header("http://b.example/", own: own) == own, "without stored cookies, the field does not change")
    }

    /// Servers split a pair at its first `=`, although this cookie was stored without a name.
    @Test func `a stored cookie without a name is replaced by the name that a server would read`() throws {
        let session = Session()
        try session.receive("=a=1", from: "http://a.example/")
        #expect(try session.header("http://a.example/") == "a=1")
        #expect(try session.header("http://a.example/", own: "a=2") == "a=2")
    }

    @Test func `descriptions contain no cookie values`() throws {
        let session = Session()
        try session.receive("a=canary; Path=/", from: "http://a.example/")
        var dumped = ""
        dump(session.store, to: &dumped)
        let location = try #require(CookieLocation(scheme: "http", host: "a.example", path: "/"))
        let cookie = try #require(SetCookie("a=canary").flatMap { Cookie($0, from: location, now: 0) })
        dump(cookie, to: &dumped)
        #expect(
            !(dumped + "\(session.store)\(cookie)" + String(reflecting: session.store) + String(reflecting: cookie)).contains(
                "canary"))
        #expect("\(cookie)" == "cookie a for a.example/" && "\(session.store)" == "1 cookies")
    }

    @Test func `the system clock is used by default`() throws {
        let store = CookieStore()
        let location = try #require(CookieLocation(scheme: "http", host: "a.example", path: "/"))
        store.receive(
            ["a=1; Max-Age=1000", "b=2; Expires=1 Jan 2020 00:00:00", "c=3; Expires=1 Jan 2120 00:00:00"], from: location)
        #expect(store.merged(own: nil, for: location) == "a=1; c=3")
    }

    @Test func `a store can be used by several threads at the same time`() throws {
        let session = Session(CookieLimits(maximumCookiesPerDomain: 10, maximumCookies: 30))
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for round in 0..<500 {
                guard let location = CookieLocation(scheme: "https", host: "h\(round % 7).example.org", path: "/") else {
                    continue
                }
                session.store.receive(["\(thread)=\(round); Domain=example.org", "x=\(thread)"], from: location)
                _ = session.store.merged(own: "x=\(round)", for: location)
            }
        }
        #expect(session.store.count == 15)
    }
}
