extension JSONKeyPath {
    /// Creates a path from an RFC 6901 pointer, which is empty or a sequence of tokens that each start with `/`.
    ///
    /// The URI fragment form (`#/a`, RFC 6901 §6) is not supported.
    package init(pointer: String) {
        var components: [Component] = []
        let bytes = Array(pointer.utf8)
        guard bytes.isEmpty || bytes[0] == UInt8(ascii: "/") else {
            self.init(
                components: [], text: pointer, syntaxError: SyntaxError(offset: 0, reason: "a pointer must start with a slash"))
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
                self.init(
                    components: [], text: pointer,
                    syntaxError: SyntaxError(offset: offset, reason: "a tilde must be escaped as ~0"))
                return
            }
            offset += 2
        }
        self.init(components: components, text: pointer, syntaxError: nil)
    }

    private static func component(ofToken token: [UInt8]) -> Component {
        let name = String(decoding: token, as: UTF8.self)
        let fitsArray = token == [UInt8(ascii: "-")] || (!token.isEmpty && token.allSatisfy(isDigit))
        return fitsArray ? .token(name) : .key(name)
    }

    init(dotted text: String) {
        var parser = DottedPathParser(bytes: Array(text.utf8))
        do throws(SyntaxError) {
            self.init(components: try parser.components(), text: text, syntaxError: nil)
        } catch {
            self.init(components: [], text: text, syntaxError: error)
        }
    }

    /// Whether a byte is not allowed in an unquoted name.
    static func isReserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "."), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "\""): true
        default: false
        }
    }

    static func isDigit(_ byte: UInt8) -> Bool {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
    }

    /// Returns the array index that digits denote: `Int.max` if it does not fit in an `Int`, `nil` with leading zeros
    /// (RFC 6901 §4).
    package static func index(ofDigits digits: some Collection<UInt8>) -> Int? {
        guard let first = digits.first, digits.allSatisfy(isDigit) else { return nil }
        guard digits.count == 1 || first != UInt8(ascii: "0") else { return nil }
        return Int(String(decoding: digits, as: UTF8.self)) ?? .max
    }
}

/// A parser of the dotted form: a sequence of `name`, `.name`, `["name"]` and `[0]`.
private struct DottedPathParser {
    let bytes: [UInt8]
    var offset = 0

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func components() throws(JSONKeyPath.SyntaxError) -> [JSONKeyPath.Component] {
        var components: [JSONKeyPath.Component] = []
        while offset < bytes.count {
            if bytes[offset] == UInt8(ascii: "[") {
                components.append(try bracketed())
                continue
            }
            if !components.isEmpty {
                guard bytes[offset] == UInt8(ascii: ".") else { throw syntaxError("a dot or a bracket is expected") }
                offset += 1
            }
            components.append(.key(try bareName()))
        }
        return components
    }

    private mutating func bareName() throws(JSONKeyPath.SyntaxError) -> String {
        let start = offset
        while offset < bytes.count, !JSONKeyPath.isReserved(bytes[offset]) { offset += 1 }
        guard offset > start else { throw syntaxError("a name is empty or has to be quoted in brackets") }
        return String(decoding: bytes[start..<offset], as: UTF8.self)
    }

    private mutating func bracketed() throws(JSONKeyPath.SyntaxError) -> JSONKeyPath.Component {
        offset += 1
        let component: JSONKeyPath.Component
        if offset < bytes.count, bytes[offset] == UInt8(ascii: "\"") {
            component = .key(try quotedName())
        } else {
            component = .index(try index())
        }
        guard offset < bytes.count, bytes[offset] == UInt8(ascii: "]") else { throw syntaxError("a closing bracket is expected") }
        offset += 1
        return component
    }

    private mutating func quotedName() throws(JSONKeyPath.SyntaxError) -> String {
        offset += 1
        var name: [UInt8] = []
        while offset < bytes.count {
            switch bytes[offset] {
            case UInt8(ascii: "\""):
                offset += 1
                return String(decoding: name, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard offset + 1 < bytes.count, [UInt8(ascii: "\""), UInt8(ascii: "\\")].contains(bytes[offset + 1]) else {
                    throw syntaxError("a backslash escapes only a quote or a backslash")
                }
                name.append(bytes[offset + 1])
                offset += 2
            default:
                name.append(bytes[offset])
                offset += 1
            }
        }
        throw syntaxError("a closing quote is expected")
    }

    private mutating func index() throws(JSONKeyPath.SyntaxError) -> Int {
        let start = offset
        while offset < bytes.count, JSONKeyPath.isDigit(bytes[offset]) { offset += 1 }
        guard let index = JSONKeyPath.index(ofDigits: bytes[start..<offset]) else {
            offset = start
            throw syntaxError("brackets must contain an index without leading zeros, or a quoted name")
        }
        return index
    }

    private func syntaxError(_ reason: String) -> JSONKeyPath.SyntaxError {
        JSONKeyPath.SyntaxError(offset: offset, reason: reason)
    }
}
