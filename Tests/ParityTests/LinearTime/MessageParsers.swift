import Foundation
import NetworkSupport
import NetworkTesting

@testable import DataTransfer
@testable import Endpoints
@testable import NetworkCache
@testable import NetworkTransport
@testable import NetworkLogging
@testable import NetworkPipeline

extension Parser {
    private static let url = URL(string: "https://host.test/a/b?c")!

    /// The fields of a text with one on each line.
    private static func fields(_ text: String) -> HeaderFields {
        HeaderFields(
            text.parts(at: "\n").compactMap { line in
                line.divided(at: ":").map { HeaderFields.Field(name: String($0.head), value: String($0.tail)) }
            })
    }

    private static let lines: [HostileText] = ["⟨a:b\n⟩", "⟨a№:b\n⟩", "⟨a№: b\nA№: c\n⟩", "⟨a:\n⟩"]

    private static func of(_ name: HostileText, _ others: HostileText...) -> [HostileText] { lines + [name] + others }

    /// Operations on all fields of a message.
    static let headers: [Parser] = [
        Parser("fields", lines, isSpecific: true) { text in
            var headers = fields(text)
            _ = (headers["a"], headers.values(for: "a"), headers.contains("z"), headers == headers, headers.hashValue)
            _ = (headers.harmless, headers.replacing(with: headers), headers.description)
            headers.set("b", for: "a")
            headers.remove("a")
        },
        Parser("response that is stored", of("Connection: ⟨a№,⟩\n", "⟨Connection: a№\na№: b\n⟩"), isSpecific: true) { text in
            let headers = fields(text)
            let kept = StorageRules.keptHeaders(headers, receivedAt: Date(timeIntervalSince1970: 0))
            _ = StorageRules.updatedHeaders(kept, by: headers, receivedAt: Date(timeIntervalSince1970: 0))
            _ = ConditionRules.withoutContent(headers)
            _ = RequestTerms(headers)
        },
        Parser(
            "hit in the cache",
            of(
                "Cache-Control: no-cache=\"⟨a№,⟩\"\n", "⟨Cache-Control: no-cache=\"a№\"\na№: b\n⟩", "Vary: ⟨a№,⟩\n",
                "⟨Age: 1,\n⟩", "⟨ETag: a\n⟩", "Age: ⟨1,⟩\n", "ETag: ⟨\"№\",⟩\n"), isSpecific: true
        ) { text in
            let stored = StoredResponse(
                key: CacheKey(url: url), headers: fields(text), url: url, requestTime: Date(timeIntervalSince1970: 0),
                responseTime: Date(timeIntervalSince1970: 0))
            let entry = CacheEntry(stored)
            var headers = stored.headers
            headers.remove(entry.terms.hiddenFields)
            _ = (stored.headers.cacheControl, StorageRules.varyingNames(stored.headers), stored.description, stored.encoded())
            _ = ConditionRules.form(RequestConditions(), isHead: false, entry)
            _ = StorageRules.mayStore(RequestTerms(stored.headers), entry.response, entry.terms, CacheOptions())
        },
        Parser("Link lines", of("⟨Link: <a>; rel=prev\n⟩", "⟨Link: <№>; rel=next; anchor=\"b\"\n⟩"), isSpecific: true) { text in
            _ = LinkField(fields(text)).target(of: "next", for: url)
        },
        Parser("challenges", of("⟨WWW-Authenticate: Digest realm=a, nonce=b№\n⟩"), isSpecific: true) { text in
            _ = AuthenticationChallenge.all(in: fields(text))
        },
        Parser(
            "cookies of a response", ["⟨a№=b\n⟩", "⟨a=b; Domain=host.test\n⟩", "⟨a№=b; Path=/№\n⟩", "⟨a№=b; Secure\n⟩"],
            isSpecific: true
        ) { text in
            let store = CookieStore(limits: CookieLimits(maximumFieldsPerResponse: .max))
            guard let location = CookieLocation(url) else { return }
            store.receive(text.parts(at: "\n").map(String.init), from: location)
            _ = store.merged(own: text.replacingOccurrences(of: "\n", with: "; "), for: location)
        },
        Parser("own cookies", ["⟨a№=b; ⟩", "⟨;⟩", "⟨a=b;⟩", "⟨= ⟩"]) { text in
            let store = CookieStore()
            guard let location = CookieLocation(url) else { return }
            store.receive((0..<50).map { "a\($0)=b" }, from: location)
            _ = store.merged(own: text, for: location)
        },
        Parser("file of cookies", ["a№", "a"], size: 256, isSpecific: true) { text in
            let items = text.parts(at: "a").map { number in
                """
                {"name":"n\(number)","value":"v","domain":"h\(number).test","isHostOnly":true,"path":"/","isSecure":true,"isHTTPOnly":false,
                "sameSite":"lax","expires":9000000000000}
                """
            }
            let content = #"{"format":"swift-data-transfer cookies","version":1,"cookies":[\#(items.joined(separator: ","))]}"#
            CookieStore().load(try CookieFile.cookies(in: Data(content.utf8)))
        },
        Parser(
            "file of hosts",
            ["⟨h№.test \"20990101 00:00:00\"\n⟩", "⟨.h№.a.test \"unlimited\"\n⟩", "⟨#\n⟩", "⟨h.test \"unlimited\"\n⟩"]
        ) { text in
            _ = try StrictTransportHosts(text: text, now: 0).text(now: 0)
        },
    ]

    /// URLs, and what names a host.
    static let locations: [Parser] = [
        Parser(
            "URI reference",
            ["/⟨../⟩", "/⟨a/../⟩", "⟨a/⟩⟨../⟩", "//⟨@⟩a", "//a⟨:⟩", "?⟨#⟩", "?⟨%⟩", "⟨/.⟩", "http://⟨a⟩", "//[⟨:⟩]"]
        ) { text in
            let reference = URIReference(text).withHTTPScheme().withoutUserInformation().resolved(
                against: URIReference("https://host.test/a/b"))
            _ = (reference.text, reference.url)
        },
        Parser(
            "URL",
            ["http://⟨a.⟩", "http://a/⟨b/⟩", "http://a:⟨0⟩80/", "http://[⟨:⟩]", "http://⟨@⟩a", "⟨a⟩://b", "http://a?⟨b&⟩"],
            size: 512
        ) { text in
            let parts = URLText(text)
            _ = (parts.origin, parts.originAndPath, ParsedURL(text).origin, CookieLocation(parts)?.domains)
            do throws(RequestGenerationError) { try parts.requireHTTP(.url) } catch { _ = "\(error)" }
        },
        Parser("redirect", ["/⟨../⟩", "//⟨a.⟩", "http://a/⟨%⟩", "⟨a⟩:", "//⟨[⟩"], size: 512) { text in
            let request = NetworkRequest(url: url)
            let rules = RedirectRules(SessionConfiguration(), strictTransport: nil)
            do throws(TransportError) {
                let next = try rules.next(after: request, status: 302, headers: ["Location": text], trail: RedirectTrail())
                _ = next.map { "\($0)" }
            } catch {
                _ = "\(error)"
            }
        },
        Parser("key of a cache", ["⟨%41⟩", "⟨%4⟩", "?⟨%e2⟩", "⟨/⟩"]) { text in
            guard let url = URL(string: "https://HOST.test:443/" + text) else { return }
            _ = (CacheKey(url: url).digest, NormalURL.host(of: text))
        },
        Parser("percent-encoding", ["%41", "%", "%4", "%e2%82", "%ZZ"]) { text in
            _ = (PercentEncoding.decoded(text), PercentEncoding.decodedBytes(text), PercentEncoding.encoded(text.utf8))
        },
        Parser("template", ["⟨{⟩", "⟨{a}⟩", "⟨}⟩", "⟨{a№}⟩", "{⟨a⟩}"]) { text in
            let values: PathParameters = ["a": "b"]
            _ = try values.fill(text, isFullPath: false)
            _ = try PathParameters(["a": text]).fill("{a}", isFullPath: true)
        },
        Parser(
            "host",
            [
                "⟨a.⟩", "xn--⟨a⟩", "⟨%61⟩", "⟨1.⟩1", "[⟨:⟩]", "[⟨0⟩]", "⟨a⟩:1", "0x⟨0⟩", "⟨%c3%a9⟩",
                "⟨%e4%b8%80%e4%b8%81%e4%b8%82⟩",
            ]
        ) { text in
            _ = (HostName.canonical(text[...]), HostName.isAddress(text), HostName.withoutPort(text[...]), IPAddress(text))
            _ = ProxyExclusions(entries: ["a.test"]).contain(host: text, port: 1)
            var hosts = StrictTransportHosts()
            hosts.apply(StrictTransportField(maximumAge: 1), to: "a.test", now: 0)
            _ = hosts.contain(text, now: 0)
            _ = URLHost.normalized("http://\(text)/")
            _ = PublicSuffixRule().contains(text)
        },
        Parser("proxy exclusions", ["⟨a№.test,⟩", "⟨10.0.0.0/8,⟩", "⟨*,⟩", "⟨a:1,⟩", "⟨.⟩"]) { text in
            _ = ProxyExclusions(list: text).contain(host: "host.test", port: 80)
        },
        Parser("proxy", ["http://⟨a⟩", "http://⟨a:b@⟩", "http://a:⟨1⟩", "http://⟨%⟩"]) { text in
            _ = try ProxyServer(parsing: text)
        },
    ]
}
