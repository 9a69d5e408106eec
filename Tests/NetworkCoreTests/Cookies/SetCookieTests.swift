import Testing

@testable import NetworkEngine
@testable import NetworkTransport

/// The cookies that are sent after a `Set-Cookie` (RFC 6265 §5.2, §5.4). The two URLs differ only in their path.
///
/// Most rows are taken from the tests of the IETF's http-state group (tests/data/parser.json of github.com/abarth/http-state);
/// the comments contain their names. Cookies without a name are sent, as draft-ietf-httpbis-rfc6265bis requires; those tests did
/// not expect that.
struct SetCookieTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let fields: [String]
        let sent: String?
        var testDescription: String { "\(fields.map { $0.prefix(80) })" }

        init(_ fields: [String], _ sent: String?) {
            (self.fields, self.sent) = (fields, sent)
        }
        init(_ field: String, _ sent: String?) { self.init([field], sent) }
    }

    private static func sent(_ fields: [String], path: String = "/cookie-parser-result") throws -> String? {
        let store = CookieStore { 1_500_000_000_000 }
        let from = try #require(CookieLocation(scheme: "http", host: "home.example.org", path: "/cookie-parser"))
        store.receive(fields, from: from)
        let to = try #require(CookieLocation(scheme: "http", host: "home.example.org", path: path[...]))
        return store.merged(own: nil, for: to)
    }

    private static let pairs = [
        // NAME
        Row("a=bar", "a=bar"), Row("1=bar", "1=bar"), Row("$=bar", "$=bar"), Row("(a=bar", "(a=bar"),
        Row("\"a=b\"=bar", "\"a=b\"=bar"),
        Row("a =bar", "a=bar"), Row("   foo=bar", "foo=bar"), Row("foo bar=baz", "foo bar=baz"),
        Row("$Version=1; foo=bar", "$Version=1"),
        Row(["\"a=b\"=bar", "\"a=qux"], "\"a=qux"), Row("foo=bar    ;", "foo=bar"), Row("  A=== BC  ;foo;;;   bar", "A=== BC"),
        // VALUE, COMMA, CHROMIUM
        Row("foo=  bar", "foo=bar"), Row("foo=\"  bar \"", "foo=\"  bar \""), Row("foo=\"bar;baz\"", "foo=\"bar"),
        Row("x=", "x="),
        Row("\tfoo\t=\tbar\t \t;\tttt", "foo=bar"), Row("foo=bar, baz=qux", "foo=bar, baz=qux"), Row("z=y; foo=bar, a=b", "z=y"),
        Row("aBc=\"zzz \"   \"ppp\"  ;", "aBc=\"zzz \"   \"ppp\""), Row("aBc=A\"B ;", "aBc=A\"B"), Row("ABC=;  path = /", "ABC="),
        // CHARSET
        Row("春节回=家路·春运; 完全手册", "春节回=家路·春运"),
        // 0013 to 0016: the order of creation, which a cookie keeps when it is set again (§5.3 step 11.3).
        Row(["foo=bar", "foo=qux"], "foo=qux"), Row(["z=y", "a=b"], "z=y; a=b"), Row(["z=1", "a=2", "z=3"], "z=3; a=2"),
        Row(["A=1", "a=2"], "A=1; a=2"), Row(["\u{E9}=1", "e\u{301}=2"], "\u{E9}=1; e\u{301}=2"),
        // Without a name (6265bis): 0004, 0020, 0021, 0023 to 0027, CHROMIUM0009 and 0012, MOZILLA0017, NAME0017, 0025 and 0033.
        Row("foo", "foo"), Row(["foo", "bar"], "bar"), Row(["a=b", "=", "c=d"], "a=b; c=d"),
        Row(["a=b", "=x", "c=d"], "a=b; x; c=d"),
        Row(["foo", ""], "foo"), Row(["foo", "; bar"], "foo"), Row(["foo", "   "], "foo"), Row("BLAHHH; path=/;", "BLAHHH"),
        Row(["six", "seven", " =eight", "test=six"], "eight; test=six"), Row("=a=bar", "a=bar"), Row("===a=bar", "==a=bar"),
        Row("", nil), Row("    ", nil), Row("=", nil), Row(" \t = ;x", nil), Row(";a=b", nil),
        // DISABLED_CHROMIUM0022 and 0023: a cookie with a control character other than a tab is refused (6265bis).
        Row("AAA=BB\u{0}ZYX", nil), Row("AAA=BB\rZYX", nil), Row("a=b\n", nil), Row("a=b; x\u{7F}", nil),
        Row("a=b; Path=/\u{1}", nil),
        Row("a\u{1F}=b", nil), Row("a=b\tc", "a=b\tc"), Row("a=\u{80}", "a=\u{80}"),
    ]

    /// Attribute names are case-insensitive, white space around values is removed, and the last attribute of a kind applies.
    private static let attributes = [
        Row("foo=bar; version=1;", "foo=bar"), Row("foo=bar; customvalue=\"1000 or more\";", "foo=bar"),
        // ATTRIBUTE: the response came over http, so that a cookie with `Secure` is refused.
        Row("foo=bar; seCURe", nil), Row("foo=bar; \"Secure\"", "foo=bar"), Row("foo=bar; Secure=aaaa", nil),
        Row("foo=bar; Secure qux", "foo=bar"), Row("foo=bar; Secure =aaaaa", nil), Row("foo=bar; Secure    ; qux", nil),
        Row("foo=bar;       Secure     ;", nil), Row("foo=bar; qux=\"aaa;bbb\"; Secure", nil), Row("foo=bar; =Secure", "foo=bar"),
        Row("foo=bar; HttpOnly; SameSite=Strict", "foo=bar"),
        // ATTRIBUTE0014 to 0024, PATH
        Row("foo=bar; Path", "foo=bar"), Row("foo=bar; Path=", "foo=bar"), Row("foo=bar; Path=/qux", nil),
        Row("foo=bar; Path    =/qux", nil), Row("foo=bar; Path=    /qux", nil), Row("foo=bar; Path=/qux; Path=/", "foo=bar"),
        Row("foo=bar; Path=/; Path=/qux", nil), Row("foo=bar; path=/dog; path=", "foo=bar"),
        Row("foo=bar; path=; path=/dog", nil),
        Row("foo=bar; Path=/cookie-PARSER-result", nil), Row("foo=bar; path=cookie-parser", "foo=bar"),
        Row("a=b; \tpath\t=\t/cookie-parser-result\t", "a=b"), Row("foo=bar; path=\"/qux;\"", "foo=bar"),
        Row(["a=b; path=/", "x=y; path=/cookie-parser-result"], "x=y; a=b"),
        Row(["a=1; path=/", "a=2; path=/cookie-parser-result"], "a=2; a=1"),
        // DOMAIN
        Row("foo=bar; domain=home.example.org", "foo=bar"), Row("foo=bar; domain=.home.example.org", "foo=bar"),
        Row("foo=bar; domain=.example.org", "foo=bar"), Row("foo=bar; domain=home.eXaMpLe.org", "foo=bar"),
        Row("foo=bar; domain=..home.example.org", nil), Row("foo=bar; domain=home..example.org", nil),
        Row("foo=bar; domain=  .home.example.org", "foo=bar"), Row("foo=bar; domain=  .  home.example.org", nil),
        Row("foo=bar; domain=home.example.org.", nil), Row("foo=bar; domain=.org", nil), Row("foo=bar; domain=.org.", nil),
        Row("foo=bar; domain=org", nil), Row("foo=bar; domain=\"home.example.org\"", nil),
        Row("foo=bar; domain=home.example.org:8888", nil),
        Row("foo=bar; domain=sub.home.example.org", nil), Row("foo=bar; domain=other.example.org", nil),
        Row("foo=bar; domain=xample.org", nil), Row("foo=bar; domain=home.example.org; domain=home.example.com", nil),
        Row("foo=bar; domain=home.example.com; domain=home.example.org", "foo=bar"), Row("foo=bar; domain=.", nil),
        // OPTIONAL_DOMAIN: an empty domain is ignored (§5.2.3).
        Row("foo=bar; domain=", "foo=bar"), Row("foo=bar; domain=example.org; domain=", "foo=bar"),
        Row("foo=bar; domain=foo.example.org; domain=", nil),
    ]

    /// The clock of the store is set to 2017-07-14 02:40:00.
    private static let ages = [
        Row("foo=bar; Expires=Fri, 07 Aug 2019 08:04:19 GMT", "foo=bar"),
        Row("foo=bar; Expires=Fri, 07 Aug 2007 08:04:19 GMT", nil),
        Row("foo=bar; expires=Fri, 14-Jul-2017 02:40:00 GMT", nil),
        Row("foo=bar; expires=Fri, 14-Jul-2017 02:40:01 GMT", "foo=bar"),
        Row("foo=bar; Expires=Fri 07 Aug 2019 08:04:19 GMT, baz=qux", "foo=bar"), Row("foo=bar; expires=", "foo=bar"),
        Row("foo=bar; expires=Mon, 10 Apr 1601 00:00:00 GMT", nil), Row("foo=bar; expires=31 Feb 2007 00:00:00", "foo=bar"),
        Row("foo=bar; expires=1 Jan 2007 00:00:00; expires=x", nil),
        Row("foo=bar; expires=1 Jan 2007 00:00:00; expires=1 Jan 2027 00:00:00", "foo=bar"),
        Row("foo=bar; max-age=10000;", "foo=bar"), Row("foo=bar; max-age=0;", nil), Row("foo=bar; max-age=-1", nil),
        Row("foo=bar; Max-Age=50,399", "foo=bar"), Row("foo=bar; max-age=+0", "foo=bar"), Row("foo=bar; max-age=", "foo=bar"),
        Row("foo=bar; max-age=-", "foo=bar"), Row("foo=bar; max-age=0x", "foo=bar"), Row("foo=bar; max-age=0; max-age=x", nil),
        Row("foo=bar; max-age=99999999999999999999999999", "foo=bar"), Row("foo=bar; max-age=-99999999999999999999999999", nil),
        Row("foo=bar; max-age=00000000000000000000000000", nil), Row("foo=bar; max-age=0; max-age=1", "foo=bar"),
        // §4.1.2.2: Max-Age has precedence, independent of its position.
        Row("foo=bar; max-age=0; expires=1 Jan 2027 00:00:00", nil),
        Row("foo=bar; expires=1 Jan 2007 00:00:00; max-age=1", "foo=bar"),
        // MOZILLA0009, 0010
        Row(["foo=bar; max-age=60", "foo1=bar", "foo=differentvalue; max-age=0", "foo2=x; max-age=0"], "foo1=bar"),
        Row(["foo=bar", "foo=; expires=1 Jan 1970 00:00:00", "foo=again"], "foo=again"),
        Row(["foo=bar; path=/cookie-parser-result", "foo=; max-age=0"], "foo=bar"),
        // MOZILLA0012
        Row(["test=\"fubar! = foo;bar\\\";\" parser; max-age=6", "five; max-age=2.63,"], "test=\"fubar! = foo; five"),
    ]

    @Test(arguments: pairs) func `name and value end at the first semicolon, and white space around them is removed`(row: Row)
        throws
    {
        #expect(try Self.sent(row.fields) == row.sent)
    }

    @Test(arguments: attributes) func `attributes determine to which URLs a cookie is sent`(row: Row) throws {
        #expect(try Self.sent(row.fields) == row.sent)
    }

    @Test(arguments: ages) func `Max-Age and Expires determine how long a cookie is stored`(row: Row) throws {
        #expect(try Self.sent(row.fields) == row.sent)
    }

    /// PATH0005 to PATH0018, and PATH0032.
    @Test(
        arguments: [
            ("/foo", "/foo", true), ("/foo", "/bar", false), ("/foo/qux", "/foo", false), ("/foo/qux", "/foo/qux", true),
            ("/foo/qux", "/bar/qux", false), ("/foo/qux/", "/foo/qux", false), ("/foo/qux/", "/foo/qux/", true),
            ("/foo/", "/foo/qux", true), ("/foo/", "/foo//qux", true), ("/foo/", "/fooqux", false),
            ("/foo/qux?", "/foo/qux", false),
            ("/foo/qux#", "/foo/qux", false), ("/f%6Fo/bar", "/foo/bar", false),
        ])
    func `a cookie is sent only to URLs that match its path`(path: String, target: String, isSent: Bool) throws {
        #expect(try Self.sent(["foo=bar; path=\(path)"], path: target) == (isSent ? "foo=bar" : nil))
    }

    /// ORDERING0001.
    @Test func `cookies with longer paths are sent first, then older cookies`() throws {
        let fields = [
            "key=val0;", "key=val1; path=/cookie-parser-result", "key=val2; path=/", "key=val3; path=/bar",
            "key=val4; domain=.example.org", "key=val5; domain=.example.org; path=/cookie-parser-result/foo",
        ]
        #expect(try Self.sent(fields, path: "/cookie-parser-result/foo/baz") == "key=val5; key=val1; key=val2; key=val4")
    }

    /// 6265bis limits name and value together to 4096 bytes, and an attribute to 1024 bytes.
    @Test func `a cookie that is too long is refused, an attribute that is too long is ignored`() throws {
        let long = String(repeating: "a", count: 4095)
        #expect(try Self.sent(["b=\(long)"]) == "b=\(long)")
        #expect(try Self.sent(["b=\(long)a"]) == nil)
        #expect(try Self.sent(["\(long)=bb"]) == nil)
        #expect(try Self.sent(["\(long)a"]) == "\(long)a", "a missing name has no length")
        #expect(try Self.sent(["\(long)aa"]) == nil)
        #expect(try Self.sent(["a=b; x=\(long)\(long)"]) == "a=b")
        let path = "/" + String(repeating: "p", count: 1023)
        #expect(try Self.sent(["a=b; path=\(path)"]) == nil)
        #expect(try Self.sent(["a=b; path=\(path)"], path: path) == "a=b")
        #expect(try Self.sent(["a=b; path=\(path)p"]) == "a=b", "the default path applies")
    }
}
