/// An HTTP request method (RFC 9110 §9).
///
/// Any name can be used, such as `RequestMethod("PURGE")`. Names are case-sensitive and are sent unchanged. A name that is not
/// a token (RFC 9110 §5.6.2) is an error when the request is built.
public struct RequestMethod: RawRepresentable, Hashable, Sendable {
    /// The method name as it is sent. Not validated here.
    public var rawValue: String

    /// Creates a method with any name.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Creates a method with any name. `CONNECT` opens a tunnel and is therefore an error when the request is built.
    package init(_ name: String) {
        self.rawValue = name
    }

    /// Fetches a representation (RFC 9110 §9.3.1).
    public static let get = RequestMethod("GET")
    /// Fetches the header fields that GET would return, without content (RFC 9110 §9.3.2).
    public static let head = RequestMethod("HEAD")
    /// Sends content that the resource processes (RFC 9110 §9.3.3).
    public static let post = RequestMethod("POST")
    /// Creates the resource, or replaces it with the content (RFC 9110 §9.3.4).
    public static let put = RequestMethod("PUT")
    /// Applies the changes that the content describes (RFC 5789 §2).
    public static let patch = RequestMethod("PATCH")
    /// Removes the resource (RFC 9110 §9.3.5).
    public static let delete = RequestMethod("DELETE")
    /// Requests the communication options of the resource (RFC 9110 §9.3.7).
    public static let options = RequestMethod("OPTIONS")
    /// Requests that the server returns the request as it was received (RFC 9110 §9.3.8).
    public static let trace = RequestMethod("TRACE")

    /// Fetches what the resource returns for the query in the content (RFC 10008). Safe and idempotent, like GET, but with a body.
    public static let query = RequestMethod("QUERY")

    /// Whether the method is safe: it requests no change on the server (RFC 9110 §9.2.1). `false` for unknown methods.
    package var isSafe: Bool {
        self == .get || self == .head || self == .options || self == .trace || self == .query
    }

    /// Whether sending the request twice has the same effect as sending it once (RFC 9110 §9.2.2). `false` for unknown methods.
    public var isIdempotent: Bool {
        isSafe || self == .put || self == .delete
    }

    /// Whether the request may have a body (RFC 9110 §9.3.1, §9.3.2, §9.3.8). A GET, HEAD or TRACE request with a body is an
    /// error when the request is built.
    package var allowsBody: Bool {
        self != .get && self != .head && self != .trace
    }
}

extension RequestMethod: CustomStringConvertible {
    /// The method name as it is sent.
    public var description: String { rawValue }
}
