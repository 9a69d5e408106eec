// What `NetworkAuthorization` has, with the missing import. Where that module is imported, its declarations are used.

/// Unavailable without `NetworkAuthorization`, which contains the client of an authorization server.
@available(*, unavailable, message: "add `import NetworkAuthorization`, and that product to the dependencies of the target")
public struct OAuthClient {
    /// Unavailable: see the type.
    public init(
        tokenURL: String, clientID: String, secret: String? = nil, options: Any? = nil, session: Any? = nil
    ) throws {}
}

/// Unavailable without `NetworkAuthorization`, which contains the store of a user's tokens.
@available(*, unavailable, message: "add `import NetworkAuthorization`, and that product to the dependencies of the target")
public typealias CredentialStore = Any

/// Unavailable without `NetworkAuthorization`, which contains the error of an authorization server.
@available(*, unavailable, message: "add `import NetworkAuthorization`, and that product to the dependencies of the target")
public typealias OAuthError = Never

/// Unavailable without `NetworkAuthorization`, which contains the signatures of AWS.
@available(*, unavailable, message: "add `import NetworkAuthorization`, and that product to the dependencies of the target")
public struct AWSSignature {
    /// Unavailable: see the type.
    public init(credentials: Any, region: String, service: String) {}
}

/// Unavailable without `NetworkAuthorization`, which contains the signatures of RFC 9421.
@available(*, unavailable, message: "add `import NetworkAuthorization`, and that product to the dependencies of the target")
public struct MessageSignature {
    /// Unavailable: see the type.
    public init(keyID: String, key: Any) {}
}
