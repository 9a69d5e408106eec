/// A version of HTTP whose messages are frames and encoded fields, with the sections of its RFC.
///
/// Both versions have the same messages, and nearly the same rules for them.
enum MessageVersion: Sendable {
    /// RFC 9113.
    case http2
    /// RFC 9114.
    case http3

    /// A rule of messages.
    enum Rule: Sendable {
        /// The characters of names and values.
        case fields
        /// Fields that describe a connection of HTTP/1.1.
        case connectionFields
        case pseudoFields
        /// The status, which is never 101.
        case status
        /// The order of heads, content and trailers.
        case order
        /// Content of another length than announced.
        case length
        /// What a tunnel carries.
        case tunnel
    }

    /// The name, as in a status line.
    var name: String {
        switch self {
        case .http2: "HTTP/2"
        case .http3: "HTTP/3"
        }
    }

    /// Returns where a rule is defined.
    func section(_ rule: Rule) -> String {
        switch (self, rule) {
        case (.http2, .fields): "RFC 9113 §8.2.1"
        case (.http2, .connectionFields): "RFC 9113 §8.2.2"
        case (.http2, .pseudoFields): "RFC 9113 §8.3"
        case (.http2, .status): "RFC 9113 §8.3.2, §8.6"
        case (.http2, .order): "RFC 9113 §8.1"
        case (.http2, .length): "RFC 9113 §8.1.1"
        case (.http2, .tunnel): "RFC 9113 §8.5"
        case (.http3, .fields), (.http3, .connectionFields): "RFC 9114 §4.2"
        case (.http3, .pseudoFields): "RFC 9114 §4.3"
        case (.http3, .status): "RFC 9114 §4.3.2, §4.5"
        case (.http3, .order): "RFC 9114 §4.1"
        case (.http3, .length): "RFC 9114 §4.1.2"
        case (.http3, .tunnel): "RFC 9114 §4.4"
        }
    }
}

/// Why a message cannot be used: it is malformed (RFC 9113 §8.1.1, RFC 9114 §4.1.2), or exceeds a limit.
struct MessageFailure: Error, Equatable, Sendable {
    /// What a failure means for the response.
    enum Kind: Sendable {
        /// The peer has violated the protocol.
        case violation
        /// The response exceeds a limit of the session manager's configuration.
        case limit
        /// The body ends before the announced length.
        case truncation
    }

    /// What the peer has done, as part of an error message.
    let message: String
    let kind: Kind

    init(_ message: String, _ kind: Kind = .violation) {
        self.message = message
        self.kind = kind
    }
}

/// How large heads and trailers may be.
struct FieldLimits: Sendable {
    /// The largest size of the heads and the trailers of a response together: the lengths of names and values, and four bytes
    /// for each field.
    var bytes: Int
    /// The largest number of fields of a head.
    var count: Int

    /// The failure of a head that is larger than ``bytes``.
    var sizeFailure: MessageFailure {
        MessageFailure("the response head is larger than \(bytes) bytes (maximumHeaderBytes)", .limit)
    }
}
