import NetworkJSON
import NetworkSupport

/// What the members of each object of a text say about its other members, found in one pass.
struct JSONObjects {
    /// What is known about an object.
    struct Facts: OptionSet {
        let rawValue: UInt8

        /// A member is the name of a secret, whose value is another member: `"name": "password"`.
        static let namesSecret = Facts(rawValue: 1)
        /// A member has a secret name, or one that only requests and responses of OAuth have.
        static let hasCredentials = Facts(rawValue: 2)
        /// The text was cut in the object.
        static let isCut = Facts(rawValue: 4)
    }

    /// The facts of the objects about which there are some, by the index of their braces; -1 for the members outside of all.
    private var facts: [Int: Facts] = [:]

    init(_ text: JSONTokens, from start: Int = 0, isCut: Bool, _ redaction: Redaction) {
        var meanings = KeyMeanings()
        let last = Self.forEachKey(of: text, from: start) { key, value, object in
            let meaning = meanings.meaning(of: key, in: text, redaction)
            var found: Facts = meaning.isDisjoint(with: [.marksOAuth, .isSecret]) ? [] : .hasCredentials
            if meaning.contains(.namesAnother), let name = text.string(from: value).map({ KeyMeaning.name(of: $0, in: text) }),
                redaction.isSecret(member: name) || redaction.isSecret(header: name)
            {
                found.insert(.namesSecret)
            }
            if !found.isEmpty { facts[object, default: []].formUnion(found) }
        }
        if isCut { facts[last, default: []].insert(.isCut) }
    }

    /// Returns whether a member is secret because of the other members of its object.
    func isSecret(_ meaning: KeyMeaning, isString: Bool, ofObjectAt start: Int) -> Bool {
        guard !meaning.isDisjoint(with: [.isContextual, .isNamedByAnother]), let facts = facts[start] else { return false }
        if meaning.contains(.isContextual), isString, facts.contains(.hasCredentials) { return true }
        guard meaning.contains(.isNamedByAnother) else { return false }
        return facts.contains(.namesSecret) || (isString && facts.contains(.isCut))
    }

    /// Calls a closure with each key of a text, the index after its colon, and the index of the brace of its object, or -1.
    ///
    /// - Returns: The index of the innermost brace or bracket that is open at the end, or -1.
    @discardableResult
    private static func forEachKey(of text: JSONTokens, from start: Int, _ body: (JSONToken, Int, Int) -> Void) -> Int {
        var open: [Int] = []
        var index = text.skipWhiteSpace(from: start)
        while index < text.count {
            guard text.isBetweenTokens(at: index) else {
                let token = text.token(at: index)
                index = text.skipWhiteSpace(from: token.end)
                if index < text.count, text[index] == .colon { body(token, index + 1, open.last ?? -1) }
                continue
            }
            switch text[index] {
            case .openBrace, .openBracket: open.append(index)
            case .closeBrace, .closeBracket: _ = open.popLast()
            default: break
            }
            index = text.skipWhiteSpace(from: index + 1)
        }
        return open.last ?? -1
    }

    /// Returns the ranges of the values that are secret because of other members, in the JSON within any text.
    static func hidden(in bytes: [UInt8], _ redaction: Redaction) -> [Range<Int>] {
        guard let first = bytes.firstIndex(of: .openBrace) else { return [] }
        return bytes.withUnsafeBufferPointer { bytes in
            let text = JSONTokens(bytes)
            let objects = JSONObjects(text, from: first, isCut: false, redaction)
            guard !objects.facts.isEmpty else { return [] }
            var hidden: [Range<Int>] = []
            var meanings = KeyMeanings()
            forEachKey(of: text, from: first) { key, value, object in
                let start = text.skipWhiteSpace(from: value)
                guard start < text.count, start >= hidden.last?.upperBound ?? 0 else { return }
                let string = text.string(from: start)
                guard
                    objects.isSecret(meanings.meaning(of: key, in: text, redaction), isString: string != nil, ofObjectAt: object)
                else { return }
                if let string {
                    hidden.append(string.contentStart..<string.contentEnd)
                } else {
                    hidden.append(start..<(text.endOfValue(from: start, before: text.count) ?? text.count))
                }
            }
            return hidden.filter { !$0.isEmpty }
        }
    }
}
