import DataTransfer
import Foundation
import NetworkJSON
import NetworkSupport

/// The comparison of a request's body with a recorded one.
///
/// JSON is compared as a value, a form by its items in any order, a multipart form as text with any boundary, and other text and bytes
/// literally. `<redacted>` in the recording matches any text, and a body that was not recorded completely matches any body.
struct BodyComparison: Sendable {
    private enum Recorded: Sendable {
        case nothing
        case anything
        case json(JSONValue, text: RedactedPattern)
        case form([QueryItem])
        case multipart(RedactedPattern, isRedacted: Bool)
        case text(RedactedPattern)
        case bytes(Data)
    }

    private let recorded: Recorded

    init(_ body: HTTPArchive.Body?, contentType: String?) {
        guard let body else {
            recorded = .nothing
            return
        }
        guard let data = body.data, !body.isTruncated else {
            recorded = .anything
            return
        }
        if data.isEmpty {
            recorded = .nothing
            return
        }
        let type = body.mimeType.isEmpty ? contentType ?? "" : body.mimeType
        let text = String(valid: data)
        switch (Self.kind(of: type), text) {
        case (.multipart, _):
            recorded = .multipart(
                RedactedPattern(Self.withoutBoundary(String(decoding: data, as: UTF8.self))),
                isRedacted: body.isRedacted)
        case (.form, let text?):
            recorded = .form(QueryItem.items(of: text))
        case (_, let text?):
            let pattern = RedactedPattern(text)
            if let value = JSONValue(data) {
                recorded = .json(value, text: pattern)
            } else {
                recorded = .text(pattern)
            }
        case (_, nil):
            recorded = .bytes(data)
        }
    }

    /// Returns a message about the first difference, without content of the body; `nil` if the bodies match.
    ///
    /// - Parameter redaction: The rules with which a recorded multipart form was redacted; they are applied to the other body too.
    func difference(from data: Data, contentType: String, redaction: Redaction) -> String? {
        switch recorded {
        case .anything:
            return nil
        case .nothing:
            return data.isEmpty ? nil : "the body is recorded as empty"
        case _ where data.isEmpty:
            return "the body is empty"
        case .json(let value, let text):
            guard let other = JSONValue(data) else {
                return text.matches(String(decoding: data, as: UTF8.self)) ? nil : "the body is not JSON"
            }
            return value.difference(from: other).map { "the body differs at \($0.printable)" }
        case .form(let items):
            let other = QueryItem.items(of: String(decoding: data, as: UTF8.self))
            return QueryItem.difference(of: other, from: items, ignoresOrder: true).map { "the form's \($0.place)" }
        case .multipart(let pattern, let isRedacted):
            let shown = isRedacted ? redaction.redactedContent(data, contentType: contentType) : nil
            let text = Self.withoutBoundary(shown ?? String(decoding: data, as: UTF8.self))
            return pattern.matches(text) ? nil : "the multipart body differs"
        case .text(let pattern):
            return pattern.matches(String(decoding: data, as: UTF8.self)) ? nil : "the body differs"
        case .bytes(let recorded):
            return recorded == data ? nil : "the body differs"
        }
    }

    private enum Kind {
        case multipart, form, other
    }

    private static func kind(of type: String) -> Kind {
        let type = type.lowercased()
        return type.hasPrefix("multipart/") ? .multipart : type.hasPrefix("application/x-www-form-urlencoded") ? .form : .other
    }

    /// Replaces the boundary of a multipart form by a fixed one. It is taken from the first line, which is more reliable than a header field.
    private static func withoutBoundary(_ text: String) -> String {
        guard text.hasPrefix("--"), let end = text.firstIndex(where: \.isNewline), end > text.index(text.startIndex, offsetBy: 2)
        else { return text }
        return text.replacing(text[..<end], with: "--boundary")
    }
}

/// A JSON document as a value, for comparisons that ignore the order of members and the notation of numbers.
enum JSONValue: Decodable, Sendable, Hashable {
    case null
    case bool(Bool)
    case integer(Int64)
    case unsigned(UInt64)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// Parses a JSON document; `nil` if the data is not JSON.
    init?(_ data: Data) {
        guard let value = try? TransferJSONDecoder().decode(JSONValue.self, from: data) else { return nil }
        self = value
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(UInt64.self) {
            self = .unsigned(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    /// Returns the path at which a document first differs from this recorded one; `nil` if they match. `<redacted>` matches any value.
    ///
    /// - Parameter path: The path of this value in the document.
    func difference(from value: JSONValue, at path: String = "") -> String? {
        if case .string(let text) = self {
            let pattern = RedactedPattern(text)
            if pattern.isWildcard { return nil }
            if case .string(let other) = value, pattern.matches(other) { return nil }
        }
        switch (self, value) {
        case (.array(let recorded), .array(let values)) where recorded.count == values.count:
            for (index, (recorded, value)) in zip(recorded, values).enumerated() {
                if let place = recorded.difference(from: value, at: "\(path)[\(index)]") { return place }
            }
            return nil
        case (.object(let recorded), .object(let values)):
            for name in Set(recorded.keys).union(values.keys).sorted() {
                let place = path.isEmpty ? name : "\(path).\(name)"
                guard let recorded = recorded[name], let value = values[name] else { return place }
                if let place = recorded.difference(from: value, at: place) { return place }
            }
            return nil
        default:
            return self == value ? nil : path.isEmpty ? "the top level" : path
        }
    }
}

/// A recorded text in which `<redacted>` matches any text.
struct RedactedPattern: Sendable {
    /// The texts between the placeholders, in order; a single piece is a text without placeholders.
    private let pieces: [[UInt8]]

    init(_ text: String) {
        guard text.utf8.contains(UInt8(ascii: "<")) else {
            pieces = [Array(text.utf8)]
            return
        }
        pieces = text.components(separatedBy: Redaction.placeholder).map { Array($0.utf8) }
    }

    /// Whether the pattern matches every text.
    var isWildcard: Bool { pieces.count > 1 && pieces.allSatisfy(\.isEmpty) }

    /// Returns whether the pattern matches a text.
    ///
    /// Searches each piece after the previous one. The time is linear for usual texts, and at worst the length of the text times that of the
    /// longest piece.
    func matches(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard let first = pieces.first, let last = pieces.last else { return true }
        guard pieces.count > 1 else { return bytes == first }
        guard bytes.starts(with: first), bytes.count >= first.count + last.count, bytes.suffix(last.count).elementsEqual(last)
        else { return false }
        var rest = bytes[first.count..<(bytes.count - last.count)]
        for piece in pieces.dropFirst().dropLast() where !piece.isEmpty {
            guard let end = Self.end(of: piece, in: rest) else { return false }
            rest = rest[end...]
        }
        return true
    }

    /// Returns the index after the first occurrence of a piece.
    private static func end(of piece: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
        guard bytes.count >= piece.count else { return nil }
        for start in bytes.startIndex...(bytes.endIndex - piece.count)
        where bytes[start] == piece[0] && bytes[start..<(start + piece.count)].elementsEqual(piece) {
            return start + piece.count
        }
        return nil
    }
}
