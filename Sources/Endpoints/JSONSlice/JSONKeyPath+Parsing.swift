extension JSONKeyPath {
    /// From an RFC 6901 pointer: empty, or a sequence of tokens each led by `/`.
    ///
    /// The URI fragment form (`#/a`, RFC 6901 §6) is not taken.
    public init(pointer: String) {
        var components: [Component] = []
        let bytes = Array(pointer.utf8)
        guard bytes.isEmpty || bytes[0] == UInt8(ascii: "/") else {
            self.init(components: [], text: pointer, flaw: Flaw(offset: 0, reason: "a pointer starts with a slash"))
            return
        }
        var token: [UInt8] = []
        var offset = bytes.isEmpty ? 0 : 1
        while offset <= bytes.count, !bytes.isEmpty {
            guard offset < bytes.count, bytes[offset] != UInt8(ascii: "/") else {
                components.append(Self.component(ofToken: token))
                token = []
                offset += 1
                continue
            }
            guard bytes[offset] == UInt8(ascii: "~") else {
                token.append(bytes[offset])
                offset += 1
                continue
            }
            switch offset + 1 < bytes.count ? bytes[offset + 1] : 0 {
            case UInt8(ascii: "0"): token.append(UInt8(ascii: "~"))
            case UInt8(ascii: "1"): token.append(UInt8(ascii: "/"))
            default:
                self.init(components: [], text: pointer, flaw: Flaw(offset: offset, reason: "a tilde is written ~0"))
                return
            }
            offset += 2
        }
        self.init(components: components, text: pointer, flaw: nil)
    }

    private static func component(ofToken token: [UInt8]) -> Component {
        let name = String(decoding: token, as: UTF8.self)
        let fitsArray = token == [UInt8(ascii: "-")] || (!token.isEmpty && token.allSatisfy(isDigit))
        return fitsArray ? .token(name) : .key(name)
    }

    init(dotted text: String) {
        var parser = DottedPathParser(bytes: Array(text.utf8))
        do throws(Flaw) {
            self.init(components: try parser.components(), text: text, flaw: nil)
        } catch {
            self.init(components: [], text: text, flaw: error)
        }
    }

    /// Whether a byte cannot stand in a bare name.
    static func isReserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "."), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "\""): true
        default: false
        }
    }

    static func isDigit(_ byte: UInt8) -> Bool {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
    }

    /// The value of digits as an array index; `Int.max` when they do not fit, `nil` with leading zeros (RFC 6901 §4).
    static func index(ofDigits digits: some Collection<UInt8>) -> Int? {
        guard let first = digits.first, digits.allSatisfy(isDigit) else { return nil }
        guard digits.count == 1 || first != UInt8(ascii: "0") else { return nil }
        return Int(String(decoding: digits, as: UTF8.self)) ?? .max
    }
}

/// Reads `name`, `.name`, `["name"]` and `[0]` until the text ends.
private struct DottedPathParser {
    let bytes: [UInt8]
    var offset = 0

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func components() throws(JSONKeyPath.Flaw) -> [JSONKeyPath.Component] {
        var components: [JSONKeyPath.Component] = []
        while offset < bytes.count {
            if bytes[offset] == UInt8(ascii: "[") {
                components.append(try bracketed())
                continue
            }
            if !components.isEmpty {
                guard bytes[offset] == UInt8(ascii: ".") else { throw flaw("a dot or a bracket is expected") }
                offset += 1
            }
            components.append(.key(try bareName()))
        }
        return components
    }

    private mutating func bareName() throws(JSONKeyPath.Flaw) -> String {
        let start = offset
        while offset < bytes.count, !JSONKeyPath.isReserved(bytes[offset]) { offset += 1 }
        guard offset > start else { throw flaw("a name is empty or has to be quoted in brackets") }
        return String(decoding: bytes[start..<offset], as: UTF8.self)
    }

    private mutating func bracketed() throws(JSONKeyPath.Flaw) -> JSONKeyPath.Component {
        offset += 1
        let component: JSONKeyPath.Component
        if offset < bytes.count, bytes[offset] == UInt8(ascii: "\"") {
            component = .key(try quotedName())
        } else {
            component = .index(try index())
        }
        guard offset < bytes.count, bytes[offset] == UInt8(ascii: "]") else { throw flaw("a closing bracket is expected") }
        offset += 1
        return component
    }

    private mutating func quotedName() throws(JSONKeyPath.Flaw) -> String {
        offset += 1
        var name: [UInt8] = []
        while offset < bytes.count {
            switch bytes[offset] {
            case UInt8(ascii: "\""):
                offset += 1
                return String(decoding: name, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard offset + 1 < bytes.count, [UInt8(ascii: "\""), UInt8(ascii: "\\")].contains(bytes[offset + 1]) else {
                    throw flaw("a backslash escapes only a quote or a backslash")
                }
                name.append(bytes[offset + 1])
                offset += 2
            default:
                name.append(bytes[offset])
                offset += 1
            }
        }
        throw flaw("a closing quote is expected")
    }

    private mutating func index() throws(JSONKeyPath.Flaw) -> Int {
        let start = offset
        while offset < bytes.count, JSONKeyPath.isDigit(bytes[offset]) { offset += 1 }
        guard let index = JSONKeyPath.index(ofDigits: bytes[start..<offset]) else {
            offset = start
            throw flaw("brackets hold an index without leading zeros, or a quoted name")
        }
        return index
    }

    private func flaw(_ reason: String) -> JSONKeyPath.Flaw {
        JSONKeyPath.Flaw(offset: offset, reason: reason)
    }
}
