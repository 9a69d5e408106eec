/// A request method (RFC 9110 §9).
///
/// The vocabulary is open: `HTTPMethod("PURGE")` is a method too. Names are case-sensitive and are sent as they are
/// written; a name that is not a token (RFC 9110 §5.6.2) is refused when the request is built, with an error that says so.
public struct HTTPMethod: RawRepresentable, Hashable, Sendable {
    public var rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public init(_ name: String) {
        self.rawValue = name
    }

    public static let get = HTTPMethod("GET")
    public static let head = HTTPMethod("HEAD")
    public static let post = HTTPMethod("POST")
    public static let put = HTTPMethod("PUT")
    public static let patch = HTTPMethod("PATCH")
    public static let delete = HTTPMethod("DELETE")
    public static let options = HTTPMethod("OPTIONS")
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
    public var description: String { rawValue }
}
