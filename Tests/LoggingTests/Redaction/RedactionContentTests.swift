import Foundation
import NetworkLogging
import Testing

struct RedactionContentTests {
    private func content(_ text: String, _ type: String?) -> String? {
        Redaction.default.redactedContent(Data(text.utf8), contentType: type)
    }

    @Test(
        arguments: [
            (#"{"a": 1, "password": "x"}"#, "application/json", #"{"a": 1, "password": "<redacted>"}"#),
            (#"{"a": 1}"#, "application/json", nil), ("a=1&pin=2", "application/x-www-form-urlencoded", "a=1&pin=<redacted>"),
            ("", "application/json", nil), ("", nil, nil),
            // Text with a binary content type.
            (#"{"password": "x"}"#, "application/octet-stream", #"{"password": "<redacted>"}"#),
            ("password=x", "image/png", "password=<redacted>"), ("hello", "application/octet-stream", nil),
            ("Bearer abcdef", nil, "Bearer <redacted>"),
            // Without a boundary, the body is redacted as text.
            ("password=x", "multipart/form-data", "password=<redacted>"),
        ] as [(String, String?, String?)])
    func `the secrets of a body are redacted, and other bodies are not changed`(body: String, type: String?, expected: String?) {
        #expect(content(body, type) == expected)
    }

    @Test(
        arguments: [
            (#"{"code": 7, "pin": -1.5e3 }"#, #"{"code": 7, "pin": 0}"#), (#"{"token": null, "auth": true}"#, nil),
            (#"{"token": "7", "pin": [7]}"#, #"{"token": "<redacted>", "pin": [0]}"#),
            // An invalid JSON value is replaced by the placeholder, as in any text.
            (#"{"pin": 7 8}"#, #"{"pin": "<redacted>"}"#), (#"{"pin": e7}"#, #"{"pin": "<redacted>"}"#),
            (#"{"pin": nul}"#, #"{"pin": "<redacted>"}"#), (#"{"a": 7, "<redacted>": 1}"#, nil),
        ] as [(String, String?)])
    func `redaction can keep JSON types, with 0 for secret numbers`(body: String, expected: String?) {
        let content = Redaction.default.redactedContent(Data(body.utf8), contentType: "application/json", keepsTypes: true)
        #expect(content == expected)
    }

    @Test func `binary data is not changed`() {
        #expect(Redaction.default.redactedContent(Data([0, 255, 1]), contentType: nil) == nil)
        #expect(Redaction.default.redactedContent(Data([0, 255, 1]), contentType: "application/json") == nil)
    }

    @Test func `a long body is complete, even if placeholders make it longer`() {
        let pairs = String(repeating: #"{"pin":1},"#, count: 5000)
        #expect(content("[\(pairs)0]", "application/json")?.hasSuffix(#"{"pin":"<redacted>"},0]"#) == true)
        #expect(
            content(String(repeating: "pin=1&", count: 5000) + "z=9", "application/x-www-form-urlencoded")?.hasSuffix("z=9")
                == true)
        let long = String(repeating: "~a", count: 100_000)
        #expect(content("\(long) password=x \(long)!", "text/plain")?.hasSuffix("~a!") == true)
    }
}
