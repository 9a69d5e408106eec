import Foundation

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
