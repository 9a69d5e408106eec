import NetworkLogging

/// A response with a status from 102 to 199 that a server sends before the final one (RFC 9110 §15.2), such as 103 (Early Hints, RFC 8297).
///
/// ```swift
/// endpoint.onInformationalResponse = { print($0.headers["Link"] ?? "") }
/// ```
///
/// A client may ignore it. Its fields, such as `Link`, are only hints: the final response may have others.
public struct InformationalResponse: Sendable, Hashable {
    /// The status: 102 to 199. 100 and 101 concern the transfer of the request, and are not reported.
    public var statusCode: Int
    /// The header fields of this response, not those of the final one.
    public var headers: HeaderFields

    /// Creates a response from its parts, to test a closure that receives one.
    public init(statusCode: Int, headers: HeaderFields = [:]) {
        self.statusCode = statusCode
        self.headers = headers
    }
}

extension InformationalResponse: RedactedStringConvertible {
    /// The status, and the header fields without secrets.
    public var description: String { "\(statusCode), \(headers)" }
}
