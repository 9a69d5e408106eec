import Foundation
import NetworkLogging
import Testing

struct RedactedBodyTests {
    private func redacted(_ text: String, _ type: String?, limit: Int = 4096) -> String {
        Redaction.default.redacted(body: Data(text.utf8), contentType: type, maximumBytes: limit)
    }

    @Test(arguments: [
        (#"{"a":1,"b":[true,null,"x"]}"#, #"{"a":1,"b":[true,null,"x"]}"#),
        (#"{"token":"abc","a":1}"#, #"{"token":"<redacted>","a":1}"#),
        (#"{"pin":1234}"#, #"{"pin":"<redacted>"}"#),
        (
            #"{"credentials":{"user":"u","pw":["x","}"]},"a":1}"#,
            #"{"credentials":{"user":"<redacted>","pw":["<redacted>","<redacted>"]},"a":1}"#
        ),
        (#"{"secrets" : [ {"a":"]"} , 2 ] }"#, #"{"secrets" : [ {"a":"<redacted>"} , "<redacted>" ] }"#),
        (#"[[{"a":{"b":{"password":"abc"}}}]]"#, #"[[{"a":{"b":{"password":"<redacted>"}}}]]"#),
        (#"{"pass\u0077ord":"abc"}"#, #"{"pass\u0077ord":"<redacted>"}"#),
        (#"{"password":"a\"b\\"}"#, #"{"password":"<redacted>"}"#),
        (#"{"m":"Bearer abc"}"#, #"{"m":"Bearer <redacted>"}"#),
        (#"{"m":"\u0042earer abc"}"#, #"{"m":"<redacted>"}"#),
        (#"{"m":"{\"password\":\"abc\"}"}"#, #"{"m":"<redacted>"}"#),
        (#"{"u":"https:\/\/bob:pw@x\/"}"#, #"{"u":"<redacted>"}"#),
        (#"["password","abc"]"#, #"["password","abc"]"#),
        // Malformed documents.
        (#"{"password":"abc"#, #"{"password":"<redacted>""#),
        (#"{"password":{"a":"abc"#, #"{"password":<redacted>"#),
        (#"{"password" "abc"}"#, #"{"password" "<redacted>"}"#),
        (#"{"password"="abc"}"#, #"{"password"="<redacted>"}"#),
        (#"{password:abc,x:1}"#, #"{password:"<redacted>",x:1}"#),
        (#"{'password':'abc'}"#, #"{'password':"<redacted>"}"#),
        (#"}]{"password":"abc"}"#, #"}]{"password":"<redacted>"}"#),
        (#"{"password":"abc"def"}"#, #"{"password":"<redacted>""#),
        (#"{"password":}"#, #"{"password":}"#),
        ("{url: https://bob:pw@x/}", "{url: https://<redacted>@x/}"),
    ])
    func `the values of secret keys are redacted anywhere in JSON`(body: String, expected: String) {
        #expect(redacted(body, "application/json") == expected)
        #expect(redacted(body, "application/problem+json; charset=utf-8") == expected)
        #expect(redacted(body, nil) == expected || !body.hasPrefix("{"))
    }

    @Test(arguments: [
        ("a=b&password=abc+d&c=d", "a=b&password=<redacted>&c=d"),
        ("user%5Bpassword%5D=abc", "user%5Bpassword%5D=<redacted>"),
        ("to+ken=abc", "to+ken=<redacted>"),
        ("a=https%3A%2F%2Fu%3Ap%40x", "a=<redacted>"),
    ])
    func `the values of secret fields are redacted in a form`(body: String, expected: String) {
        #expect(redacted(body, "application/x-www-form-urlencoded") == expected)
    }

    @Test func `a long form is truncated with a note of the omitted bytes`() {
        let body = "password=abc&" + String(repeating: "a=b&", count: 100)
        #expect(redacted(body, "application/x-www-form-urlencoded", limit: 24).hasPrefix("password=<redacted>&a=b&… ("))
        let long = "password=" + String(repeating: "abc", count: 9000)
        #expect(redacted(long, "application/x-www-form-urlencoded", limit: 100) == "password=<redacted>")
        let open = "a=" + String(repeating: "uv", count: 4999)
        #expect(redacted(open, "application/x-www-form-urlencoded", limit: 10) == "a=uvuvuvuv… (9990 more bytes)")
    }

    @Test func `secret parts of a multipart form are redacted, and binary parts are summarised`() {
        let body = [
            "--b", "Content-Disposition: form-data; name=\"title\"", "", "hello",
            "--b", "Content-Disposition: form-data; name=\"password\"", "", "abc\r\nabc",
            "--b", "content-disposition: form-data;\r\n name*=UTF-8''pass%77ord", "", "abc",
            "--b", "Content-Disposition: form-data; name=\"j\"", "Content-Type: application/json", "", "{\"pin\":1}",
            "--b", "Content-Disposition: form-data; name=\"f\"; filename=\"a.png\"", "Content-Type: image/png", "", "\u{1}\u{2}",
            "--b", "", "no name", "--b--", "",
        ].joined(separator: "\r\n")
        let text = redacted(body, "multipart/form-data; boundary=\"b\"")
        #expect(!text.contains("abc"))
        #expect(!text.contains("no name"))
        #expect(text.contains("hello"))
        #expect(text.contains("{\"pin\":\"<redacted>\"}"))
        #expect(text.contains("<2 bytes of image/png>"))
        #expect(text.hasSuffix("--b--"))
        #expect(redacted(body, "multipart/form-data") == "<\(body.utf8.count) bytes of multipart/form-data>")
    }

    @Test func `binary data is shown as its size and type`() {
        let bytes = Data([0x89, 0x50, 0, 1])
        let redaction = Redaction.default
        #expect(redaction.redacted(body: bytes, contentType: "image/png", maximumBytes: 100) == "<4 bytes of image/png>")
        #expect(redaction.redacted(body: bytes, contentType: nil, maximumBytes: 100) == "<4 bytes>")
        #expect(
            redaction.redacted(body: bytes, contentType: "application/json", maximumBytes: 100) == "<4 bytes of application/json>"
        )
        #expect(redaction.redacted(body: Data([0]), contentType: "a\u{1B}/b;c", maximumBytes: 100) == "<1 byte of a?/b>")
        #expect(redaction.redacted(body: Data(), contentType: nil, maximumBytes: 100) == "")
    }

    @Test(arguments: 0...12)
    func `a long text is truncated between characters with a note of the omitted bytes`(limit: Int) throws {
        let body = "aäé€😀b"
        let text = redacted(body, "text/plain", limit: limit)
        if limit == 12 || limit >= body.utf8.count { #expect(limit < body.utf8.count || text == body) }
        #expect(!text.contains("\u{FFFD}"))
        let shown = try #require(text.split(separator: "…", omittingEmptySubsequences: false).first)
        #expect(shown.utf8.count <= limit)
        #expect(body.hasPrefix(shown))
        #expect(text == body || text.hasSuffix("… (\(body.utf8.count - shown.utf8.count) more bytes)"))
    }

    @Test func `secrets are redacted in text of other types`() {
        #expect(redacted("Bearer abc", "text/plain") == "Bearer <redacted>")
        #expect(redacted("<a><password>abc</password></a>", "application/xml") == "<a><password><redacted></password></a>")
        #expect(redacted("data: {\"token\":\"abc\"}\n\n", "text/event-stream") == "data: {\"token\":\"<redacted>\"}\n\n")
    }
}
