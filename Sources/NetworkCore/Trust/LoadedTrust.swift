/// A trust policy with everything read and checked that can be without a connection.
struct LoadedTrust: Sendable {
    enum Roots: Sendable {
        case system
        /// Certificates in DER.
        case certificates([[UInt8]], andSystem: Bool)
        case anyone
    }

    /// Its place in the table; 0 is the session manager's own.
    let number: Int
    /// What it was loaded from.
    let policy: TrustPolicy
    /// Which policy, in messages.
    let subject: String
    /// Whether nothing beyond the platform's own checks is asked for.
    let isDefault: Bool
    let roots: Roots
    /// SHA-256 of public keys, of which one must match unless there are none.
    let pins: [[UInt8]]
    let identity: LoadedIdentity?
    let minimumTLSVersion: TLSVersion

    init(_ policy: TrustPolicy, number: Int, subject: String) throws(TrustFlaw) {
        self.number = number
        self.policy = policy
        self.subject = subject
        isDefault = policy == TrustPolicy()
        switch policy.roots.choice {
        case .system: roots = .system
        case .anyone: roots = .anyone
        case .only(let pem): roots = .certificates(try PEMText.certificates(in: pem.load(), of: pem), andSystem: false)
        case .systemAnd(let pem): roots = .certificates(try PEMText.certificates(in: pem.load(), of: pem), andSystem: true)
        }
        if let pins = policy.pins, pins.isEmpty { throw TrustFlaw("the list of pins is empty; nil asks for none") }
        var digests: [[UInt8]] = []
        for pin in policy.pins ?? [] { digests.append(try pin.load()) }
        pins = digests
        identity = try policy.clientIdentity?.load()
        minimumTLSVersion = policy.minimumTLSVersion
        guard TLSVersion.known.contains(minimumTLSVersion) else { throw TrustFlaw("\(minimumTLSVersion) is not known") }
    }
}

/// A client certificate with its key, ready to be handed on.
struct LoadedIdentity: Sendable {
    /// PEM, the client's own first.
    let certificates: StableBytes
    /// PEM.
    let key: StableBytes
    /// Empty when there is none.
    let passphrase: String
}
