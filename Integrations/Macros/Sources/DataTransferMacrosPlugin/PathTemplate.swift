import SwiftSyntax
import SwiftSyntaxBuilder

/// The path of a call: a literal with placeholders.
struct PathTemplate {
    /// A placeholder with the offset of its brace in the text.
    struct Placeholder {
        let name: String
        let offset: Int
    }

    /// The literal as it is written.
    let literal: StringLiteralExprSyntax
    /// The only segment of the literal.
    let segment: StringSegmentSyntax
    private(set) var placeholders: [Placeholder] = []

    /// Reads a path, and reports what is wrong with it.
    init?(_ expression: ExprSyntax, _ report: inout Report) {
        guard let literal = expression.as(StringLiteralExprSyntax.self), literal.segments.count == 1,
            case .stringSegment(let segment)? = literal.segments.first, !segment.content.text.contains("\\")
        else {
            report.add(.pathIsNotLiteral, at: expression)
            return nil
        }
        self.literal = literal
        self.segment = segment
        guard readPlaceholders(&report) else { return nil }
    }

    /// The text of the path.
    var text: String { segment.content.text }

    /// Whether the path has a placeholder with this name.
    func contains(_ name: String) -> Bool {
        placeholders.contains { $0.name == name }
    }

    /// Returns the literal with one placeholder renamed.
    func renaming(_ placeholder: Placeholder, to name: String) -> StringSegmentSyntax {
        segment.with(
            \.content, .stringSegment(text.replacingPart("{\(placeholder.name)}", with: "{\(name)}")))
    }

    private mutating func readPlaceholders(_ report: inout Report) -> Bool {
        let bytes = Array(text.utf8)
        if let scheme = ["https://", "http://"].first(where: text.hasPrefix) {
            let path = text.dropFirst(scheme.count).drop { $0 != "/" }.drop { $0 == "/" }
            report.add(
                .pathIsURL, at: segment,
                Repair(
                    "remove ‘\(text.dropLast(path.count))’", segment,
                    by: StringSegmentSyntax(content: .stringSegment(String(path)))))
            return false
        }
        var open: Int?
        for (offset, byte) in bytes.enumerated() {
            switch byte {
            case UInt8(ascii: "{") where open == nil:
                open = offset
            case UInt8(ascii: "}"):
                guard let start = open, offset > start + 1 else {
                    report.add(open == nil ? .unbalancedBrace : .emptyPlaceholder, at: segment, offset: open ?? offset)
                    return false
                }
                placeholders.append(
                    Placeholder(name: String(decoding: bytes[(start + 1)..<offset], as: UTF8.self), offset: start))
                open = nil
            case UInt8(ascii: "{"):
                report.add(.unbalancedBrace, at: segment, offset: offset)
                return false
            case 0...0x20, UInt8(ascii: "#"), 0x7F:
                report.add(.characterInPath, at: segment, offset: offset)
                return false
            default: break
            }
        }
        guard let open else { return true }
        report.add(.unbalancedBrace, at: segment, offset: open)
        return false
    }
}

extension String {
    /// Returns the text with the first occurrence of a part replaced.
    fileprivate func replacingPart(_ part: String, with new: String) -> String {
        guard let range = firstRange(of: part) else { return self }
        return self[..<range.lowerBound] + new + self[range.upperBound...]
    }

    /// Returns whether at most two letters differ from another text, or one if they are short.
    func isSimilar(to other: String) -> Bool {
        let (left, right) = (Array(lowercased()), Array(other.lowercased()))
        var row = Array(0...right.count)
        for (i, letter) in left.enumerated() {
            var previous = row[0]
            row[0] = i + 1
            for j in right.indices {
                let cost = Swift.min(row[j] + 1, row[j + 1] + 1, previous + (letter == right[j] ? 0 : 1))
                previous = row[j + 1]
                row[j + 1] = cost
            }
        }
        return row[right.count] <= (Swift.min(left.count, right.count) > 3 ? 2 : 1)
    }
}
