import Foundation
import NetworkObservation
import NetworkSupport
import TransferTestSupport

@testable import DataTransfer
@testable import Endpoints
@testable import NetworkAuthorization
@testable import NetworkCache
@testable import NetworkEngine
@testable import NetworkTransport
@testable import NetworkLogging
@testable import NetworkPipeline
@testable import NetworkURLSession
@testable import NetworkWebSocket
@testable import ResumableUploads

extension Parser {
    private static let url = URL(string: "https://host.test/a/b?c")!

    private static func date(_ text: String) {
        _ = HTTPDate(text)
        _ = LenientDate.seconds(Array(text.utf8)[...])
        _ = RetryAfter(["Retry-After": text])
    }

    /// The value of a single field.
    static let fields: [Parser] = [
        Parser("quoted string", ["\"⟨a⟩\"", "\"⟨\\\"⟩\"", "\"⟨\\a⟩", "\"⟨\"\"⟩\""]) { text in
            var scanner = FieldScanner(text[...])
            _ = scanner.takeQuotedString(endIsOptional: true)
            scanner = FieldScanner(text[...])
            while !scanner.isAtEnd {
                if scanner.takeQuotedString() == nil { _ = scanner.takePart(endingAt: ",") }
            }
        },
        Parser("parameters", ["a;⟨b=\"c\";⟩", "a;b=\"⟨;⟩", "a;⟨b№=c;⟩"]) { text in
            _ = FieldParameters(text[...]).parameters.map { FieldParameters.unquoted($0.value ?? "") }
        },
        Parser("list") { text in _ = (text.listElements, text.mediaType, text.parts(at: ","), text.divided(at: ";")) },
        Parser("media type", ["a/b;⟨charset=⟩", "a/b;charset=⟨\"⟩", "⟨a/⟩b"]) { text in
            _ = (MediaType(text).isText, TextCharset.parameter(in: text), TextCharset(name: text))
            _ = AcceptedMediaTypes.json.failure(contentType: text).map { "\($0)" }
        },
        Parser("Content-Disposition", ["attachment; filename=\"⟨…⟩x\"", "a; ⟨filename*=UTF-8''%;⟩", "a; filename*=UTF-8''⟨%e2⟩"])
        {
            text in _ = SafeFileName.of(["Content-Disposition": text], url: url)
        },
        Parser("file name", ["⟨. ⟩x", "x⟨. ⟩", "⟨…⟩", "⟨\u{301}⟩x", "a.⟨b⟩", "⟨/⟩x", "\u{200B}", "com1⟨ ⟩.x"]) { text in
            _ = SafeFileName.make(text).map { SafeFileName.numbered($0, 2) }
        },
        Parser("Link", ["<a>; ⟨rel=next; ⟩", "⟨<>,⟩", "<a>; rel=\"⟨a ⟩\"", "⟨<a>; anchor=\"../\"; rel=next,⟩", "<⟨a⟩", "⟨<a>;⟩"])
        { text in
            let link = LinkField(["Link": text])
            _ = (link.target(of: "next", for: url), "\(link)")
        },
        Parser(
            "structured field",
            ["a;⟨b;⟩", "⟨a№=1, ⟩", "(⟨a ⟩", "⟨(⟩", "⟨a=(\"b\");c, ⟩", ":⟨AAAA⟩:", "%\"⟨%e2⟩\"", "a=⟨9⟩", "\"⟨\\\\⟩\""]
        ) { text in
            _ = (StructuredField.dictionary(text), StructuredField.list(text), DigestField(text))
        },
        Parser("Content-Range", ["bytes ⟨0⟩-9/10", "bytes 0-9/⟨1⟩", "bytes⟨ ⟩0-9/10", "bytes 0⟨-⟩9/1", "bytes 0-1⟨/⟩"]) { text in
            _ = (ContentRange(text), ContentSpan(text), ByteRange(text))
        },
        Parser("date", ["⟨ ⟩Sun", "Sun, ⟨0⟩6", "Sun, 06 Nov ⟨1⟩", "⟨1:⟩"]) { date($0) },
        Parser(
            "Set-Cookie",
            ["a=b; ⟨Path=/; ⟩", "a=⟨b⟩", "a=b; Expires=⟨1:1:1 ⟩", "a=b; Domain=⟨a.⟩test", "a=b; Max-Age=⟨9⟩", "⟨=⟩"]
        ) { text in
            guard let field = SetCookie(text), let location = CookieLocation(url) else { return }
            _ = Cookie(field, from: location, now: 0)
        },
        Parser("joined Set-Cookie", ["⟨a=1; Expires=Sat, 01 Jan 2028 00:00:00 GMT, ⟩", "⟨a=1,⟩", "a=1⟨, b⟩"]) { text in
            _ = HeaderFields.separateCookies(text)
        },
        Parser("Strict-Transport-Security", ["max-age=⟨9⟩", "max-age=\"⟨1⟩\"", "⟨;⟩max-age=1", "max-age=1;⟨ a№;⟩"]) { text in
            _ = StrictTransportField(text)
        },
        Parser(
            "Cache-Control",
            [
                "no-cache=\"⟨a№,⟩\"", "⟨no-cache=\"a№\",⟩", "private=\"⟨a,⟩\"", "⟨max-age=1,⟩", "⟨a=\"⟩", "max-age=⟨9⟩",
                "⟨a= ⟩\"",
                "⟨no-cache=\"\\\"\",⟩", "max-age⟨ ⟩=60", "⟨a№=\"b\",⟩",
            ]
        ) { text in
            let directives = CacheDirectives(parsing: text)
            _ = (directives.noCache, directives.isPrivate, directives.maxAge, directives.staleIfError, directives.noStore)
        },
        Parser("Accept", ["⟨a;q=0.1,⟩", "a;⟨q=0;⟩", "⟨a№;q=0.5;b=\"c\",⟩"]) { text in _ = WeightedList.normalized(text) },
        Parser("entity tags", ["⟨\"a\",⟩", "⟨W/\"⟩", "⟨W/⟩", "\"⟨\\⟩\""]) { text in
            _ = (EntityTag.list(text), EntityTag(["ETag": text]))
        },
        Parser(
            "WWW-Authenticate",
            ["⟨Digest a=b,⟩", "Digest ⟨a№=\"b\",⟩", "⟨a ⟩", "⟨Basic =⟩", "Digest a=\"⟨\\\"⟩\"", "⟨a b c,⟩", "a ⟨=⟩"]
        ) { text in
            for challenge in AuthenticationChallenge.parse(text).prefix(4) {
                _ = DigestSession(challenge, user: "user", password: "pass")
            }
        },
        Parser("Digest", ["⟨auth,⟩", "⟨a ⟩", "\"", "\\"], isSpecific: true) { text in
            for name in ["realm", "nonce", "qop", "opaque", "algorithm", "userhash"] {
                let field = "Digest realm=a, nonce=b, algorithm=MD5, \(name)=\"\(text)\""
                for challenge in AuthenticationChallenge.parse(field.replacingOccurrences(of: "\(name)=a, ", with: "")) {
                    _ = DigestSession(challenge, user: "user", password: "pass")?.authorization(method: "GET", target: "/")
                }
            }
        },
        Parser("Retry-After") { text in _ = RetryAfter(["Retry-After": text, "Date": text], now: Date(timeIntervalSince1970: 0))
        },
        Parser("traceparent", ["⟨00-⟩"]) { text in _ = TraceContext(traceparent: text, tracestate: text) },
        Parser("Sec-WebSocket-Extensions", ["permessage-deflate⟨;a№⟩", "permessage-deflate; client_max_window_bits=⟨1⟩"]) {
            text in
            _ = try AgreedCompression(response: [text], offered: WebSocketCompression())
        },
        Parser("WebSocket handshake", ["⟨websocket,⟩", "⟨upgrade ⟩"]) { text in
            let handshake = try WebSocketHandshake(WebSocketOptions(), key: "a")
            for name in ["Upgrade", "Connection", "Sec-WebSocket-Accept", "Sec-WebSocket-Protocol", "Sec-WebSocket-Extensions"] {
                var headers: HeaderFields = [
                    "Upgrade": "websocket", "Connection": "upgrade", "Sec-WebSocket-Accept": WebSocketHandshake.accept("a"),
                ]
                headers.set(text, for: name)
                do throws(WebSocketError) { _ = try handshake.check(headers) } catch { _ = "\(error)" }
            }
        },
        Parser("close reason") { text in _ = "\(WebSocketError(.closed, text))" },
        Parser("tus", size: 512) { text in
            for name in ["Tus-Version", "Tus-Extension", "Tus-Max-Size", "Upload-Offset", "Upload-Length", "Location"] {
                let headers: HeaderFields = ["Tus-Extension": "checksum", "Tus-Checksum-Algorithm": text, name: text]
                do throws(UploadFailure) { _ = try UploadServer(headers, url: url, file: url) } catch { _ = "\(error)" }
                do throws(UploadFailure) { _ = try UploadLocation.url(in: headers, of: url, file: url) } catch { _ = "\(error)" }
                do throws(UploadFailure) {
                    _ = try UploadOutcome(toHead: 200, headers, length: 1, sentEnd: nil, file: url)
                } catch { _ = "\(error)" }
            }
        },
        Parser("received bytes", ["\u{FF}", "a\u{FF}"]) { text in
            let field = HeaderFields.Field(name: "a", received: text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
            _ = (field.bytes, field.description)
        },
        Parser("visible text", ["\u{1B}", "\u{202E}", "\n", "\r\n"]) { text in
            _ = (text.printable, text.printableLine, VisibleText.escaped(text), VisibleText.escaped(text, limit: 100))
        },
    ]

    /// The redaction of secrets in what a peer sends.
    static let redaction: [Parser] = [
        Parser(
            "redaction of a text",
            ["digest+", "Bearer ", "a: ", "token=", "://a:", "eyJ", "<a>", "-----BEGIN ", "{\"a\":", "code=1 "]
        ) {
            text in _ = Redaction.default.redacted(text: text)
        },
        Parser("redaction of a value", ["digest+", "Bearer ", "a=b; ", "token=", "://a:"], size: 512) { text in
            for name in ["Location", "X-Any", "Set-Cookie", "WWW-Authenticate", "Link"] {
                _ = Redaction.default.redacted(headerValue: text, for: name)
            }
        },
        Parser("redaction of a URL", ["https://host.test/⟨a/⟩", "https://⟨a@⟩", "https://a?⟨b=c&⟩", "digest+", "https://a/⟨;⟩"]) {
            text in _ = Redaction.default.redacted(url: text)
        },
        Parser("redaction of a body", ["{\"a\":", "[", "<a>", "a=b&", "--b\r\n", "{\"token\":\"", "digest+"], size: 512) { text in
            let body = Data(text.utf8)
            for type in [
                "application/json", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=b",
                "text/xml",
            ] {
                _ = Redaction.default.redacted(body: body, contentType: type)
                _ = Redaction.default.redacted(body: body, contentType: type, maximumBytes: .max)
            }
        },
    ]
}
