import Endpoints
import Foundation
import NetworkCache
import Testing

@Suite struct CacheDirectivesTests {
    private func parsed(_ text: String) -> [String] {
        CacheDirectives(parsing: text).directives.map { $0.name + ($0.argument.map { "|" + $0 } ?? "") }
    }

    @Test(
        arguments: [
            // RFC 9111 §5.2: #cache-directive, token [ "=" ( token / quoted-string ) ]; names are case-insensitive.
            ("no-store", ["no-store"]),
            ("No-Store, MAX-AGE=60", ["no-store", "max-age|60"]),
            ("max-age=\"60\"", ["max-age|60"]),
            ("no-cache=\"Set-Cookie, X-Token\", public", ["no-cache|Set-Cookie, X-Token", "public"]),
            ("community=\"UCI\"", ["community|UCI"]),
            // RFC 9110 §5.6.1.2: empty list elements, spaces and tabs around elements.
            (",, no-store ,\t,max-age=1,", ["no-store", "max-age|1"]),
            ("", []), (" , ,", []),
            // RFC 9110 §5.6.4: quoted pairs; a comma inside quotes is not a separator.
            (#"x="a\"b\\c, no-store", public"#, [#"x|a"b\c, no-store"#, "public"]),
            ("x=\"\"", ["x|"]), ("x=", ["x|"]),
            // Malformed directives: the directives after them are still parsed.
            ("max-age = 60", ["max-age| 60"]), ("a =b, c= \"d\"", ["a| b", "c| d"]),
            ("max-age=\"60, no-store", ["max-age|\"60", "no-store"]),
            ("max-age=\"6\"0, no-store", ["max-age|\"6\"0", "no-store"]),
            (#"x="a\"#, [#"x|"a\"#]),
            ("=5, no-store", ["no-store"]),
            ("a b=5, no-store", ["no-store"]),
            ("\"no-cache\", public", ["public"]),
            ("max-age=6 0; x, public", ["max-age|6 0; x", "public"]),
            ("a=b=c", ["a|b=c"]),
            ("é=1, public", ["public"]),
        ] as [(String, [String])])
    func `a Cache-Control field is parsed into its directives`(text: String, expected: [String]) {
        #expect(parsed(text) == expected)
    }

    @Test(
        arguments: [
            ("max-age=0", 0), ("max-age=3600", 3600), ("max-age=\"10\"", 10), ("max-age=007", 7),
            // RFC 9111 §1.2.2: a value that is too large counts as 2^31.
            ("max-age=2147483647", 2_147_483_647), ("max-age=2147483648", 2_147_483_648),
            ("max-age=2147483649", 2_147_483_648), ("max-age=99999999999999999999999999", 2_147_483_648),
            // §4.2.1: the first of several values applies; a malformed value makes the response stale.
            ("max-age=5, max-age=9", 5), ("max-age=9, max-age=5", 9), ("max-age=x, max-age=5", 0),
            ("max-age", 0), ("max-age=", 0), ("max-age=-1", 0), ("max-age=+1", 0), ("max-age=1.5", 0), ("max-age=1 2", 0),
            ("max-age=\"1", 0), ("max-age='1'", 0), ("max-age=0x10", 0), ("max-age=１", 0),
        ] as [(String, Int)])
    func `max-age is whole seconds, and zero if malformed`(text: String, seconds: Int) {
        #expect(CacheDirectives(parsing: text).maxAge == .seconds(seconds))
    }

    @Test(
        arguments: [
            // §5.2.1.2: max-stale without an argument accepts any staleness. §5.2.1.3: min-fresh.
            ("max-stale", CacheDirectives.maximumSeconds, nil), ("max-stale=5", 5, nil), ("max-stale=x", nil, nil),
            ("max-stale=", nil, nil),
            ("min-fresh=5", nil, 5), ("min-fresh=x", nil, CacheDirectives.maximumSeconds), ("", nil, nil),
        ] as [(String, Int?, Int?)])
    func `a malformed max-stale permits no staleness, and a malformed min-fresh requires the maximum`(
        text: String, stale: Int?, fresh: Int?
    ) {
        #expect(CacheDirectives(parsing: text).maxStale == stale.map { .seconds($0) })
        #expect(CacheDirectives(parsing: text).minFresh == fresh.map { .seconds($0) })
    }

    @Test(
        arguments: [
            // RFC 5861 §3 and §4.
            ("stale-while-revalidate=30, stale-if-error=60", 30, 60), ("stale-if-error=\"7\"", nil, 7),
            ("stale-while-revalidate=x, stale-if-error", nil, nil),
        ] as [(String, Int?, Int?)])
    func `malformed directives do not permit stale responses`(text: String, revalidating: Int?, failing: Int?) {
        #expect(CacheDirectives(parsing: text).staleWhileRevalidate == revalidating.map { .seconds($0) })
        #expect(CacheDirectives(parsing: text).staleIfError == failing.map { .seconds($0) })
    }

    @Test(
        arguments: [
            // RFC 9111 §5.2.2.4 and §5.2.2.7, both argument forms.
            ("no-cache", .all), ("no-cache=\"Set-Cookie, X-A\"", .fields(["set-cookie", "x-a"])),
            ("no-cache=Set-Cookie", .fields(["set-cookie"])), ("no-cache=\",a,,\"", .fields(["a"])),
            ("no-cache=\"a\", no-cache=\"b\"", .fields(["a", "b"])),
            // The most restrictive value applies.
            ("no-cache=\"a\", no-cache", .all), ("no-cache, no-cache=a", .all),
            ("no-cache=\"\"", .all), ("no-cache=", .all), ("no-cache=\"a b\"", .all), ("no-cache=\"a", .all),
            ("no-cache=\"a, b\"c", .all), ("public", nil),
        ] as [(String, CacheDirectives.Scope?)])
    func `no-cache and private apply to the whole response or to the listed fields`(text: String, scope: CacheDirectives.Scope?) {
        #expect(CacheDirectives(parsing: text).noCache == scope)
        #expect(CacheDirectives(parsing: text.replacingOccurrences(of: "no-cache", with: "private")).isPrivate == scope)
    }

    /// RFC 9111 §5.2.1.5-7, §5.2.2.2-9.
    private static let flags: [String: @Sendable (CacheDirectives) -> Bool] = [
        "no-store": { $0.noStore }, "only-if-cached": { $0.onlyIfCached }, "must-revalidate": { $0.mustRevalidate },
        "must-understand": { $0.mustUnderstand }, "public": { $0.isPublic }, "immutable": { $0.isImmutable },
    ]

    // RFC 8246 §2: an argument has no meaning.
    @Test(arguments: flags.keys.sorted())
    func `a flag directive is recognized in any valid form, and only under its own name`(name: String) throws {
        let isThere = try #require(Self.flags[name])
        for text in [name, name.uppercased(), "x, \(name)", "\(name)=1", "\(name)=\"a, b\"", " \(name) =", "\(name), \(name)"] {
            #expect(isThere(CacheDirectives(parsing: text)), "\(text)")
        }
        for text in ["", "x-\(name)", "\(name)x", "x=\(name)", "x=\"a, \(name)\""] {
            #expect(!isThere(CacheDirectives(parsing: text)), "\(text)")
        }
    }

    @Test func `each header line is parsed separately`() {
        var headers: HeaderFields = [:]
        #expect(headers.cacheControl == nil)
        headers.add("x=\"never closed", for: "cache-control")
        headers.add("no-store, y=\"a\"", for: "Cache-Control")
        #expect(headers.cacheControl?.noStore == true)
        #expect(headers.cacheControl?.first("y")?.argument == "a")
    }

    @Test func `unknown directives are preserved and have no effect`() {
        let value = CacheDirectives(parsing: "x-private, x-max-age=5, community=\"UCI\"")
        #expect(value.contains("Community"))
        #expect(value.maxAge == nil && value.isPrivate == nil)
        #expect(value.directives.map(\.name) == ["x-private", "x-max-age", "community"])
    }
}
