import Foundation
import NetworkLogging
import TestSupport
import Testing

struct CurlCommandTests {
    /// Runs the text in `sh` with a `curl` that prints its arguments, each terminated by NUL.
    private func arguments(of text: String) throws -> [String] {
        let (data, status) = try ShellCommand.run("exec 2>&1\ncurl() { printf '%s\\0' \"$@\"; }\n\(text)\n")
        #expect(status == 0)
        let parts = data.split(separator: 0, omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
        return Array(parts.dropLast())
    }

    @Test func `a GET request without headers is a command with only a URL`() {
        #expect(CurlCommand(.make()).text == "curl https://example.com/")
    }

    @Test(arguments: [
        "plain", "two words", "it's", "''", "'", "$(touch x)", "`id`", "${HOME}", "a\\b", "a\nb\n", "!history", "!!", "\"q\"",
        "ünï😀", "-dash", "--data", "@file", "#c", "; rm x", "| cat", "&& ls", "a\tb", "*", "~", "'\u{301}; id #", "%s\\0", "\\",
        "<in >out", "=ls", "[a]{b}",
    ])
    func `a shell passes exactly the body and the header value to curl`(text: String) throws {
        let value = text.replacingOccurrences(of: "\n", with: " ").replacingOccurrences(of: "\t", with: " ")
        let request = LoggedRequest.make("POST", headers: ["Content-Type": "text/plain", "X-A": value], body: text)
        let expected = ["-H", "Content-Type: text/plain", "-H", "X-A: \(value)", "--data-raw", text, "https://example.com/"]
        #expect(try arguments(of: CurlCommand(request, redaction: nil).text) == expected)
        #expect(try arguments(of: CurlCommand(request).text) == expected)
    }

    @Test(
        arguments: [
            ("GET", nil, []), ("POST", "x", []), ("HEAD", nil, ["--head"]), ("GET", "x", ["-X", "GET"]),
            ("POST", nil, ["-X", "POST"]),
            ("PUT", "x", ["-X", "PUT"]), ("DELETE", nil, ["-X", "DELETE"]), ("get", nil, ["-X", "get"]),
            ("A'B $x", nil, ["-X", "A'B $x"]),
        ] as [(String, String?, [String])])
    func `the method is written only if curl would choose another one`(method: String, body: String?, expected: [String]) throws {
        let request = LoggedRequest.make(method, headers: ["Content-Type": "text/plain"], body: body)
        #expect(try Array(arguments(of: CurlCommand(request).text).prefix { $0 != "-H" }) == expected)
    }

    @Test func `brackets and braces in a URL disable globbing`() throws {
        let request = LoggedRequest.make("GET", "http://[::1]/a?b=%5B1")
        #expect(try arguments(of: CurlCommand(request).text) == ["-g", "http://[::1]/a?b=%5B1"])
    }

    @Test func `dot segments in a path are kept`() throws {
        let request = LoggedRequest.make("GET", "http://x/a/../b")
        #expect(try arguments(of: CurlCommand(request).text) == ["--path-as-is", "http://x/a/../b"])
    }

    @Test func `an empty header is sent without a value, and Content-Length is omitted`() throws {
        let request = LoggedRequest.make(headers: ["X-Empty": "", "Content-Length": "3", "@x": "a"])
        #expect(
            try arguments(of: CurlCommand(request, isCompressed: true).text)
                == ["--compressed", "-H", "X-Empty;", "-H", "%40x: a", "https://example.com/"])
    }

    @Test(arguments: [Data([0]), Data("a\u{1B}[2J".utf8), Data("a\u{202E}".utf8), Data("a\rb".utf8), Data([0xFF, 0xFE])])
    func `a body that is not printable text is read from a file named after its size`(body: Data) throws {
        var request = LoggedRequest.make("POST", headers: ["Content-Type": "text/plain"])
        request.body = .data(body)
        for redaction in [nil, Redaction.default] {
            let result = try arguments(of: CurlCommand(request, redaction: redaction).text)
            #expect(Array(result.suffix(3)) == ["--data-binary", "@body-\(body.count)-bytes", "https://example.com/"])
        }
    }

    @Test func `files, streams and long bodies are read from files`() throws {
        var request = LoggedRequest.make("POST")
        request.body = .file(URL(fileURLWithPath: "/tmp/it's a file", isDirectory: false), bytes: 3)
        #expect(
            try arguments(of: CurlCommand(request).text)
                == ["-H", "Content-Type:", "--data-binary", "@/tmp/it's a file", "https://example.com/"])
        request.body = .stream(bytes: nil)
        #expect(try arguments(of: CurlCommand(request).text).contains("@body"))
        request.body = .data(Data("hello".utf8))
        #expect(try arguments(of: CurlCommand(request, maximumBodyBytes: 4).text).contains("@body-5-bytes"))
        #expect(try arguments(of: CurlCommand(request, redaction: nil, maximumBodyBytes: 4).text).contains("@body-5-bytes"))
    }

    @Test func `control characters in URL, method and headers are escaped`() {
        let request = LoggedRequest.make("GE\u{1B}T", headers: ["X-A": "a\r\nb\u{1B}[2J\u{202E}", "X\n": "b"])
        for redaction in [nil, Redaction.default] {
            let text = CurlCommand(request, redaction: redaction).text
            #expect(!text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x202E })
        }
    }

    @Test func `secrets are shown only in text without redaction, and never in descriptions`() {
        let request = LoggedRequest.make(
            "POST", "https://u:canary@x/?token=canary",
            headers: ["Authorization": "canary", "Content-Type": "application/json"], body: #"{"pin":"canary"}"#)
        #expect(!CurlCommand(request).text.contains("canary"))
        let open = CurlCommand(request, redaction: nil)
        #expect(open.text.components(separatedBy: "canary").count == 5)
        var dumped = ""
        dump(open, to: &dumped)
        #expect(!"\(open) \(String(reflecting: open)) \(dumped)".contains("canary"))
    }
}
