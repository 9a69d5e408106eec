import Endpoints
import NetworkSupport

/// The normal form of the fields with which clients state their preferences (RFC 9110 §12.5): lists whose elements may have a weight.
///
/// Values that differ only in the case of names, in white space, in empty elements, in how a weight is written, or in the order of
/// elements have the same normal form. The order of elements with the same weight has no meaning (§12.5.4: it "cannot be relied upon"). The values
/// of parameters keep their case.
enum WeightedList {
    private static let names = ["accept", "accept-charset", "accept-encoding", "accept-language"]

    /// Returns whether a field has this grammar. The name is in lower case.
    static func isGrammar(of name: String) -> Bool { names.contains(name) }

    /// Returns the normal form of the value of such a field. Text that is not an element is kept.
    static func normalized(_ value: String) -> String {
        if isOneElement(value) { return value }
        var scanner = FieldScanner(value[...])
        var elements: [(text: String, weight: Int)] = []
        while let part = scanner.takePart(endingAt: ",") {
            if !part.isEmpty { elements.append(element(part)) }
        }
        elements.sort { left, right in
            left.weight == right.weight
                ? left.text.utf8.lexicographicallyPrecedes(right.text.utf8) : left.weight > right.weight
        }
        return elements.map(\.text).joined(separator: ",")
    }

    /// Returns whether a value is one element in lower case without a weight or white space, which is what most requests have. It is in normal form.
    static func isOneElement(_ value: String) -> Bool {
        var value = value
        return value.withUTF8 { bytes in
            for byte in bytes where !(byte &- 0x61 < 26 || byte &- 0x2a < 16 && byte != UInt8(ascii: ",")) { return false }
            return true
        }
    }

    /// Returns the value of any other field without white space around commas, which has no meaning in a list (RFC 9110 §5.6.1), and which joining
    /// the lines of a field adds (§5.3). Quoted strings are kept.
    static func withoutSpace(_ value: String) -> String {
        guard value.utf8.contains(UInt8(ascii: ",")) else { return value }
        var scanner = FieldScanner(value[...])
        var parts: [Substring] = []
        while let part = scanner.takePart(endingAt: ",") { parts.append(part) }
        return parts.joined(separator: ",")
    }

    private static func element(_ part: Substring) -> (text: String, weight: Int) {
        let parsed = FieldParameters(part)
        var (text, weight) = (parsed.value, 1000)
        for (name, value) in parsed.parameters {
            if name == "q", let value, let thousandths = thousandths(value) {
                weight = thousandths
                // A weight of 1 is the default.
                if thousandths < 1000 { text += ";q=0.\(String(thousandths + 1000).dropFirst())" }
            } else {
                text += ";" + name + (value.map { "=" + $0 } ?? "")
            }
        }
        return (text, weight)
    }

    /// Parses `( "0" [ "." 0*3DIGIT ] ) / ( "1" [ "." 0*3("0") ] )` (RFC 9110 §12.4.2), in thousandths.
    private static func thousandths(_ value: Substring) -> Int? {
        let digits = Array(value.utf8)
        guard let first = digits.first, first == UInt8(ascii: "0") || first == UInt8(ascii: "1"), digits.count <= 5,
            digits.count < 2 || digits[1] == UInt8(ascii: "."), digits.dropFirst(2).allSatisfy(\.isDigit)
        else { return nil }
        var number = Int(first - 0x30)
        for index in 2..<5 { number = number * 10 + (index < digits.count ? Int(digits[index] - 0x30) : 0) }
        return number <= 1000 ? number : nil
    }
}
