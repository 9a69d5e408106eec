/// A request method (RFC 9110 §9).
///
/// The vocabulary is open: `HTTPMethod("PURGE")` is a method too. Names are case-sensitive and are sent as they are
/// written; a name that is not a token (RFC 9110 §5.6.2) is refused when the request is built, with an error that says so.
public struct HTTPMethod: RawRepresentable, Hashable, Sendable {
    /// The name as it is sent, unvalidated.
    public var rawValue: String

    /// A method of any name.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// A method of any name. `CONNECT` is refused when the request is built: it opens a tunnel.
    public init(_ name: String) {
        self.rawValue = name
    }

    /// Fetches a representation (RFC 9110 §9.3.1).
    public static let get = HTTPMethod("GET")
    /// GET without the content (RFC 9110 §9.3.2).
    public static let head = HTTPMethod("HEAD")
    /// Has the resource process the content (RFC 9110 §9.3.3).
    public static let post = HTTPMethod("POST")
    /// Creates or replaces the resource by the content (RFC 9110 §9.3.4).
    public static let put = HTTPMethod("PUT")
    /// Applies the changes that the content describes (RFC 5789 §2).
    public static let patch = HTTPMethod("PATCH")
    /// Removes the resource (RFC 9110 §9.3.5).
    public static let delete = HTTPMethod("DELETE")
    /// Asks how one may communicate with the resource (RFC 9110 §9.3.7).
    public static let options = HTTPMethod("OPTIONS")
    /// Has the request sent back as it arrived (RFC 9110 §9.3.8).
    public static let trace = HTTPMethod("TRACE")

    /// Whether the method asks for no change on the server (RFC 9110 §9.2.1). Unknown methods are not safe.
    public var isSafe: Bool {
        self == .get || self == .head || self == .options || self == .trace
    }

    /// Whether sending the request twice has the effect of sending it once (RFC 9110 §9.2.2). Unknown methods are not.
    public var isIdempotent: Bool {
        isSafe || self == .put || self == .delete
    }

    /// Whether content in the request has a meaning (RFC 9110 §9.3.1, §9.3.2, §9.3.8). GET, HEAD and TRACE with a body are
    /// refused when the request is built.
    public var allowsBody: Bool {
        self != .get && self != .head && self != .trace
    }
}

extension HTTPMethod: CustomStringConvertible {
    /// The name.
    public var description: String { rawValue }
}
