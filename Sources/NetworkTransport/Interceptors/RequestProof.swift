import Endpoints

/// Proves to a server that the client knows a secret, for one request: with a digest or a signature of its method, URL, fields or body.
///
/// An interceptor sets ``Endpoints/NetworkRequest/prover`` and marks the fields with `markProof(for:identity:)`. The proof is made in the last
/// step before the request is sent, after all interceptors, and made again after each redirect within the origin.
package protocol RequestProver: Sendable {
    /// Returns the digest of the body in the form that ``prove(_:bodyDigest:)`` needs; `nil` if it needs none.
    ///
    /// - Throws: ``TransportError/Code/bodyFailed``, ``TransportError/Code/bodyNotReplayable``, or
    ///   ``TransportError/Code/authenticationFailed``.
    func bodyDigest(of request: NetworkRequest) async throws(TransportError) -> String?

    /// Sets the header fields of the proof. Those of an earlier proof may be present.
    ///
    /// - Parameter bodyDigest: The digest of the body; `nil` if the request has no body, or ``bodyDigest(of:)`` returned `nil`.
    /// - Throws: ``TransportError/Code/authenticationFailed`` if the request lacks something that the proof covers.
    func prove(_ request: inout NetworkRequest, bodyDigest: String?) throws(TransportError)
}

private enum ProverKey: ContextKey { typealias Value = any RequestProver }

private enum BodyDigestKey: ContextKey { typealias Value = String }

extension NetworkRequest {
    /// What proves the knowledge of a secret when the request is sent; `nil` if nothing has to.
    package var prover: (any RequestProver)? {
        get { context[ProverKey.self] }
        set { context[ProverKey.self] = newValue }
    }

    /// Whether the request has an `Authorization` field, or will get one when it is sent.
    package var isAuthenticated: Bool { headers.contains("Authorization") || credentials.isProof("Authorization") }

    /// Adds the proof to a request that is about to be sent.
    mutating func addProof(of prover: any RequestProver) async throws(TransportError) {
        let digest = body == nil ? nil : try await prover.bodyDigest(of: self)
        context[BodyDigestKey.self] = digest
        try prover.prove(&self, bodyDigest: digest)
    }

    /// Replaces the proof of a request after a redirect. If its origin has changed, it has no credentials any more, and gets none.
    mutating func renewProof() throws(TransportError) {
        guard let prover, hasCredentials else { return }
        try prover.prove(&self, bodyDigest: body == nil ? nil : context[BodyDigestKey.self])
    }

    /// The path and the query as they are sent in the request (RFC 9112 §3.2.1).
    package var target: String {
        let target = text(of: parsedURL.pathAndQuery)
        return target.utf8.first == UInt8(ascii: "/") ? target : "/" + target
    }

    /// The host as it is sent, with the port unless it is that of the scheme (RFC 9110 §7.2).
    package var host: String {
        let port = text(of: parsedURL.port)
        return text(of: parsedURL.host) + (parsedURL.lacksBracket ? "]" : "") + (port.isEmpty ? "" : ":" + port)
    }

    private func text(of part: Range<Int>) -> String {
        let text = urlText.utf8
        let start = text.index(text.startIndex, offsetBy: part.lowerBound)
        return String(Substring(text[start..<text.index(start, offsetBy: part.count)]))
    }
}
