import Foundation
import NetworkLogging

/// Why an endpoint and a configuration do not make a request.
///
/// It names the field that is wrong and what is wrong with it. It never repeats a value that could be a secret: of a header
/// it gives the name, of a query the item's name. Nothing was sent.
public struct RequestGenerationError: Error, Sendable {
    /// The part of the description that cannot be used.
    public enum Field: Hashable, Sendable {
        /// The configuration's base URL.
        case baseURL
        /// The scheme of a composed ``API``.
        case scheme
        /// The host of a composed ``API``.
        case host
        /// The port of a composed ``API``.
        case port
        /// The base path of a composed ``API``.
        case basePath
        /// The path, or the URL that stands for it.
        case path
        /// A `{name}` of the path template.
        case pathParameter(String)
        /// The request method.
        case method
        /// The name of a header, as given.
        case headerName(String)
        /// The value of the header with this name.
        case headerValue(String)
        /// A query parameter; empty when the parameters as a whole are meant.
        case query(String)
        /// The body: it cannot be encoded, or the method has none.
        case body
        /// `connect`, `idle` or `total`.
        case timeout(String)
        /// The URL of a hand-made ``NetworkRequest``.
        case url
    }

    /// What cannot be used.
    public var field: Field
    /// What is wrong, as a phrase for people.
    public var reason: String
    /// Method and path of the endpoint, `GET movies/{id}`, without query; `nil` where no service was asked yet.
    public package(set) var request: String?
    /// The error that caused it, such as an `EncodingError`.
    public var underlying: (any Error)?

    /// An error for one field. Secrets in `reason` that can be told are replaced.
    public init(_ field: Field, _ reason: String, underlying: (any Error)? = nil) {
        self.field = field
        self.reason = Redaction.default.redacted(text: reason)
        self.underlying = underlying
    }
}

extension RequestGenerationError {
    package static func text(of endpoint: any Requestable) -> String {
        "\(endpoint.method.rawValue.printable) \(URLText.shown(path: endpoint.path, isFullPath: endpoint.isFullPath).printable)"
    }
}

extension RequestGenerationError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable, LocalizedError {
    /// The ``description``.
    public var errorDescription: String? { description }
    /// The request where it is known, the field and the reason, never ``underlying``.
    public var description: String { (request.map { "\($0): " } ?? "") + "\(field): \(reason)" }
    /// The description behind the type's name.
    public var debugDescription: String { "RequestGenerationError(\(description))" }
    /// Without ``underlying``: an `EncodingError` holds the value that could not be encoded.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension RequestGenerationError.Field: CustomStringConvertible {
    /// The field in words; at most 60 characters of its name.
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
        case .timeout(let name): "\(name) timeout"
        case .url: "URL"
        }
    }
}

extension String {
    /// At most 60 characters, without secrets and with what could forge a line escaped, for names in error messages.
    package var printable: String { printable(limit: 60) }

    /// At most 400 characters, without secrets and with what could forge a line escaped, for whole messages.
    package var printableLine: String { printable(limit: 400) }

    package func printable(limit: Int) -> String {
        // Before the cut, as the beginning of a secret is a part of it.
        let shown = utf8.count < 4 ? self : Redaction.default.redacted(text: self, limit: limit * 4 + 4)
        let scalars = shown.unicodeScalars.prefix(limit + 1)
        let escaped = scalars.prefix(limit).map { scalar in
            scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
                || scalar.properties.generalCategory == .format || scalar.value == 0x2028 || scalar.value == 0x2029
                ? scalar.escaped(asASCII: true) : String(scalar)
        }
        return escaped.joined() + (scalars.count > limit ? "…" : "")
    }
}
