import Foundation
import NetworkSupport

/// A parser of structured fields: dictionaries and lists of items with parameters (RFC 9651 §4.2).
///
/// A field that is malformed in one place is malformed as a whole (§4.2). Two things are accepted nonetheless: white space before a semicolon,
/// and bytes whose base64 lacks its padding or has bits after its end (§4.2.7). The content of inner lists is not returned, and neither are
/// decimals, booleans, dates and display strings.
package enum StructuredField {
    /// The value of an item, without its parameters.
    package enum Value: Hashable, Sendable {
        case integer(Int64)
        case string(String)
        case token(String)
        case bytes(Data)
        /// A value of another type.
        case other
    }

    /// A member of a dictionary or of a list.
    package struct Member: Hashable, Sendable {
        /// The value, which is ``Value/other`` for an inner list, and for a member of a dictionary that has no value.
        package var value: Value
        /// The values of the parameters by their names.
        package var parameters: [String: Value]
    }

    /// Returns the members of a dictionary (§4.2.2), of several with one key the last; `nil` if the text is not a dictionary.
    package static func dictionary(_ text: String) -> [String: Member]? {
        var members: [String: Member] = [:]
        let isValid = forEachMember(of: text) { scanner in
            guard let key = scanner.takeKey() else { return false }
            members[key] =
                scanner.take("=") ? scanner.takeMember() : scanner.takeParameters().map { Member(value: .other, parameters: $0) }
            return members[key] != nil
        }
        return isValid ? members : nil
    }

    /// Returns the members of a list (§4.2.1); `nil` if the text is not a list.
    package static func list(_ text: String) -> [Member]? {
        var members: [Member] = []
        let isValid = forEachMember(of: text) { scanner in
            guard let member = scanner.takeMember() else { return false }
            members.append(member)
            return true
        }
        return isValid ? members : nil
    }

    /// Calls a closure at the beginning of each member, until it returns `false`.
    ///
    /// - Returns: Whether the closure returned `true` for each member, and commas separate them.
    private static func forEachMember(of text: String, _ read: (inout FieldScanner) -> Bool) -> Bool {
        var scanner = FieldScanner(text[...])
        scanner.take { $0 == UInt8(ascii: " ") }
        while !scanner.isAtEnd {
            guard read(&scanner) else { return false }
            scanner.takeSpace()
            if scanner.isAtEnd { return true }
            guard scanner.take(",") else { return false }
            scanner.takeSpace()
            if scanner.isAtEnd { return false }
        }
        return true
    }
}

extension FieldScanner {
    /// Reads a key (RFC 9651 §4.2.3.3).
    fileprivate mutating func takeKey() -> String? {
        guard let first = next, first &- UInt8(ascii: "a") < 26 || first == UInt8(ascii: "*") else { return nil }
        return String(take { $0 &- UInt8(ascii: "a") < 26 || $0.isDigit || "_-.*".utf8.contains($0) })
    }

    /// Reads an item or an inner list, and its parameters.
    fileprivate mutating func takeMember() -> StructuredField.Member? {
        guard let value = takeValue(), let parameters = takeParameters() else { return nil }
        return StructuredField.Member(value: value, parameters: parameters)
    }

    private mutating func takeValue() -> StructuredField.Value? {
        guard take("(") else { return takeItem() }
        while true {
            take { $0 == UInt8(ascii: " ") }
            if take(")") { return .other }
            guard takeItem() != nil, takeParameters() != nil, next == UInt8(ascii: " ") || next == UInt8(ascii: ")") else {
                return nil
            }
        }
    }

    /// Reads an item without parameters (RFC 9651 §4.2.3.1).
    private mutating func takeItem() -> StructuredField.Value? {
        switch next {
        case UInt8(ascii: "\""): takeString()
        case UInt8(ascii: ":"): takeBytes()
        case UInt8(ascii: "?"): takeBoolean()
        case UInt8(ascii: "@"): takeDate()
        case UInt8(ascii: "%"): takeDisplayString()
        case let first? where first.isDigit || first == UInt8(ascii: "-"): takeNumber()
        default: takeToken()
        }
    }

    /// Reads a token (RFC 9651 §4.2.6).
    private mutating func takeToken() -> StructuredField.Value? {
        guard let first = next, first | 0x20 &- UInt8(ascii: "a") < 26 || first == UInt8(ascii: "*") else { return nil }
        return .token(String(take { $0.isTokenByte || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/") }))
    }

    /// Reads an integer or a decimal (RFC 9651 §4.2.4).
    private mutating func takeNumber() -> StructuredField.Value? {
        let isNegative = take("-")
        let whole = take(while: \.isDigit).utf8
        guard take(".") else {
            guard whole.count <= 15, let number = whole.decimal else { return nil }
            return .integer(isNegative ? -number : number)
        }
        let fraction = take(while: \.isDigit).utf8
        return (1...12).contains(whole.count) && (1...3).contains(fraction.count) ? .other : nil
    }

    /// Reads a string of visible ASCII characters and spaces, in which only quotes and backslashes are escaped (RFC 9651 §4.2.5).
    private mutating func takeString() -> StructuredField.Value? {
        var copy = self
        guard let text = copy.takeQuotedString() else { return nil }
        var isEscaped = false
        for byte in self.text(upTo: copy).utf8 {
            guard byte >= 0x20, byte < 0x7F else { return nil }
            if isEscaped, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") { return nil }
            isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
        }
        self = copy
        return .string(text)
    }

    /// Reads a sequence of bytes, whose padding may be missing (RFC 9651 §4.2.7).
    private mutating func takeBytes() -> StructuredField.Value? {
        guard take(":") else { return nil }
        let digits = take { $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: "=") }
        let padding = String(repeating: "=", count: -digits.utf8.count & 3)
        let found = take { $0 == UInt8(ascii: "=") }
        guard found.isEmpty || found == padding, take(":") else { return nil }
        return Data(base64Encoded: digits + padding).map(StructuredField.Value.bytes)
    }

    /// Reads a boolean (RFC 9651 §4.2.8).
    private mutating func takeBoolean() -> StructuredField.Value? {
        take("?") && (take("0") || take("1")) ? .other : nil
    }

    /// Reads a date, an integer after an at sign (RFC 9651 §4.2.9).
    private mutating func takeDate() -> StructuredField.Value? {
        guard take("@"), case .integer = takeNumber() else { return nil }
        return .other
    }

    /// Reads a display string: percent-encoded UTF-8 with lower-case digits (RFC 9651 §4.2.10).
    private mutating func takeDisplayString() -> StructuredField.Value? {
        guard take("%"), take("\""), let text = take(until: "\"") else { return nil }
        var bytes: [UInt8] = []
        var rest = text.utf8.makeIterator()
        while let byte = rest.next() {
            guard byte >= 0x20, byte < 0x7F else { return nil }
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.next().flatMap(Self.lowercaseHexValue), let low = rest.next().flatMap(Self.lowercaseHexValue)
            else { return nil }
            bytes.append(high << 4 | low)
        }
        return String(valid: bytes) == nil ? nil : .other
    }

    private static func lowercaseHexValue(_ digit: UInt8) -> UInt8? {
        digit &- UInt8(ascii: "A") < 26 ? nil : digit.hexValue
    }

    fileprivate mutating func takeParameters() -> [String: StructuredField.Value]? {
        var parameters: [String: StructuredField.Value] = [:]
        while true {
            var scanner = self
            scanner.takeSpace()
            guard scanner.take(";") else { return parameters }
            self = scanner
            take { $0 == UInt8(ascii: " ") }
            guard let key = takeKey() else { return nil }
            guard take("=") else {
                parameters[key] = .other
                continue
            }
            guard let value = takeItem() else { return nil }
            parameters[key] = value
        }
    }
}
