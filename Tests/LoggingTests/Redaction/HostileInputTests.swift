import Foundation
import NetworkLogging
import Testing
import TestSupport

/// Any input is redacted, and the output is bounded.
struct HostileInputTests {
    private static let types: [String?] = [
        nil, "application/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=b", "text/plain", "text/xml",
        "image/png", "multipart/form-data; boundary=", ";;;=\"",
    ]

    @Test(arguments: types)
    func `redaction of random bytes does not trap and respects the limit`(type: String?) {
        var random = SeededGenerator(seed: 42)
        let alphabet = Array("{}[]\":,=&;%<>/\\@?#' \r\n-b\\u00eyJtokenpassword:Bearer ://".utf8)
        for _ in 0..<runs(25, slow: 100) {
            let count = Int.random(in: 0..<200, using: &random)
            let isRaw = Bool.random(using: &random)
            let bytes = (0..<count).map { _ in
                isRaw ? UInt8.random(in: 0...255, using: &random) : alphabet.randomElement(using: &random) ?? 0
            }
            let limit = Int.random(in: 0..<100, using: &random)
            let text = Redaction.default.redacted(body: Data(bytes), contentType: type, maximumBytes: limit)
            // Each invalid byte becomes three bytes; the note is short.
            #expect(text.utf8.count <= 3 * limit + 60)
            let string = String(decoding: bytes, as: UTF8.self)
            _ = Redaction.default.redacted(url: string)
            _ = Redaction.default.redacted(text: string)
            _ = URL(string: string).map { CurlCommand(LoggedRequest(url: $0)).text }
            let output = RecordingOutput()
            let headers =
                [LoggedField(name: string, value: string)] + (type.map { [LoggedField(name: "Content-Type", value: $0)] } ?? [])
            if let url = URL(string: "https://example.com/") {
                output.logger(.debug).log(request: LoggedRequest(url: url, headers: headers, body: .data(Data(bytes))))
            }
            #expect(output.entries.count == 1)
        }
    }

    @Test func `a deeply nested document is indented without recursion and within bounds`() {
        let output = RecordingOutput()
        let request = LoggedRequest.make(
            headers: ["Content-Type": "application/json"], body: String(repeating: "[", count: runs(250_000, slow: 1_000_000)))
        output.logger(.debug).log(request: request)
        #expect(output.text.utf8.count < 300_000)
    }
}
