import Endpoints
import Foundation
import NetworkCore
import NetworkLogging
import NetworkSupport

/// A failure to decode a response, with its place in the document and its reason.
///
/// Texts contain at most 256 bytes of the body, and at most 400 characters of what the error of a decoder, of a closure or of an `init(from:)` says, redacted. The error itself is
/// ``underlying``.
public struct ParsingFailure: Error, Sendable {
    /// The maximum number of bytes of the body in ``snippet``.
    package static let maximumSnippetBytes = 256

    /// The method and URL of the request without the query, such as `GET https://host/path`.
    package var request: String
    /// The status of the response, one that the endpoint accepts.
    public var statusCode: Int
    /// The `Content-Type` field with its parameters; `nil` if the response has none.
    public var contentType: String?
    /// The index of the element in a stream of values; `nil` if the response is not such a stream.
    public var elementIndex: Int?
    /// The place in the document, including the key path, such as `data.items[0].title`. Empty for the whole document.
    public var codingPath: String
    /// A human-readable description of the problem.
    public var reason: String
    /// The part of the body where decoding failed, with secrets redacted.
    ///
    /// It is the surrounding object or element, or the text before the byte at which the document is malformed. If the place is
    /// not known, it is the beginning of the body; for a stream of values, it is the beginning of the element.
    package var snippet: String
    /// The error that the decoder threw.
    public var underlying: any Error

    /// Whether the response has a media type that the endpoint does not accept (``Endpoints/RequestDescription/acceptedMediaTypes``), so
    /// that its body was not decoded. The type is ``contentType``; ``reason`` names it and the accepted ones.
    public var hasUnacceptedMediaType: Bool {
        if case .mediaType? = (underlying as? ResponseDecodingError)?.kind { true } else { false }
    }

    init(_ error: any Error, of response: NetworkResponse, method: RequestMethod) {
        request = Self.text(method, response.url)
        statusCode = response.statusCode
        contentType = response.headers["Content-Type"]
        underlying = error
        let body = BodySnippet(response.data, contentType: contentType, limit: Self.maximumSnippetBytes)
        let decoding = (error as? DecodingError).map(DecodingFailure.init)
        codingPath = (decoding?.place ?? "").printableLine
        reason = decoding?.reason().printableLine ?? ErrorText(error).description
        snippet = decoding.map { body.around($0.path) } ?? body.start
        guard decoding?.malformedByte != nil || Self.isAboutPath(error) else { return }
        if let unexpected = Self.mediaTypeOtherThanJSON(contentType) {
            reason = "expected JSON but received \(unexpected): \(reason)"
        } else if let byte = decoding?.malformedByte {
            snippet = body.before(byte)
        }
    }

    /// Whether the document has no value at the key path.
    private static func isAboutPath(_ error: any Error) -> Bool {
        if case .keyPath? = (error as? ResponseDecodingError)?.kind { true } else { false }
    }

    /// Returns the media type of a response, such as `text/html` for `text/html; charset=utf-8`.
    ///
    /// The result is `nil` for JSON types, for types that may contain JSON, and without a media type.
    private static func mediaTypeOtherThanJSON(_ contentType: String?) -> String? {
        guard let type = contentType?.mediaType,
            !type.isEmpty, !type.contains("json"), !["text/plain", "application/octet-stream", "text/javascript"].contains(type)
        else { return nil }
        return type.printable
    }

    private static func text(_ method: RequestMethod, _ url: URL) -> String {
        "\(method) \(URLText(url).originAndPath)".printable(limit: 1024)
    }
}

extension ParsingFailure: RedactedStringConvertible, LocalizedError {
    /// A textual representation on one line: request, status, place, reason and snippet.
    public var description: String {
        let element = elementIndex.map { " element \($0)" } ?? ""
        let place = codingPath.isEmpty ? "" : " at \(codingPath.printable)"
        let isEmpty = elementIndex == nil && !(underlying is PageError)
        let body = snippet.isEmpty ? (isEmpty ? "; body: empty" : "") : "; body: \(snippet.printableLine)"
        return "\(request) [\(statusCode)]\(element)\(place): \(reason.printableLine)\(body)"
    }
}

/// The redacted and length-limited part of a body for an error, around the place where decoding failed.
struct BodySnippet {
    /// The maximum size of a text that is redacted as a whole, which takes a pass over it.
    private static let maximumRedactedBytes = 1 << 20

    private let body: Data
    private let contentType: String?
    private let limit: Int

    init(_ body: Data, contentType: String?, limit: Int) {
        self.body = body
        self.contentType = contentType
        self.limit = limit
    }

    /// The beginning of the body.
    var start: String { Redaction.default.redacted(body: body, contentType: contentType, maximumBytes: limit) }

    /// Returns the part of a JSON document at a coding path: the object around a member, or an element of an array.
    ///
    /// Returns the beginning of a body that is not JSON.
    ///
    /// Values under a secret name, at any depth, are replaced by a placeholder.
    func around(_ path: [any CodingKey]) -> String {
        guard !path.isEmpty else { return start }
        if path.containsSecretName { return Redaction.placeholder }
        var steps = path.map { key in key.intValue.map(JSONKeyPath.Component.index) ?? .key(key.stringValue) }
        var member: String?
        if case .key(let name)? = steps.last {
            member = name
            steps.removeLast()
        }
        guard let enclosing = try? JSONSlicer().slice(of: body, at: JSONKeyPath(components: steps)) else { return start }
        let shown = Self.redacted(enclosing, limit: limit)
        guard let member, enclosing.count > limit, enclosing.count <= Self.maximumRedactedBytes else { return shown }
        // The value is redacted together with its siblings, which may indicate that it is a secret.
        let whole = Data(Self.redacted(enclosing, limit: .max).utf8)
        guard let value = try? JSONSlicer().slice(of: whole, at: JSONKeyPath(components: [.key(member)])) else { return shown }
        let text = "{… \"\(member.printable)\": \(String(decoding: value.prefix(limit), as: UTF8.self))"
        return text + (value.count > limit ? "…" : " …}")
    }

    /// Returns the text before the byte at which a document is malformed; the beginning of a body that is not JSON.
    func before(_ offset: Int) -> String {
        guard offset > limit, offset <= min(body.count, Self.maximumRedactedBytes) else { return start }
        let text = Self.redacted(body.prefix(offset + 16), limit: .max, isCut: offset + 16 < body.count)
        return "…" + String(text.suffix(limit))
    }

    private static func redacted(_ json: Data, limit: Int, isCut: Bool = false) -> String {
        Redaction.default.redacted(
            body: json, contentType: "application/json", maximumBytes: limit == .max ? json.count * 16 + 4096 : limit,
            isCut: isCut)
    }
}
