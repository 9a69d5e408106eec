import Foundation
import NetworkLogging
import NetworkSupport

/// An error that describes why no request could be built from an endpoint and a configuration. Nothing was sent.
///
/// It contains the invalid field and the reason, but no value that could be a secret: only the name of a header field or of a
/// query item.
public struct RequestGenerationError: Error, Sendable {
    /// A part of the endpoint or the configuration that can be invalid.
    public enum Field: Hashable, Sendable {
        /// The base URL of the configuration or endpoint.
        case baseURL
        /// The scheme of a composed `API`.
        case scheme
        /// The host of a composed `API`.
        case host
        /// The port of a composed `API`.
        case port
        /// The base path of a composed `API`.
        case basePath
        /// The path, or the full URL in its place.
        case path
        /// A `{name}` placeholder of the path template.
        case pathParameter(String)
        /// The HTTP method of the request.
        case method
        /// The name of a header field, unchanged.
        case headerName(String)
        /// The value of the header field with this name.
        case headerValue(String)
        /// The query parameter with this name; an empty name means all parameters.
        case query(String)
        /// The body: it cannot be encoded, or the method does not allow one.
        case body
        /// The file at this path, which is the body or a part of a form: it does not exist or is not a regular file. Descriptions
        /// contain only its name, because its folder may reveal the name of the user.
        case file(String)
        /// The time limit with this name: `connect`, `idle`, `total` or `deadline`.
        case timeout(String)
        /// The URL of a ``NetworkRequest`` that was not built from an endpoint.
        case url
    }

    /// The invalid part of the endpoint or the configuration.
    public var field: Field
    /// The reason why the field is invalid, as a human-readable phrase.
    public var reason: String
    /// The method and path of the endpoint without query, such as `GET movies/{id}`; `nil` if no service was involved yet.
    public package(set) var request: String?
    /// The error that caused this one, such as an `EncodingError`.
    public var underlying: (any Error)?

    /// Creates an error for one field. Recognizable secrets in `reason` are redacted.
    public init(_ field: Field, _ reason: String, underlying: (any Error)? = nil) {
        self.field = field
        self.reason = MessageText(reason).shown
        self.underlying = underlying
    }
}

extension RequestGenerationError: RedactedStringConvertible, LocalizedError {
    /// A textual representation with the request, if it is known, the field and the reason, but without ``underlying``.
    public var description: String { (request.map { "\($0): " } ?? "") + "\(field): \(MessageText(reason).shown)" }
}

extension RequestGenerationError.Field: RedactedStringConvertible {
    /// A textual representation of the field, with at most 60 characters of its name, escaped and with secrets redacted.
    public var description: String {
        switch self {
        case .baseURL: "base URL"
        case .scheme: "scheme"
        case .host: "host"
        case .port: "port"
        case .basePath: "base path"
        case .path: "path"
        case .pathParameter(let name): "path parameter \"\(name.printable)\""
        case .method: "method"
        case .headerName(let name): "header name \"\(name.printable)\""
        case .headerValue(let name): "value of header \"\(name.printable)\""
        case .query(let name): name.isEmpty ? "query" : "query parameter \"\(name.printable)\""
        case .body: "body"
        case .file(let path): "file \"\(URL(fileURLWithPath: path).lastPathComponent.printable)\""
        case .timeout(let name): "\(name.printable) timeout"
        case .url: "URL"
        }
    }
}

extension String {
    /// The text for names in error messages: at most 60 characters, with secrets redacted and control characters escaped.
    package var printable: String { printable(limit: 60) }

    /// The text for whole messages: at most 400 characters, with secrets redacted and control characters escaped.
    package var printableLine: String { printable(limit: 400) }

    /// Returns the text with secrets redacted, truncated to `limit` characters. Control, format and line separator characters are
    /// escaped, so that the text cannot imitate a second line.
    package func printable(limit: Int) -> String {
        // Secrets are redacted before truncation, because the beginning of a secret would not be recognized.
        let shown = utf8.count < 4 ? self : Redaction.default.redacted(text: self, limit: limit * 4 + 4)
        return VisibleText.escaped(shown, limit: limit)
    }
}
