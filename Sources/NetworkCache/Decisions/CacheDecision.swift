/// The action that the cache takes for a request.
enum CacheDecision: Equatable {
    /// Return the stored response. `ttl` is its remaining freshness in seconds, negative if it is stale.
    case serve(age: Double, ttl: Double, revalidates: Bool)
    /// Validate the stored response with the origin (RFC 9111 §4.3). Never for a request with conditions or a range.
    case validate(ForwardReason)
    /// Forward the request unchanged.
    case forward(ForwardReason)
    /// Respond with 504 because the request has `only-if-cached` (RFC 9111 §5.2.1.7).
    case fail
}

/// The reason why a request was forwarded to the origin (RFC 9211 §2.2).
enum ForwardReason: String {
    /// The cache does not handle the request: only the origin can evaluate its conditions or ranges,
    /// a field replaces its method, or it is a QUERY whose content cannot be part of a key.
    case bypass
    /// The cache does not store responses to the method.
    case method
    /// No response is stored for the URL.
    case uriMiss = "uri-miss"
    /// The stored responses were selected by other values of the fields that `Vary` names.
    case varyMiss = "vary-miss"
    /// The stored response is a part of the content that does not contain all bytes that the request asks for.
    case partial
    /// The stored response is fresh, but the request does not accept it without validation.
    case request
    /// The stored response may not be used without validation.
    case stale
}
