import Endpoints
import Foundation
import NetworkCore
import NetworkLogging

/// A failure to decode a response, with its place in the document and its reason.
///
/// Texts contain at most 256 bytes of the body, redacted. ``underlying`` is the error of the decoder and is never part of a
/// text.
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
        let decoding = error as? DecodingError
        let context = decoding?.placeAndReason
        codingPath = (context?.path ?? "").printableLine
        reason =
            (context?.reason ?? (error as? any RedactedStringConvertible)?.description
            ?? "the decoder has thrown \(type(of: error))").printableLine
        snippet = decoding.map { body.around($0.place) } ?? body.start
        let details = decoding?.details
        if let decoding, let details { reason += Self.text(details, of: decoding) }
        guard Self.isAboutJSON(error) else { return }
        if let unexpected = Self.mediaTypeOtherThanJSON(contentType) {
            reason = "expected JSON but received \(unexpected): \(reason)"
        } else if let details, details.problem != nil {
            snippet = body.before(details.byteOffset)
        } else if decoding?.place.isEmpty == true, let syntaxError = body.syntaxError {
            reason += " at byte \(syntaxError.offset): \(syntaxError.reason)"
            snippet = body.before(syntaxError.offset)
        }
    }

    /// Returns the place and what was found there. A value under a secret name is not described.
    private static func text(_ details: JSONErrorDetails, of error: DecodingError) -> String {
        let place = " at byte \(details.byteOffset) (line \(details.line), column \(details.column))"
        if let problem = details.problem { return "\(place): \(problem), found \(details.found)" }
        let isSecret = error.place.contains { $0.intValue == nil && Redaction.default.isSecret(member: $0.stringValue) }
        return isSecret ? place : "\(place), found \(details.found)"
    }

    /// Whether a JSON decoder threw the error for the document as a whole.
    private static func isAboutJSON(_ error: any Error) -> Bool {
        if case .keyPath? = (error as? ResponseDecodingError)?.kind { return true }
        guard case DecodingError.dataCorrupted(let context) = error else { return false }
        return context.debugDescription.contains("JSON")
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

    /// Creates a failure to decode an element of a stream. The snippet is the beginning of the element.
    init(_ error: StreamParsingError, of stream: DataTransferStream, method: RequestMethod) {
        request = Self.text(method, stream.url)
        statusCode = stream.statusCode
        contentType = stream.headers["Content-Type"]
        elementIndex = error.index
        // The record may have been cut.
        snippet = Redaction.default.redacted(
            body: error.record, contentType: nil, maximumBytes: Self.maximumSnippetBytes, isCut: true)
        if case .undecodable(let cause) = error.kind {
            underlying = cause
        } else {
            underlying = error
        }
        let decoding = underlying as? DecodingError
        let context = decoding?.placeAndReason
        codingPath = (context?.path ?? "").printableLine
        reason = (context?.reason ?? error.reason).printableLine
        if let details = decoding?.details, let problem = details.problem {
            reason += " at byte \(details.byteOffset) of the element: \(problem), found \(details.found)"
        }
    }

    /// Creates a failure to get the next page of a list. It contains no part of the body.
    init<Page>(_ error: PageError, of page: DataTransferResponse<Page>, method: RequestMethod) {
        request = Self.text(method, page.url)
        statusCode = page.statusCode
        contentType = page.headers["Content-Type"]
        codingPath = ""
        reason = error.description
        snippet = ""
        underlying = error
    }

    private static func text(_ method: RequestMethod, _ url: URL) -> String {
        "\(method) \(URLText(url).originAndPath)".printable(limit: 1024)
    }
}

extension ParsingFailure: RedactedStringConvertible, LocalizedError {
    /// A textual representation on one line: request, status, place, reason and snippet, but not ``underlying``.
    public var description: String {
        let element = elementIndex.map { " element \($0)" } ?? ""
        let place = codingPath.isEmpty ? "" : " at \(codingPath.printable)"
        let body = snippet.isEmpty ? (elementIndex == nil ? "; body: empty" : "") : "; body: \(snippet.printableLine)"
        return "\(request) [\(statusCode)]\(element)\(place): \(reason.printableLine)\(body)"
    }
}

extension DecodingError {
    private var context: Context? {
        switch self {
        case .keyNotFound(_, let context), .valueNotFound(_, let context), .typeMismatch(_, let context),
            .dataCorrupted(let context):
            context
        @unknown default: nil
        }
    }

    fileprivate var place: [any CodingKey] { context?.codingPath ?? [] }

    /// Where in the document the error is; `nil` if another decoder than ``TransferJSONDecoder`` threw it.
    fileprivate var details: JSONErrorDetails? { context?.underlyingError as? JSONErrorDetails }

    fileprivate var placeAndReason: (path: String, reason: String) {
        switch self {
        case .keyNotFound(let key, let context): (Self.text(context.codingPath), "no value for the key \"\(key.stringValue)\"")
        case .valueNotFound(let type, let context): (Self.text(context.codingPath), "null where \(type) is expected")
        case .typeMismatch(let type, let context): (Self.text(context.codingPath), "not \(type)")
        case .dataCorrupted(let context):
            (Self.text(context.codingPath), context.codingPath.isEmpty ? "malformed document" : "malformed value")
        @unknown default: ("", "cannot be decoded")
        }
    }

    private static func text(_ path: [any CodingKey]) -> String {
        var text = ""
        for key in path {
            if let index = key.intValue {
                text += "[\(index)]"
            } else {
                text += text.isEmpty ? key.stringValue : "." + key.stringValue
            }
        }
        return text
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
        for key in path where key.intValue == nil && Redaction.default.isSecret(member: key.stringValue) {
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

    /// The position and reason of the first syntax error in a JSON document; `nil` if there is none.
    var syntaxError: (offset: Int, reason: String)? {
        do throws(JSONSliceError) {
            _ = try JSONSlicer().slice(of: body, at: JSONKeyPath(components: []))
            return nil
        } catch {
            guard case .malformedDocument(let offset, let reason) = error.kind else { return nil }
            return (offset, reason)
        }
    }

    private static func redacted(_ json: Data, limit: Int, isCut: Bool = false) -> String {
        Redaction.default.redacted(
            body: json, contentType: "application/json", maximumBytes: limit == .max ? json.count * 16 + 4096 : limit,
            isCut: isCut)
    }
}
