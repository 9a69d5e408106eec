import Foundation

/// The rules by which a server is verified over TLS, and the client certificate that is presented to it.
///
///     SessionConfiguration {
///         $0.trust = TrustPolicy(minimumTLSVersion: .v1_3)
///         $0.trustByHost["internal.example"] = TrustPolicy(
///             roots: .pem(file: authority), pins: [.publicKey(sha256: current), .publicKey(sha256: backup)])
///     }
///
/// All files are loaded when the session manager is created. If something cannot be loaded, is damaged, or cannot be enforced by
/// the session manager, each of its requests fails with ``TransportError/Code/trustUnavailable`` before a byte is sent.
///
/// A policy applies to `https` only: over `http` there is nothing to verify.
public struct TrustPolicy: Sendable, Hashable {
    /// The certificate authorities that are trusted. Default: those of the system.
    public var roots: TrustRoots
    /// The public keys, one of which the server's certificate must contain in addition to being trusted (RFC 7469 §2.6). `nil`
    /// means that no key is required; an empty list is an error, since it may be a list that failed to arrive. Default: `nil`.
    ///
    /// Add a backup pin whose private key is kept elsewhere. Otherwise a lost key locks out all clients.
    public var pins: [TrustPin]?
    /// The certificate and key that are presented to a server that requests a client certificate. Default: `nil`.
    public var clientIdentity: ClientIdentity?
    /// The oldest version of TLS that is accepted. Default: TLS 1.2.
    public var minimumTLSVersion: TLSVersion

    /// Creates a policy. Each parameter defaults to the strict default of its property.
    public init(
        roots: TrustRoots = .system, pins: [TrustPin]? = nil, clientIdentity: ClientIdentity? = nil,
        minimumTLSVersion: TLSVersion = .v1_2
    ) {
        self.roots = roots
        self.pins = pins
        self.clientIdentity = clientIdentity
        self.minimumTLSVersion = minimumTLSVersion
    }

    /// A policy that accepts any certificate for any host name: an attacker on the network can read and change everything. For
    /// tests only.
    public static let insecureWithoutVerification = TrustPolicy(roots: .insecureWithoutVerification)
}

/// The certificate authorities that are trusted to issue a server's certificate.
public struct TrustRoots: Sendable, Hashable {
    enum Choice: Sendable, Hashable {
        case system
        case only(TrustMaterial)
        case systemAnd(TrustMaterial)
        case anyone
    }

    let choice: Choice

    /// The certificate authorities that this machine trusts.
    public static let system = Self(choice: .system)

    /// Trusts only the certificates in a PEM file, and not those of the system. Each one counts as a root, whether it is
    /// self-signed or not.
    public static func pem(file: URL) -> Self { Self(choice: .only(.file(file))) }

    /// Trusts only these certificates in PEM, and not those of the system.
    public static func pem(data: Data) -> Self { Self(choice: .only(.data(data))) }

    /// Trusts only the certificates in a PEM file of a bundle: `.pem(bundle: .main, name: "authority.pem")`.
    public static func pem(bundle: Bundle, name: String) -> Self { Self(choice: .only(.file(bundle: bundle, name: name))) }

    /// Trusts the system's authorities, and those in a PEM file or in bytes: `.systemAnd(pem: .file(url))`.
    ///
    /// On Linux, the system's authorities are read from the first of the ``systemFiles`` that exists; if none exists, that is an
    /// error.
    public static func systemAnd(pem: TrustMaterial) -> Self { Self(choice: .systemAnd(pem)) }

    /// Accepts any certificate for any host name: an attacker on the network can read and change everything. Pins are still
    /// checked.
    public static let insecureWithoutVerification = Self(choice: .anyone)

    /// The files in which Linux distributions keep the authorities that they trust: Debian, Fedora, Alpine, SUSE.
    package static let systemFiles = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem", "/etc/ssl/ca-bundle.pem",
    ]
}

/// A version of TLS, used as the oldest one that is accepted.
public struct TLSVersion: RawRepresentable, Sendable, Hashable, Comparable {
    /// The number of the version in the protocol: 0x0303 for TLS 1.2 (RFC 5246 §6.2.1).
    public var rawValue: UInt16

    /// Creates a version from its number in the protocol. Only the versions that are defined here are supported.
    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// The version TLS 1.2 (RFC 5246).
    public static let v1_2 = Self(rawValue: 0x0303)
    /// The version TLS 1.3 (RFC 8446).
    public static let v1_3 = Self(rawValue: 0x0304)
    /// The insecure version TLS 1.0, which must not be used (RFC 8996). Also allows the weak ciphers, keys and signatures of its
    /// time.
    public static let obsoleteV1_0 = Self(rawValue: 0x0301)
    /// The insecure version TLS 1.1, which must not be used (RFC 8996). Also allows the weak ciphers, keys and signatures of its
    /// time.
    public static let obsoleteV1_1 = Self(rawValue: 0x0302)

    static let known: [TLSVersion] = [.obsoleteV1_0, .obsoleteV1_1, .v1_2, .v1_3]

    /// Returns whether the left version is older than the right one.
    public static func < (left: TLSVersion, right: TLSVersion) -> Bool { left.rawValue < right.rawValue }
}

extension TLSVersion: CustomStringConvertible {
    /// The name of the version, such as `TLS 1.2`.
    public var description: String {
        Self.known.firstIndex(of: self).map { "TLS 1.\($0)" } ?? "TLS version \(rawValue)"
    }
}
