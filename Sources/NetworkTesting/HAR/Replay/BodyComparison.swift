import DataTransfer
import Foundation

/// Whether a request's body is the recorded one.
///
/// JSON is compared as a value, a form by its items whatever their order, a multipart form as text whatever its boundary, other text as it is,
/// bytes as they are. `<redacted>` in the recording stands for anything, and so does a body that was not kept whole.
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
        let text = String(validating: data, as: UTF8.self)
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

    /// What is different, in words that repeat nothing of a body; `nil` where nothing is.
    ///
    /// - Parameter redaction: Says what a recorded multipart form lost.
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

    /// The form with another boundary in place of its own, which its first line tells better than a field may.
    private static func withoutBoundary(_ text: String) -> String {
        guard text.hasPrefix("--"), let end = text.firstIndex(where: \.isNewline), end > text.index(text.startIndex, offsetBy: 2)
        else { return text }
        return text.replacing(text[..<end], with: "--boundary")
    }
}
