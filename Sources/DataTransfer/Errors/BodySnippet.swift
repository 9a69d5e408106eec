import Endpoints
import Foundation
import NetworkLogging

/// The part of a body that an error shows: around the place where decoding failed, redacted and bounded.
struct BodySnippet {
    /// Past it, nothing is redacted as a whole, which takes a pass over it.
    private static let maximumRedactedBytes = 1 << 20

    private let body: Data
    private let contentType: String?
    private let limit: Int

    init(_ body: Data, contentType: String?, limit: Int) {
        self.body = body
        self.contentType = contentType
        self.limit = limit
    }

    /// The beginning.
    var start: String { Redaction.default.redacted(body: body, contentType: contentType, limit: limit) }

    /// What stands at a place of a JSON document: the object around a member, or an array's element; the beginning where that is not JSON.
    ///
    /// Nothing is shown of what stands under a secret name, at whatever depth.
    func around(_ path: [any CodingKey]) -> String {
        guard !path.isEmpty else { return start }
        for key in path where key.intValue == nil && Redaction.default.isSecret(field: key.stringValue) {
            return Redaction.placeholder
        }
        var steps = path.map { key in key.intValue.map(JSONKeyPath.Component.index) ?? .key(key.stringValue) }
        var member: String?
        if case .key(let name)? = steps.last {
            member = name
            steps.removeLast()
        }
        guard let enclosing = try? JSONSlicer().slice(of: body, at: JSONKeyPath(components: steps)) else { return start }
        let shown = Self.redacted(enclosing, limit: limit)
        guard let member, enclosing.count > limit, enclosing.count <= Self.maximumRedactedBytes else { return shown }
        // Redacted with what stands beside it, which may say that it is a secret.
        let whole = Data(Self.redacted(enclosing, limit: .max).utf8)
        guard let value = try? JSONSlicer().slice(of: whole, at: JSONKeyPath(components: [.key(member)])) else { return shown }
        let text = "{… \"\(member.printable)\": \(String(decoding: value.prefix(limit), as: UTF8.self))"
        return text + (value.count > limit ? "…" : " …}")
    }

    /// What stands before a byte of a document that is malformed there; the beginning of one that is not JSON.
    func before(_ offset: Int) -> String {
        guard offset > limit, offset <= min(body.count, Self.maximumRedactedBytes) else { return start }
        let text = Self.redacted(body.prefix(offset + 16), limit: .max)
        return "…" + String(text.suffix(limit))
    }

    /// Where a document breaks JSON's rules; `nil` where it does not.
    var flaw: (offset: Int, reason: String)? {
        do throws(JSONSliceError) {
            _ = try JSONSlicer().slice(of: body, at: JSONKeyPath(components: []))
            return nil
        } catch {
            guard case .malformedDocument(let offset, let reason) = error.kind else { return nil }
            return (offset, reason)
        }
    }

    private static func redacted(_ json: Data, limit: Int) -> String {
        Redaction.default.redacted(
            body: json, contentType: "application/json", limit: limit == .max ? json.count * 16 + 4096 : limit)
    }
}
