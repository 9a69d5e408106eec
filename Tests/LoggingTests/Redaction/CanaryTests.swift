import Foundation
import NetworkLogging
import Testing
import TestSupport

/// A secret in each place where secrets occur, surrounded by random content, is not printed by any sink.
struct CanaryTests {
    private static let canary = "CaNaRy7Qz"

    enum Place: CaseIterable {
        case userinfo, query, encodedQuery, nestedQuery, fragment, header, location, bearerHeader
        case json, jsonEscapedKey, jsonArray, jsonObject, jsonInString, jsonTruncated, jsonUnlabelled
        case form, multipart, bearerText, jwt, xml, pairInText
    }

    @Test(arguments: Place.allCases)
    func `no sink prints a secret`(place: Place) {
        for seed in 0..<UInt64(runs(12, slow: 40)) {
            var random = SeededGenerator(seed: seed &* 7919 &+ 13)
            let sample = Sample(place, random: &random)
            for (sink, text) in Self.sinks(sample) where text.contains(Self.canary) {
                Issue.record("seed \(seed), \(sink): \(text)")
                return
            }
        }
    }

    private static func sinks(_ sample: Sample) -> [(String, String)] {
        let request = sample.request
        let response = LoggedResponse(
            statusCode: 200, url: request.sentURL, headers: request.headers, body: sample.body, duration: .milliseconds(5))
        var sinks: [(String, String)] = []
        for level in LogLevel.allCases {
            let output = RecordingOutput()
            let logger = output.logger(level)
            logger.log(request: request)
            logger.log(response: response, for: request)
            logger.log(error: StubError(description: sample.errorText), for: request)
            logger.log(error: StubError(description: sample.errorText))
            sinks.append(("console \(level)", output.text))
        }
        let output = RecordingOutput()
        output.logger(.debug, maximumBodyBytes: 60).log(request: request)
        sinks.append(("short console", output.text))
        sinks.append(("curl", CurlCommand(request).text))
        sinks.append(("url", request.url.absoluteString + " \(response.url?.absoluteString ?? "")"))
        for (name, value) in [
            ("request", request), ("response", response), ("fields", request.headers), ("body", request.body as Any),
        ]
            as [(String, Any)]
        {
            var dumped = ""
            dump(value, to: &dumped)
            sinks.append((name, "\(value) \(String(reflecting: value)) \(dumped)"))
        }
        let body = Redaction.default.redacted(body: sample.body, contentType: nil)
        return sinks + (sample.isLabelNeeded ? [] : [("unlabelled body", body)])
    }

    /// A request that contains the canary in one place.
    struct Sample {
        var request = LoggedRequest.make("POST")
        var body = Data()
        var errorText = "nothing"
        /// Whether the content type is needed to parse the body.
        var isLabelNeeded = false

        init(_ place: Place, random: inout SeededGenerator) {
            let canary = CanaryTests.canary
            let field =
                [
                    "access_token", "refreshToken", "id-token", "api_key", "apikey", "password", "PASSWD", "pwd",
                    "clientSecret",
                    "signature", "sig", "sessionid", "jwt", "auth", "credential", "private_key", "pin", "otp",
                    "X-Amz-Signature",
                ].randomElement(using: &random) ?? "token"
            let header =
                [
                    "Authorization", "proxy-authorization", "Cookie", "Set-Cookie", "Authentication-Info", "X-Api-Key", "X-Auth",
                    "X-Amz-Security-Token", "X-CSRF-Token", "X-Session", "X-Hub-Signature", "X-Client-Secret", "X-Password",
                ].randomElement(using: &random) ?? "Cookie"
            let noise = { (random: inout SeededGenerator) in
                String(
                    (0..<Int.random(in: 0..<12, using: &random)).map { _ in "abcXYZ019-_.~".randomElement(using: &random) ?? "a" }
                )
            }
            let a = noise(&random)
            let b = noise(&random)
            let text = noise(&random) + String("äß€😀\t ,;".shuffled(using: &random))
            func url(_ text: String) { request.url = URL(string: text) ?? request.url }
            func json(_ text: String) {
                let depth = Int.random(in: 0..<30, using: &random)
                let open = (0..<depth).map { _ in Bool.random(using: &random) }
                let before = open.map { $0 ? "[\"\(a)\"," : "{\"\(a)\":1,\"n\(b)\":" }.joined()
                let after = open.reversed().map { $0 ? ",2]" : ",\"z\":null}" }.joined()
                fill(before + text + after, type: "application/json")
            }
            func fill(_ text: String, type: String) {
                body = Data(text.utf8)
                request.headers.append(LoggedField(name: "Content-Type", value: type))
                errorText = "status 400: \(text)"
            }
            switch place {
            case .userinfo: url("https://\(a):\(canary)@example.com/\(b)")
            case .query: url("https://example.com/\(a)?x=\(b)&\(field)=\(canary)&y")
            case .encodedQuery:
                let encoded = field.utf8.map { "%" + String($0, radix: 16) }.joined()
                url("https://example.com/?x%5B\(encoded)%5D=\(canary)")
            case .nestedQuery: url("https://example.com/?r\(a)=https%3A%2F%2Fx%2F%3F\(field)%3D\(canary)%26a%3Db")
            case .fragment: url("https://example.com/\(a)#x=\(b)&\(field)=\(canary)")
            case .header: request.headers = [LoggedField(name: header, value: "\(text)\(canary)\(text)")]
            case .location: request.headers = [LoggedField(name: "Location", value: "/\(a)?\(field)=\(canary)#\(b)")]
            case .bearerHeader: request.headers = [LoggedField(name: "X-\(a)", value: "\(b) Bearer \(canary)")]
            case .json: json("{\"t\":\"\(text)\",\"\(field)\" : \"\(canary)\"}")
            case .jsonEscapedKey:
                let escaped = field.utf16.map { "\\u00" + String($0, radix: 16) }.joined()
                json("{\"\(escaped)\":\"\(canary)\"}")
                errorText = ""
            case .jsonArray: json("{\"\(field)\":[1,[\"\(canary)\"],{\"\(a)\":\"\(canary)\"}],\"b\":2}")
            case .jsonObject: json("{\"\(field)\":{\"a\":\"]}\",\"b\":{\"c\":\"\(canary)\"}}}")
            case .jsonInString: json("{\"m\":\"{\\\"\(field)\\\":\\\"\(canary)\\\"}\"}")
            case .jsonTruncated: fill("{\"a\":\"\(text)\",\"\(field)\":{\"x\":\"\(canary)", type: "application/json")
            case .jsonUnlabelled: fill(" [{\"\(field)\":\"\(canary)\"}]", type: "text/plain")
            case .form: fill("a=\(b)&\(field)=\(canary)+x&c=\(a)", type: "application/x-www-form-urlencoded")
            case .multipart:
                let part = "--\(a)b\r\nContent-Disposition: form-data; name=\"\(field)\"\r\n\r\n\(canary)\r\n--\(a)b--\r\n"
                fill(part, type: "multipart/form-data; boundary=\(a)b")
                errorText = ""
                isLabelNeeded = true
            case .bearerText: fill("\(text) Bearer \(canary)\(a) \(text)", type: "text/plain")
            case .jwt: fill("\(text)eyJhbGciOiJIUzI1NiJ9.\(canary).\(canary)", type: "text/html")
            case .xml: fill("<a x='\(a)'><\(field)>\(canary)</\(field)></a>", type: "application/soap+xml")
            case .pairInText: fill("\(a) \(field)=\(canary)\n\(b) \(field): \(canary)", type: "text/plain")
            }
            request.body = .data(body)
        }
    }
}
