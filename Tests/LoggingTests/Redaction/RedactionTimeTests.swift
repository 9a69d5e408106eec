import Foundation
import Testing
import TestSupport

@testable import NetworkLogging

/// Redaction takes linear time, whatever is repeated. What is repeated comes from the tables of the grammar, so that an alternative that is added
/// there is tested without a change here.
@Suite(.serialized) struct RedactionTimeTests {
    /// One alternative of each part of the grammar.
    static let units: [String] = {
        let separators = ["+", " ", ":", "=", "\"", "'", "\\", "\n", "%20", "&#32;"]
        let schemes = SecretGrammar.schemes.flatMap { scheme in separators.map { scheme + $0 } }
        let options =
            SecretGrammar.curlOptions.sorted().map { "--\($0) " }
            + SecretGrammar.secretCurlOptions.map { "-\(Character(Unicode.Scalar($0))) a " }
        let names = ["token", "value", "name", "key"].flatMap { name in
            ["=", ":", "\":", "\\\":", "%3D", "&#61;", "\":\"", ":\n", "=\"", "='", "=[", ":{", " => "].map { name + $0 }
        }
        let elements = [
            "<token>", "</token>", "<a ", "<value>", "<name>token</name>", "<a value=\"", "<a value='x' ", "<a b=", "<token",
            "<key>",
        ]
        let marks = "{}[]()<>\"'\\/:;,=&%#?@-+ \t\n|!".map { String($0) }
        let others = [
            "eyJ", "eyJ.", "://", "://:x", "://a@", ":\\/\\/", "code: 1 ", "--b\r\n", "a=", "a,token\n", "a,token\n\"", "\"\",",
            "-----BEGIN ",
            "-----BEGIN PRIVATE KEY-----", "-----END ", "curl ", "curl -u ", "- ", "--a ", "%", "%2", "%25", "\\u0", "\\u0070",
            "&", "&#", "&#x0000074;",
            "&amp;", "{\"value\":", "{\"name\":\"token\",", "\"value\":1,", "[{\"code\":\"", "token: |\n  ",
            " value: a\n name: b\n", "\u{E9}", "a",
        ]
        return schemes + options + names + elements + marks + others
    }()

    private static func isLinear(_ unit: String) throws -> Bool {
        let exponent = try LinearTime.exponent(size: max(runs(512, slow: 10_240), unit.utf8.count * 2)) { count in
            String(repeating: unit, count: max(1, count / unit.utf8.count))
        } run: { text in
            _ = Redaction.default.redacted(text: text)
            _ = Redaction.default.redactedContent(Data(text.utf8), contentType: "application/json")
        }
        return exponent <= LinearTime.maximumExponent
    }

    @Test func `each repeated alternative takes linear time`() throws {
        for unit in Self.units { #expect(try Self.isLinear(unit), "\(unit)") }
    }

    @Test func `repeated pairs of alternatives and nested ones take linear time`() throws {
        for seed in 0..<UInt64(runs(10, slow: 200)) {
            var random = SeededGenerator(seed: seed)
            let (first, second) = (random.pick(Self.units), random.pick(Self.units))
            let nested = String(repeating: first, count: 50) + String(repeating: second, count: 50)
            #expect(try Self.isLinear(first + second), "\(first) \(second)")
            #expect(try Self.isLinear(nested), "nested \(first) \(second)")
        }
    }

    @Test func `a body or a message of any length takes the time of its beginning`() {
        let text = String(repeating: "digest+token=", count: 400_000)
        let time = processorTime {
            #expect(MessageText(text).shown.utf8.count < 40_000)
            #expect(Redaction.default.redacted(body: Data(text.utf8), contentType: nil, maximumBytes: 100).utf8.count < 300)
            #expect("\(LoggedRequest(url: URL(string: "https://x/?a=" + text)!))".utf8.count < 9000)
        }
        #expect(time < .seconds(10))
    }
}
