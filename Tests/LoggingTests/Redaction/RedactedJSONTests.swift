import Foundation
import NetworkLogging
import Testing
import TestSupport

/// The values of secret keys are not shown, wherever they are in random documents, and whatever is wrong with the rest of the document.
struct RedactedJSONTests {
    @Test func `a valid document shows no value of a secret key and remains valid`() throws {
        for seed in 0..<UInt64(runs(30, slow: 100)) {
            let document = Document(seed: seed)
            try #require(document.shown(document.bytes) == nil, "seed \(seed)")
            for keepsTypes in [false, true] {
                let content = Redaction.default.redactedContent(
                    Data(document.bytes), contentType: "application/json", keepsTypes: keepsTypes)
                #expect(throws: Never.self, "seed \(seed)") {
                    try JSONSerialization.jsonObject(with: content.map { Data($0.utf8) } ?? Data(document.bytes))
                }
            }
        }
    }

    @Test func `a document that is cut at any byte shows no value of a secret key`() throws {
        for seed in 100..<UInt64(runs(104, slow: 112)) {
            let document = Document(seed: seed, maximumMembers: 4)
            for count in document.bytes.indices {
                try #require(document.shown(Array(document.bytes[..<count])) == nil, "seed \(seed), \(count) bytes")
            }
        }
    }

    @Test func `a document with errors shows no value of a secret key`() throws {
        // A single quote is not inserted, because what it encloses is text and not JSON. A quote that is missing or inserted moves the brackets
        // in keys out of their strings, where they end a value.
        let alphabet = Array("{}[]\",:= \n\\0e+-.xu%<&;/#".utf8) + [0, 0xC3, 0xFF]
        for seed in 200..<UInt64(runs(260, slow: 400)) {
            let document = Document(seed: seed, hasBracketsInKeys: false)
            var random = SeededGenerator(seed: seed &+ 1 << 32)
            for _ in 0..<5 {
                var bytes = document.bytes
                // From the end, so that the ranges of the members before it remain correct.
                let places = (0..<4).map { _ in random.below(bytes.count) }.sorted(by: >)
                for place in places where place < bytes.count && !document.secretMembers.contains(where: { $0.contains(place) }) {
                    switch random.below(3) {
                    case 0: bytes.remove(at: place)
                    case 1: bytes.insert(random.pick(alphabet), at: place)
                    default: bytes[place] = random.pick(alphabet)
                    }
                }
                try #require(document.shown(bytes) == nil, "seed \(seed)")
            }
        }
    }

    @Test(arguments: [
        (#"{"a":01,"pass\u0077ord":"abc"}"#, #"{"a":01,"pass\u0077ord":"<redacted>"}"#),
        (#"{"a":01,"list":[{"name":"password","value":"abc"}]}"#, #"{"a":01,"list":[{"name":"password","value":"<redacted>"}]}"#),
        (#"{"name":"password",x,"value":"abc"}"#, #"{"name":"password",x,"value":"<redacted>"}"#),
        (#"{"password":[1,2 "abc"],"b":1}"#, #"{"password":<redacted>,"b":1}"#),
        ("{\"a\":1}\n{\"pin\":\"abc\"}\n", "{\"a\":1}\n{\"pin\":\"<redacted>\"}\n"),
        ("\u{1E}{\"pin\":1}\n\u{1E}{\"pin\":\"abc\"}\n", "\u{1E}{\"pin\":\"<redacted>\"}\n\u{1E}{\"pin\":\"<redacted>\"}\n"),
        (#"{pin: 'abc', /* b */ b: .5,}"#, #"{pin: "<redacted>", /* b */ b: .5,}"#),
    ])
    func `secrets after an error and in other formats are redacted`(body: String, expected: String) {
        #expect(Redaction.default.redacted(body: Data(body.utf8), contentType: "application/json") == expected)
    }

    @Test func `a secret after a million levels is redacted`() {
        for (open, levels) in [("[", 1_000_000), (#"{"a":"#, 100_000)] {
            let body = String(repeating: open, count: levels) + #"{"p\u0069n":"abcdefabcdef","b":[{"pin":"abcdefabcdef"#
            let content = Redaction.default.redactedContent(Data(body.utf8), contentType: "application/json")
            #expect(content?.hasSuffix(#"{"p\u0069n":"<redacted>","b":[{"pin":"<redacted>""#) == true)
        }
    }

    @Test(arguments: [String.Encoding.utf16, .utf16LittleEndian, .utf16BigEndian])
    func `JSON in UTF-16 is shown as its size`(encoding: String.Encoding) throws {
        let body = try #require(#"{"password":"abc"}"#.data(using: encoding))
        for type in [nil, "application/json", "application/json; charset=utf-16"] {
            #expect(Redaction.default.redacted(body: body, contentType: type).hasPrefix("<\(body.count) bytes"))
        }
    }
}

/// A random document with markers in the values of secret keys.
private struct Document {
    /// A text that is in every secret string, and a secret number.
    let marker: String
    let number: String
    private(set) var bytes: [UInt8] = []
    /// The members with a secret key, each from its key to the end of its value.
    private(set) var secretMembers: [Range<Int>] = []
    private var random: SeededGenerator
    private let maximumMembers: Int
    private let hasBracketsInKeys: Bool

    init(seed: UInt64, maximumMembers: Int = 8, hasBracketsInKeys: Bool = true) {
        var random = SeededGenerator(seed: seed)
        self.maximumMembers = maximumMembers
        self.hasBracketsInKeys = hasBracketsInKeys
        marker = String((0..<16).map { _ in "GHJKLMPQRSVWXYZ".randomElement(using: &random) ?? "G" })
        number = String((0..<16).map { _ in "2345678".randomElement(using: &random) ?? "2" })
        self.random = random
        object(depth: 0)
    }

    /// Returns the redacted body if it contains a secret or the beginning of one; `nil` if not.
    func shown(_ body: [UInt8]) -> String? {
        let text = Redaction.default.redacted(body: Data(body), contentType: "application/json", maximumBytes: 1 << 20)
        return text.contains(marker.prefix(6)) || text.contains(number.prefix(6)) ? text : nil
    }

    private mutating func append(_ text: String) { bytes += text.utf8 }

    private mutating func space() { append(random.pick(["", "", "", " ", "\n  ", "\t"])) }

    private mutating func object(depth: Int) {
        append("{")
        for member in 0..<(1 + random.below(maximumMembers)) {
            if member > 0 { append(",") }
            space()
            switch random.below(4) {
            case 0: secretMember(depth: depth)
            case 1: namedMember()
            default:
                key(random.pick(["a", "title", "list", "user", "größe", "x\\u0079"]))
                value(isSecret: false, depth: depth + 1)
            }
            space()
        }
        append("}")
    }

    private mutating func key(_ name: String) {
        append("\"\(name)\"")
        space()
        append(":")
        space()
    }

    private mutating func secretMember(depth: Int) {
        let name = random.pick(["password", "access_token", "apiKey", "client-secret", "user.pin", "PASSWORD"])
        let start = bytes.count
        let escaped = name.utf8.map { byte in
            random.chance(20) ? "\\u00" + String(byte, radix: 16) : String(UnicodeScalar(byte))
        }
        key(escaped.joined())
        value(isSecret: true, depth: depth + 1)
        secretMembers.append(start..<bytes.count)
    }

    /// Writes an object in which one member names the value of another.
    private mutating func namedMember() {
        key("item")
        append("{")
        let start = bytes.count
        append(#""name":"password","kind":1,"value":"#)
        value(isSecret: true, depth: 8)
        secretMembers.append(start..<bytes.count)
        append("}")
    }

    private mutating func value(isSecret: Bool, depth: Int) {
        switch random.below(depth > 5 ? 4 : 6) {
        case 0, 1:
            append(
                isSecret ? "\"\(random.pick(["", "a ", "é\\n"]))\(marker)\"" : random.pick(["\"text\"", "\"\"", "\"a\\tb €\""]))
        case 2: append(isSecret ? number : random.pick(["0", "-1.5e3", "404"]))
        case 3: append(random.pick(["true", "false", "null"]))
        case 4 where !isSecret: object(depth: depth)
        case 4:
            append("{")
            for member in 0..<random.below(4) {
                if member > 0 { append(",") }
                key(random.pick(hasBracketsInKeys ? ["a", "}", "x]"] : ["a", "b"]))
                value(isSecret: true, depth: depth + 1)
            }
            append("}")
        default:
            append("[")
            for element in 0..<random.below(4) {
                if element > 0 { append(",") }
                space()
                value(isSecret: isSecret, depth: depth + 1)
                space()
            }
            append("]")
        }
    }
}
