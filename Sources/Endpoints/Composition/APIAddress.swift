// Where an API lives. Each part is a protocol, so that a protocol of the caller's can say one of them for several APIs.

/// Says the scheme of an ``API``.
public protocol APIScheme: Sendable {
    /// `https` or `http`, compared without case. `https` by default.
    var scheme: String { get }
}

extension APIScheme {
    /// `https`
    public var scheme: String { "https" }
}

/// Says the host of an ``API``.
public protocol APIHost: Sendable {
    /// A name or an address, without scheme, port or user information: `api.example.com`, `127.0.0.1`, `::1`.
    var host: String { get }
}

/// Says the port of an ``API``.
public protocol APIPort: Sendable {
    /// 1...65535; `nil` for that of the scheme. `nil` by default.
    var port: Int? { get }
}

extension APIPort {
    /// `nil`: that of the scheme.
    public var port: Int? { nil }
}

/// Says what the paths of an ``API`` begin with.
public protocol APIBasePath: Sendable {
    /// With or without slashes at its ends; no query. Empty by default.
    var basePath: String { get }
}

extension APIBasePath {
    /// Empty.
    public var basePath: String { "" }
}

/// Says which resource of an ``API`` is meant.
public protocol APIEndpoint: Sendable {
    /// Joined to the base path with exactly one slash, whether it begins with none, one or more. May be a template (`users/{id}`)
    /// and may hold a query.
    var endpoint: String { get }
}
