// What is sent to an API.

/// Says the header fields of an ``API``.
public protocol APIHeaders: Sendable {
    /// None by default. A body sets its own `Content-Type`.
    var headers: HTTPHeaders { get }
}

extension APIHeaders {
    /// None.
    public var headers: HTTPHeaders { [:] }
}

/// Says the parameters of an ``API``.
public protocol APIParameters: Sendable {
    /// In the query, in the body, or both. None by default.
    var parameters: RequestParameters { get }
}

extension APIParameters {
    /// None.
    public var parameters: RequestParameters { .none }
}
