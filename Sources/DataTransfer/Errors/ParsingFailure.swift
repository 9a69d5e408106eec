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
    /// The beginning of the body, or of the element of a stream, with secrets replaced.
    public var snippet: String
    /// The decoder's error.
    public var underlying: any Error

    init(_ error: any Error, of response: NetworkResponse, endpoint: some Requestable) {
        request = Self.text(endpoint.method, response.url)
        statusCode = response.statusCode
        contentType = response.headers["Content-Type"]
        snippet = Redaction.default.redacted(
            body: response.body, contentType: contentType, limit: Self.maximumSnippetBytes)
        underlying = error
        let context = (error as? DecodingError)?.placeAndReason
        codingPath = context?.path ?? ""
        reason = context?.reason ?? (error as? ResponseDecodingError)?.description ?? "\(type(of: error))"
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
