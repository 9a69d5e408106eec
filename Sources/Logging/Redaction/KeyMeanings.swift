import NetworkJSON
import NetworkSupport

/// What the name of a JSON key says about values.
struct KeyMeaning: OptionSet {
    let rawValue: UInt8

    /// The value of the key is secret.
    static let isSecret = KeyMeaning(rawValue: 1)
    /// The value of the key is secret in an object whose other members show that it is a credential.
    static let isContextual = KeyMeaning(rawValue: 2)
    /// The value of the key is the name of another member's value.
    static let namesAnother = KeyMeaning(rawValue: 4)
    /// The value of the key may be named by another member.
    static let isNamedByAnother = KeyMeaning(rawValue: 8)
    /// The object is a request or a response of OAuth.
    static let marksOAuth = KeyMeaning(rawValue: 16)

    init(rawValue: UInt8) { self.rawValue = rawValue }

    init(_ name: String, _ redaction: Redaction) {
        self = []
        if redaction.isSecret(member: name) {
            insert(.isSecret)
        } else if SecretNames.isContextual(name), redaction.isSecret(field: name) {
            insert(.isContextual)
        }
        if SecretNames.marksOAuth(name) { insert(.marksOAuth) }
        if SecretNames.namesAnother(name) { insert(.namesAnother) }
        if SecretNames.isNamedByAnother(name) { insert(.isNamedByAnother) }
    }

    /// Returns the name in a token: its last 512 bytes, with escapes, references and percent-encoding decoded.
    static func name(of token: JSONToken, in text: JSONTokens) -> String {
        let content = text[max(token.contentStart, token.contentEnd - 512)..<token.contentEnd]
        var name = content.contains(.backslash) ? JSONEscapes.decoded(content) : Array(content)
        for encoding in [DecodedText.Encoding.xml, .percent, .percent] {
            name = DecodedText(TextStart(name)).decoded(encoding, hasSpaces: false)?.bytes ?? name
        }
        return name.text
    }
}

/// The meanings of the keys of one text, because most keys occur in it many times. Keys are compared as bytes.
struct KeyMeanings {
    private struct Entry {
        var key = 0..<0
        var meaning: KeyMeaning = []
    }

    private static let capacity = 64
    private static let longestKey = 64
    private var entries: [Entry] = []

    /// Returns the meaning of a key.
    mutating func meaning(of key: JSONToken, in text: JSONTokens, _ redaction: Redaction) -> KeyMeaning {
        let range = key.contentStart..<key.contentEnd
        guard !range.isEmpty, range.count <= Self.longestKey else {
            return KeyMeaning(KeyMeaning.name(of: key, in: text), redaction)
        }
        let bytes = text[range]
        let slot = Int(bytes.reduce(0 as UInt32) { ($0 ^ UInt32($1)) &* 0x0100_0193 } >> 8) % Self.capacity
        if entries.isEmpty { entries = Array(repeating: Entry(), count: Self.capacity) }
        let entry = entries[slot]
        if entry.key.count == range.count, text[entry.key].elementsEqual(bytes) { return entry.meaning }
        let meaning = KeyMeaning(KeyMeaning.name(of: key, in: text), redaction)
        entries[slot] = Entry(key: range, meaning: meaning)
        return meaning
    }
}
