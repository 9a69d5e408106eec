import NetworkLogging

extension HTTPHeaders {
    /// The fields that any origin may see: they say what is asked for and how, and nothing of who is asking.
    ///
    /// Everything else in a request is for the origin that it was addressed to.
    private static let harmlessNames: Set<String> = [
        // Content negotiation and the client (RFC 9110 §12.5, §10.1).
        "accept", "accept-charset", "accept-encoding", "accept-language", "te", "user-agent", "expect", "date",
        // The content that is sent along (RFC 9110 §8, RFC 9530).
        "content-type", "content-encoding", "content-language", "content-length", "content-range", "content-digest",
        "repr-digest",
        "want-content-digest", "want-repr-digest", "transfer-encoding", "trailer",
        // Parts and conditions (RFC 9110 §13.1, §14).
        "range", "if-range", "if-match", "if-none-match", "if-modified-since", "if-unmodified-since", "accept-ranges",
        "last-modified",
        // Caching (RFC 9111 §5), priority (RFC 9218), preferences (RFC 7240).
        "cache-control", "pragma", "age", "expires", "vary", "priority", "prefer",
        // Where events go on (WHATWG HTML §9.2.4), and what tells a repetition from a new request.
        "last-event-id", "idempotency-key",
        // What responses say of themselves and the connection.
        "allow", "connection", "retry-after", "server",
    ]

    package static func isHarmless(_ name: String) -> Bool {
        harmlessNames.contains(name) || harmlessNames.contains(name.lowercased())
    }

    /// The fields that another origin may see. `Host` is the first origin's own.
    package var harmless: HTTPHeaders { HTTPHeaders(fields.filter { Self.isHarmless($0.name) }) }
}
