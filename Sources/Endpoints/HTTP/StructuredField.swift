import Foundation
import NetworkLogging

/// A parser of structured fields: dictionaries and lists of items with parameters (RFC 9651 §4.2).
///
/// It is lenient: white space may precede a semicolon. The content of inner lists is not returned, and neither are decimals, booleans, dates
/// and display strings.
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
            guard takeItem() != nil, takeParameters() != nil, !isAtEnd else { return nil }
        }
    }

    /// Reads an item without parameters (RFC 9651 §4.2.3.1).
    private mutating func takeItem() -> StructuredField.Value? {
        if next == UInt8(ascii: "\"") { return takeQuotedString().map(StructuredField.Value.string) }
        if take(":") {
            return take(until: ":").flatMap { Data(base64Encoded: String($0)) }.map(StructuredField.Value.bytes)
        }
        let word = take { $0 > 0x20 && $0 < 0x7F && !",;()\"".utf8.contains($0) }
        guard let first = word.utf8.first else { return nil }
        let digits = first == UInt8(ascii: "-") ? word.utf8.dropFirst() : word.utf8[...]
        if digits.count <= 15, let number = digits.decimal {
            return .integer(first == UInt8(ascii: "-") ? -number : number)
        }
        let isToken = first | 0x20 &- UInt8(ascii: "a") < 26 || first == UInt8(ascii: "*")
        return isToken ? .token(String(word)) : .other
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
