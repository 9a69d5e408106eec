/// What a server has to show over TLS, and what is shown to it.
///
///     SessionConfiguration {
///         $0.trust = TrustPolicy(minimumTLSVersion: .v1_3)
///         $0.trustByHost["internal.example"] = TrustPolicy(
///             roots: .pem(file: authority), pins: [.publicKey(sha256: current), .publicKey(sha256: backup)])
///     }
///
/// Everything is loaded when the session manager is made. What cannot be loaded, is damaged, or cannot be enforced by the
/// session manager makes each of its requests fail with ``TransportError/Code/trustUnavailable``, before a byte is sent.
///
/// It speaks of `https` alone: over `http` there is nothing to check.
public struct TrustPolicy: Sendable, Hashable {
    /// Whose word is taken for a certificate. The system's authorities by default.
    public var roots: TrustRoots
    /// The keys of which the server's certificate must hold one, beside being trusted (RFC 7469 §2.6). `nil` asks for none; an
    /// empty list is an error, since it may be a list that failed to arrive.
    ///
    /// Name a backup whose private key is kept elsewhere: else a lost key locks out all clients.
    public var pins: [TrustPin]?
    /// What is shown to a server that asks who the client is. Nothing by default.
    public var clientIdentity: ClientIdentity?
    /// Older versions are refused. TLS 1.2 by default.
    public var minimumTLSVersion: TLSVersion

    /// Makes a policy; what is left out is as strict as the default.
    public init(
        roots: TrustRoots = .system, pins: [TrustPin]? = nil, clientIdentity: ClientIdentity? = nil,
        minimumTLSVersion: TLSVersion = .v1_2
    ) {
        self.roots = roots
        self.pins = pins
        self.clientIdentity = clientIdentity
        self.minimumTLSVersion = minimumTLSVersion
    }

    /// Accepts any certificate for any host name: whoever is in between can read and change everything. For tests.
    public static let insecureWithoutVerification = TrustPolicy(roots: .insecureWithoutVerification)
}
