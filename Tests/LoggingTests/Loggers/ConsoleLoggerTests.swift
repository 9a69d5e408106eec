import Foundation
import NetworkLogging
import Testing

struct ConsoleLoggerTests {
    private let request = LoggedRequest.make(
        "POST", "https://example.com/a?token=abc", headers: ["Content-Type": "application/json", "Cookie": "a=b"],
        body: #"{"a":[1,{}],"pin":1}"#)

    @Test(arguments: [(LogLevel.off, 0), (.error, 1), (.info, 3), (.debug, 3)])
    func `a level determines which events are written`(level: LogLevel, count: Int) {
        let output = RecordingOutput()
        let logger = output.logger(level)
        logger.log(request: request)
        logger.log(response: .make(), for: request)
        logger.log(error: StubError(description: "lost"), for: request)
        #expect(output.entries.count == count)
        #expect(logger.isEnabled == (level != .off))
    }

    @Test func `info writes one line per event with status, duration and sizes`() {
        let output = RecordingOutput()
        let logger = output.logger(.info)
        logger.log(request: request)
        logger.log(response: .make(404, body: "gone"), for: request)
        logger.log(error: StubError(description: "lost token=abc"), for: request)
        logger.log(error: StubError(description: "no request"))
        #expect(
            output.entries == [
                "[network] > #7 POST https://example.com/a?token=<redacted> (20 bytes)",
                "[network] < 404 #7 POST https://example.com/a?token=<redacted> in 12.3 ms, 4 bytes",
                "[network] ! #7 POST https://example.com/a?token=<redacted>: lost token=<redacted>",
                "[network] ! no request",
            ])
    }

    @Test func `debug shows headers and an indented body, both redacted`() {
        let output = RecordingOutput()
        output.logger(.debug).log(request: request)
        #expect(
            output.text == """
                [network] > #7 POST https://example.com/a?token=<redacted> (20 bytes)
                    | Content-Type: application/json
                    | Cookie: <redacted>
                    | {
                    |   "a": [
                    |     1,
                    |     {}
                    |   ],
                    |   "pin": "<redacted>"
                    | }
                """)
    }

    @Test func `debug shows protocol, connection and phases of a response`() {
        var response = LoggedResponse.make()
        response.protocolName = "h2"
        response.isReusedConnection = true
        response.phases = [LoggedPhase(name: "dns", duration: .milliseconds(1))]
        let output = RecordingOutput()
        output.logger(.debug).log(response: response, for: request)
        #expect(output.text.hasSuffix("\n    | (h2, dns 1.0 ms, reused connection)"))
    }

    @Test func `a body is truncated at the limit with the number of omitted bytes`() {
        let output = RecordingOutput()
        let long = LoggedRequest.make(headers: ["Content-Type": "text/plain"], body: String(repeating: "x", count: 100))
        output.logger(.debug, maximumBodyBytes: 10).log(request: long)
        #expect(output.text.hasSuffix("\n    | xxxxxxxxxx… (90 more bytes)"))
    }

    @Test(arguments: [
        "\n[network] < 200", "\r\n[network]", "\u{1B}[2J", "\u{202E}", "\u{2028}", "\u{85}", "\u{7F}", "\u{0}", "\u{200B}",
    ])
    func `remote data cannot forge a line or control a terminal`(attack: String) {
        let output = RecordingOutput()
        let logger = output.logger(.debug)
        var request = LoggedRequest.make("GET\(attack)", headers: ["X-A\(attack)": "a\(attack)", "Content-Type": "text/plain"])
        request.body = .data(Data("body\(attack)".utf8))
        logger.log(request: request)
        logger.log(error: StubError(description: "e\(attack)"), for: request)
        let harmful = attack.unicodeScalars.filter { $0 != "\n" }.filter { $0.value < 0x20 || $0.value > 0x7E }
        for entry in output.entries {
            #expect(!entry.unicodeScalars.contains { harmful.contains($0) })
            for line in entry.split(separator: "\n").dropFirst() { #expect(line.hasPrefix("    | ")) }
        }
        #expect(output.entries.count == 2)
        #expect(output.entries.last?.contains("\n") == false)
    }

    @Test func `both protocols have a static member for the console logger`() {
        let network: any NetworkErrorLogger = .console()
        let transfer: any DataTransferErrorLogger = .console(level: .off)
        let quiet: any NetworkErrorLogger = .console(level: .off)
        #expect(network.isEnabled)
        #expect(!transfer.isEnabled)
        #expect(!quiet.isEnabled)
        #expect(ConsoleLogger().level == .info)
        // Both protocols have this function, and a `ConsoleLogger` is both.
        let optional: ConsoleLogger? = .console(level: .debug)
        #expect(optional?.level == .debug)
    }

    @Test func `malformed JSON is indented by its brackets`() {
        let output = RecordingOutput()
        let request = LoggedRequest.make(headers: ["Content-Type": "application/json"], body: "]}{\"a\":[1,\"x")
        output.logger(.debug).log(request: request)
        #expect(output.text.contains("\"a\": ["))
        #expect(output.text.hasSuffix("\"x"))
    }
}
