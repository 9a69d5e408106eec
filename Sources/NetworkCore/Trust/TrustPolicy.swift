import Foundation

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

/// Whose word is taken for a server's certificate.
public struct TrustRoots: Sendable, Hashable {
    enum Choice: Sendable, Hashable {
        case system
        case only(TrustMaterial)
        case systemAnd(TrustMaterial)
        case anyone
    }

    let choice: Choice

    /// The authorities that this machine trusts.
    public static let system = Self(choice: .system)

    /// Only the certificates of a PEM file, and none of the system's. Each counts as a root, whether it signed itself or not.
    public static func pem(file: URL) -> Self { Self(choice: .only(.file(file))) }

    /// Only these certificates, in PEM, and none of the system's.
    public static func pem(data: Data) -> Self { Self(choice: .only(.data(data))) }

    /// Only the certificates of a PEM file in a bundle: `.pem(bundle: .main, name: "authority.pem")`.
    public static func pem(bundle: Bundle, name: String) -> Self { Self(choice: .only(.file(bundle: bundle, name: name))) }

    /// The system's authorities and those of a PEM file or bytes: `.systemAnd(pem: .file(url))`.
    ///
    /// On Linux the system's are those of the first file that exists of ``systemFiles``; without one it is an error.
    public static func systemAnd(pem: TrustMaterial) -> Self { Self(choice: .systemAnd(pem)) }

    /// Accepts any certificate for any host name: whoever is in between can read and change everything. Pins still hold.
    public static let insecureWithoutVerification = Self(choice: .anyone)

    /// Where Linux distributions keep the authorities they trust: Debian, Fedora, Alpine, SUSE.
    public static let systemFiles = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem", "/etc/ssl/ca-bundle.pem",
    ]
}

/// A version of TLS, as the least that is accepted.
public struct TLSVersion: RawRepresentable, Sendable, Hashable, Comparable {
    /// As in the protocol: 0x0303 for TLS 1.2 (RFC 5246 §6.2.1).
    public var rawValue: UInt16

    /// Makes a version of its number in the protocol. Only those named here can be asked for.
    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// TLS 1.2 (RFC 5246).
    public static let v1_2 = Self(rawValue: 0x0303)
    /// TLS 1.3 (RFC 8446).
    public static let v1_3 = Self(rawValue: 0x0304)
    /// TLS 1.0: broken, and not to be used (RFC 8996). Also allows the weak ciphers, keys and signatures of its time.
    public static let obsoleteV1_0 = Self(rawValue: 0x0301)
    /// TLS 1.1: broken, and not to be used (RFC 8996). Also allows the weak ciphers, keys and signatures of its time.
    public static let obsoleteV1_1 = Self(rawValue: 0x0302)

    static let known: [TLSVersion] = [.obsoleteV1_0, .obsoleteV1_1, .v1_2, .v1_3]

    /// The older is less.
    public static func < (left: TLSVersion, right: TLSVersion) -> Bool { left.rawValue < right.rawValue }
}

extension TLSVersion: CustomStringConvertible {
    /// `TLS 1.2`.
    public var description: String {
        Self.known.firstIndex(of: self).map { "TLS 1.\($0)" } ?? "TLS version \(rawValue)"
    }
}
