import Endpoints
import Foundation
import NetworkCore
import NetworkLogging

/// What could not be decoded, where, and why. Its texts hold at most 256 bytes of the body, redacted; ``underlying`` is the
/// decoder's own error and is never printed.
public struct ParsingFailure: Error, Sendable {
    /// The most bytes of a body that ``snippet`` shows.
    public static let maximumSnippetBytes = 256

    /// `GET https://host/path`, without the query.
    public var request: String
    /// The response's status, one that the endpoint accepts.
    public var statusCode: Int
    /// The `Content-Type` header with its parameters; `nil` without one.
    public var contentType: String?
    /// Which element of a stream of values, counted from 0; `nil` where the response is no such stream.
    public var elementIndex: Int?
    /// Where in the document: `data.items[0].title`, the key path included. Empty for the whole.
    public var codingPath: String
    /// What is wrong there.
    public var reason: String
    /// What stands where decoding failed, with secrets replaced: the object or element around it, or what stands before the byte at which the
    /// document is malformed. The beginning of the body where the place is not known, and of the element of a stream.
    public var snippet: String
    /// The decoder's error.
    public var underlying: any Error

    init(_ error: any Error, of response: NetworkResponse, endpoint: some Requestable) {
        request = Self.text(endpoint.method, response.url)
        statusCode = response.statusCode
        contentType = response.headers["Content-Type"]
        underlying = error
        let body = BodySnippet(response.body, contentType: contentType, limit: Self.maximumSnippetBytes)
        let decoding = error as? DecodingError
        let context = decoding?.placeAndReason
        codingPath = context?.path ?? ""
        reason = context?.reason ?? (error as? ResponseDecodingError)?.description ?? "\(type(of: error))"
        snippet = decoding.map { body.around($0.place) } ?? body.start
        guard Self.isAboutJSON(error) else { return }
        if let unexpected = Self.mediaTypeOtherThanJSON(contentType) {
            reason = "JSON was expected, and \(unexpected) came: \(reason)"
        } else if decoding?.place.isEmpty == true, let syntaxError = body.syntaxError {
            reason += " at byte \(syntaxError.offset): \(syntaxError.reason)"
            snippet = body.before(syntaxError.offset)
        }
    }

    /// Whether a decoder of JSON threw it for the document as a whole.
    private static func isAboutJSON(_ error: any Error) -> Bool {
        if case ResponseDecodingError.keyPath = error { return true }
        guard case DecodingError.dataCorrupted(let context) = error else { return false }
        return context.debugDescription.contains("JSON")
    }

    /// `text/html` of `text/html; charset=utf-8`; `nil` for JSON's own types, text that may be JSON, and what is not said.
    private static func mediaTypeOtherThanJSON(_ contentType: String?) -> String? {
        guard let type = contentType?.prefix(while: { $0 != ";" }).trimmingCharacters(in: .whitespaces).lowercased(),
            !type.isEmpty, !type.contains("json"), !["text/plain", "application/octet-stream", "text/javascript"].contains(type)
        else { return nil }
        return type.printable
    }

    /// Of a stream of values: the snippet is the beginning of the element.
    init(_ error: StreamParsingError, of stream: DataTransferStream, method: HTTPMethod) {
        request = Self.text(method, stream.url)
        statusCode = stream.statusCode
        contentType = stream.headers["Content-Type"]
        elementIndex = error.index
        snippet = Redaction.default.redacted(body: error.record, contentType: nil, limit: Self.maximumSnippetBytes)
        if case .undecodable(let cause) = error.kind {
            underlying = cause
        } else {
            underlying = error
        }
        let context = (underlying as? DecodingError)?.placeAndReason
        codingPath = context?.path ?? ""
        reason = context?.reason ?? error.reason
    }

    /// Of a list that comes in pages: no body is shown.
    init<Page>(_ error: PageError, of page: DataTransferResponse<Page>, method: HTTPMethod) {
        request = Self.text(method, page.url)
        statusCode = page.statusCode
        contentType = page.headers["Content-Type"]
        codingPath = ""
        reason = error.description
        snippet = ""
        underlying = error
    }

    private static func text(_ method: HTTPMethod, _ url: URL) -> String {
        "\(method) \(URLText(url).originAndPath)"
    }
}

extension ParsingFailure: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable, LocalizedError {
    /// The ``description``.
    public var errorDescription: String? { description }
    /// Request, status, place, reason and snippet on one line, never ``underlying``.
    public var description: String {
        let element = elementIndex.map { " element \($0)" } ?? ""
        let place = codingPath.isEmpty ? "" : " at \(codingPath.printable)"
        let body = snippet.isEmpty ? (elementIndex == nil ? "; body: empty" : "") : "; body: \(snippet.printableLine)"
        return "\(request) [\(statusCode)]\(element)\(place): \(reason.printableLine)\(body)"
    }

    /// The same as `description`.
    public var debugDescription: String { description }
    /// The description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension DecodingError {
    fileprivate var place: [any CodingKey] {
        switch self {
        case .keyNotFound(_, let context), .valueNotFound(_, let context), .typeMismatch(_, let context),
            .dataCorrupted(let context):
            context.codingPath
        @unknown default: []
        }
    }

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
    var syntaxError: (offset: Int, reason: String)? {
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
