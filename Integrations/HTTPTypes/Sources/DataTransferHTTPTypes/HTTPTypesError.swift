/// A part of a message that a type of the other package cannot hold without a change.
///
/// It contains the names of fields, and no values.
public struct HTTPTypesError: Error, Hashable, Sendable {
    /// A part of a message.
    public enum Part: Hashable, Sendable {
        /// The method of a request.
        case method
        /// The scheme of a request (`:scheme`).
        case scheme
        /// The host and port of a request (`:authority`).
        case authority
        /// The path and query of a request (`:path`).
        case path
        /// The protocol of an extended CONNECT (`:protocol`, RFC 8441).
        case extendedConnectProtocol
        /// The URL of a request, or the base URL.
        case url
        /// The status of a response.
        case status
        /// The name of a header field, unchanged.
        case headerName(String)
        /// The value of the header field with this name.
        case headerValue(String)
    }

    /// The part that cannot be converted.
    public var part: Part
    /// The reason, as a human-readable phrase.
    public var reason: String

    /// Creates an error for one part. The reason must not contain a value of the message.
    public init(_ part: Part, _ reason: String) {
        self.part = part
        self.reason = reason
    }
}

extension HTTPTypesError: CustomStringConvertible {
    /// The part and the reason.
    public var description: String { "\(part): \(reason)" }
}

extension HTTPTypesError.Part: CustomStringConvertible {
    /// The name of the part, with at most 60 characters of the name of a field, in which everything but visible ASCII is escaped.
    public var description: String {
        switch self {
        case .method: "method"
        case .scheme: "scheme"
        case .authority: "authority"
        case .path: "path"
        case .extendedConnectProtocol: "protocol"
        case .url: "URL"
        case .status: "status"
        case .headerName(let name): "header name \"\(Self.shown(name))\""
        case .headerValue(let name): "value of header \"\(Self.shown(name))\""
        }
    }

    private static func shown(_ name: String) -> String {
        let scalars = name.unicodeScalars.prefix(60)
        let text = scalars.map {
            $0.isASCII && $0.value >= 0x20 && $0.value < 0x7F ? String($0) : "\\u{\(String($0.value, radix: 16))}"
        }
        return text.joined() + (name.unicodeScalars.count > 60 ? "…" : "")
    }
}
