import Endpoints
import Foundation
import NetworkLogging
import TransferTestSupport

/// Log records, redaction and cURL commands.
extension ExtremeCall {
    private static let url = URL(string: "https://api.test/a?b=c")!
    /// The time that redaction takes for each text is limited, but not the text's size, so these texts are sufficient.
    private static let texts = Extreme.texts

    static let logging: [ExtremeCall] = [
        ExtremeCall("LoggedRequest.header(_:)", "LoggedResponse.header(_:)") {
            for text in texts {
                let field = LoggedField(name: text, value: text)
                describe(LoggedRequest(url: url, headers: [field]))
                _ = LoggedRequest(url: url, headers: [field]).header(text)
                _ = LoggedResponse(statusCode: 200, headers: [field]).header(text)
            }
        },
        ExtremeCall {
            for text in texts { describe(LoggedRequest(method: text, url: url)) }
            for number in Extreme.integers { describe(LoggedRequest(url: url, identifier: .max, attempt: number)) }
        },
        ExtremeCall("ConsoleLogger.init(level:redaction:maximumBodyBytes:output:)") {
            let request = LoggedRequest(url: url, body: .data(Data("{\"a\": 1}".utf8)))
            for bytes in Extreme.integers {
                let logger = ConsoleLogger(level: .debug, maximumBodyBytes: bytes) { describe($0) }
                logger.log(request: request)
                for duration in Extreme.durations {
                    let response = LoggedResponse(
                        statusCode: bytes, url: url, body: Data("{\"a\": 1}".utf8), duration: duration, protocolName: "\0",
                        bytesSent: Int64(bytes), bytesReceived: Int64(bytes), attempt: bytes,
                        phases: [LoggedPhase(name: "x", duration: duration)])
                    describe(response)
                    logger.log(response: response, for: request)
                }
            }
        },
        ExtremeCall("CurlCommand.init(_:redaction:isCompressed:maximumBodyBytes:)") {
            for bytes in Extreme.integers {
                describe(CurlCommand(LoggedRequest(url: url, body: .data(Data("abc".utf8))), maximumBodyBytes: bytes).text)
            }
            for text in texts {
                let request = LoggedRequest(method: text, url: url, headers: [LoggedField(name: text, value: text)])
                describe(CurlCommand(request, redaction: nil).text)
            }
        },
        ExtremeCall { for text in ["", "\0"] { StandardError.write(text) } },
        ExtremeCall("Redaction.redacted(body:contentType:maximumBytes:)") {
            for text in texts {
                for type in [
                    text, "application/json", "application/x-www-form-urlencoded", "text/plain",
                    "multipart/form-data; boundary=\(text)",
                ] {
                    _ = Redaction.default.redacted(body: Data(text.utf8), contentType: type)
                }
            }
            for limit in Extreme.integers {
                for type in ["application/json", "text/plain", "application/x-www-form-urlencoded"] {
                    _ = Redaction.default.redacted(
                        body: Data("{\"token\": \"🎬 abc\"}".utf8), contentType: type, maximumBytes: limit)
                }
            }
        },
        ExtremeCall("SecretValues.insert(_:)") {
            for text in texts.map({ $0.utf8.count < 6 ? $0 : $0 + "~" }) {
                SecretValues.insert(text)
                for sample in isSlowRun ? texts : [text, "a"] {
                    _ = Redaction.default.redacted(text: String(sample.prefix(100)) + String(text.prefix(100)))
                }
            }
            // All values are known now.
            for sample in texts { _ = Redaction.default.redacted(text: String(sample.prefix(100))) }
            for duration in Extreme.durations { _ = StandardError.flush(within: min(duration, .milliseconds(1))) }
        },
        ExtremeCall("LoggedOutcome.Source.init(rawValue:)") {
            for (number, duration) in Extreme.pairs(Extreme.integers, Extreme.durations, usual: (200, .seconds(1))) {
                describe(LoggedOutcome(statusCode: number, attempts: number, duration: duration))
            }
            for text in texts { describe(LoggedOutcome(source: LoggedOutcome.Source(rawValue: text))) }
        },
        ExtremeCall("NetworkRequest.markCredential(for:)", "NetworkRequest.setCredential(_:for:)") {
            for text in texts.map({ $0.utf8.count < 6 ? $0 : $0 + "~" }) {
                var request = NetworkRequest(url: url)
                request.setCredential(text, for: text)
                request.markCredential(for: text)
                describe(request)
            }
        },
        ExtremeCall(
            "Redaction.init(extraHeaderNames:extraFieldNames:openHeaderNames:openFieldNames:)",
            "Redaction.redacted(text:)",
            "Redaction.redacted(headerValue:for:)"
        ) {
            for text in texts {
                let redaction = Redaction(extraHeaderNames: [text], extraFieldNames: [text])
                _ = (redaction.isSecret(header: text), redaction.isSecret(field: text))
                _ = (Redaction.isSecret(header: text), Redaction.isSecret(field: text))
                _ = redaction.redacted(text: text)
                _ = redaction.redacted(headerValue: text, for: text)
                _ = redaction.redacted(url: text)
                _ = Redaction.default.redacted(url: "https://a.test/?token=" + text)
            }
            for url in Extreme.urls { _ = Redaction.default.redacted(url: url) }
        },
    ]
}
