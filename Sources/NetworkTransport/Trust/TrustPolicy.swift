import Foundation
import NetworkLogging
import NetworkSupport

/// The rules by which a server is verified over TLS, and the client certificate that is presented to it.
///
/// ```swift
/// SessionConfiguration {
///     $0.trust = TrustPolicy(minimumTLSVersion: .v1_3)
///     $0.trustByHost["internal.example"] = TrustPolicy(
///         roots: .pem(.file(authority)),
///         pins: [.publicKey(sha256: current), .publicKey(sha256: backup)])
/// }
/// ```
///
/// All files are loaded when the session manager is created. If something cannot be loaded, is damaged, or cannot be enforced by
/// the session manager, each of its requests fails with ``TransportError/Code/trustUnavailable`` before a byte is sent.
///
/// A policy applies to `https` only: over `http` there is nothing to verify.
public struct TrustPolicy: Sendable, Hashable {
    /// The certificate authorities that are trusted. Default: those of the system.
    public var roots: TrustRoots
    /// The public keys, one of which a certificate of the verified chain must contain: the server's own, its authority's, or one between them (RFC 7469
    /// §2.6). With ``TrustRoots/insecureWithoutVerification``, it must be the server's own. `nil`
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
}

/// The certificate authorities that are trusted to issue a server's certificate.
public struct TrustRoots: Sendable, Hashable {
    package enum Choice: Sendable, Hashable {
        case system
        case only(TrustMaterial)
        case systemAnd(TrustMaterial)
        case anyone
    }

    package let choice: Choice

    /// The certificate authorities that this machine trusts.
    ///
    /// On Linux, they are read from the files and folders that the environment variables `SSL_CERT_FILE` and `SSL_CERT_DIR` name, as other programs with
    /// OpenSSL do; else from the first of these files that can be read: `/etc/ssl/certs/ca-certificates.crt`,
    /// `/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem`, `/etc/pki/tls/certs/ca-bundle.crt`, `/etc/ssl/ca-bundle.pem`, `/etc/ssl/cert.pem`; else from
    /// the folder `/etc/ssl/certs`. If none can be read, that is an error.
    public static let system = Self(choice: .system)

    /// Trusts only these certificates in PEM, and not those of the system: `.pem(.file(url))`. Each one counts as a root, whether it
    /// is self-signed or not.
    public static func pem(_ material: TrustMaterial) -> Self { Self(choice: .only(material)) }

    /// Trusts the system's authorities, and these certificates in PEM: `.systemAnd(pem: .file(url))`.
    ///
    /// See ``system`` for where they are.
    public static func systemAnd(pem: TrustMaterial) -> Self { Self(choice: .systemAnd(pem)) }

    /// Accepts any certificate for any host name: an attacker on the network can read and change everything. Pins are still
    /// checked.
    public static let insecureWithoutVerification = Self(choice: .anyone)

    /// The files in which Linux distributions keep the authorities that they trust: Debian, Fedora, Alpine, SUSE.
    package static let systemFiles = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
        "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem",
    ]
    /// Folders with certificates that have OpenSSL's names of files.
    package static let systemFolders = ["/etc/ssl/certs"]
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

/// The source of a certificate or a key, which is read once, when the session manager is created.
///
/// Descriptions contain the path or the size, never the bytes.
public struct TrustMaterial: Sendable, Hashable {
    enum Source: Sendable, Hashable {
        case file(URL)
        case data(Data)
        /// A resource that does not exist in the bundle.
        case missing(String)
    }

    let source: Source

    /// The certificate or key in a file on disk.
    public static func file(_ url: URL) -> Self { Self(source: .file(url)) }

    /// The certificate or key as bytes in memory.
    public static func data(_ data: Data) -> Self { Self(source: .data(data)) }

    /// A resource of a bundle, by its full name: `.file(bundle: .main, name: "authority.pem")`.
    public static func file(bundle: Bundle, name: String) -> Self {
        guard let url = bundle.url(forResource: name, withExtension: nil) else { return Self(source: .missing(name)) }
        return .file(url)
    }

    /// The maximum number of bytes that are read, which is more than any list of authorities needs.
    static let maximumBytes = 16 << 20

    /// Reads the certificate or key.
    ///
    /// - Throws: ``TrustError`` if there is nothing to read, or more than ``maximumBytes``.
    package func load() throws(TrustError) -> Data {
        let data: Data
        switch source {
        case .data(let bytes): data = bytes
        case .missing(let name): throw TrustError("the bundle has no file \"\(name)\"")
        case .file(let url):
            guard url.isFileURL else { throw TrustError("\(self) is not a file URL") }
            do {
                let file = try FileHandle(forReadingFrom: url)
                data = try file.read(upToCount: Self.maximumBytes + 1) ?? Data()
                try file.close()
            } catch {
                throw TrustError(
                    "\(self) cannot be read: \((error as NSError).localizedFailureReason ?? "\((error as NSError).code)")")
            }
        }
        guard !data.isEmpty else { throw TrustError("\(self) is empty") }
        guard data.count <= Self.maximumBytes else { throw TrustError("\(self) is larger than \(Self.maximumBytes) bytes") }
        return data
    }
}

extension TrustMaterial: RedactedStringConvertible {
    /// The path of the file or the number of bytes, never the bytes.
    public var description: String {
        switch source {
        case .file(let url): url.isFileURL ? url.path : "the given URL"
        case .data(let data): "\(data.count) bytes"
        case .missing(let name): name
        }
    }
}

/// A public key that a certificate of a server's chain may contain, for public key pinning.
///
/// A key is identified by the SHA-256 of its `SubjectPublicKeyInfo` (RFC 7469 §2.4), so a pin stays valid when the certificate is
/// renewed with the same key. This command prints it: `openssl x509 -in server.pem -pubkey -noout | openssl pkey -pubin -outform
/// der | openssl dgst -sha256 -binary | base64`. The pin of an authority trusts all servers to which it issues certificates for the host.
public struct TrustPin: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case base64(String)
        case digest(Data)
        case certificate(TrustMaterial)
    }

    package let kind: Kind

    /// The SHA-256 of the key in base64, also in the form `sha256//…` (libcurl) or `sha256/…` (OkHttp).
    public static func publicKey(sha256 text: String) -> Self { Self(kind: .base64(text)) }

    /// The SHA-256 of the key, as 32 bytes.
    public static func publicKey(sha256 digest: Data) -> Self { Self(kind: .digest(digest)) }

    /// The key of a certificate in DER, or in PEM that contains exactly one certificate: `.certificate(.file(url))`.
    public static func certificate(_ material: TrustMaterial) -> Self { Self(kind: .certificate(material)) }

    /// Reads the pin, and checks its length.
    ///
    /// - Returns: The SHA-256 of the key, 32 bytes.
    package func load() throws(TrustError) -> [UInt8] {
        switch kind {
        case .digest(let digest):
            guard digest.count == SHA256.byteCount else {
                throw TrustError("a pin has \(digest.count) bytes instead of \(SHA256.byteCount)")
            }
            return Array(digest)
        case .base64(let text):
            let digits = ["sha256//", "sha256/"].first(where: text.hasPrefix).map { text.dropFirst($0.count) } ?? text[...]
            guard let digest = Data(base64Encoded: String(digits)), digest.count == SHA256.byteCount else {
                throw TrustError("the pin \"\(text)\" is not the base64 of \(SHA256.byteCount) bytes")
            }
            return Array(digest)
        case .certificate(let material):
            let data = try material.load()
            let certificates = try PEMText.looksLikePEM(data) ? PEMText.certificates(in: data, of: material) : [Array(data)]
            guard certificates.count == 1, let key = X509Certificate.publicKeyInfo(in: certificates[0]) else {
                let what =
                    certificates.count == 1
                    ? "is not a certificate" : "contains \(certificates.count) certificates instead of one"
                throw TrustError("\(material) \(what)")
            }
            return SHA256.digest(of: key)
        }
    }
}

/// A client certificate and its private key, presented to a server that requests one (mutual TLS).
///
/// It is for `SocketSessionManager`: with one in a policy, each request of a `URLSessionManager` fails
/// (``TransportError/Code/trustUnavailable``).
///
/// Descriptions contain neither the key nor the passphrase. Both stay in memory while the session manager exists.
public struct ClientIdentity: Sendable, Hashable {
    let certificate: TrustMaterial
    package let key: TrustMaterial
    /// Whether ``certificate`` is a PKCS #12 container, which also has the key.
    let isContainer: Bool
    @Secret package var passphrase: String?

    /// Creates an identity from a certificate and a key in a PKCS #12 container (RFC 7292): a file with the extension `p12` or `pfx`.
    ///
    /// - Parameters:
    ///   - container: The container, with one private key, its certificate, and the intermediate ones that lead to its authority.
    ///   - passphrase: The passphrase of the container. Default: none.
    public init(pkcs12 container: TrustMaterial, passphrase: String? = nil) {
        certificate = container
        key = container
        isContainer = true
        self.passphrase = passphrase
        if let passphrase { SecretValues.insert(passphrase) }
    }

    /// Creates an identity from a certificate and a key.
    ///
    /// - Parameters:
    ///   - certificate: The certificates in PEM: the client's own first, then the intermediate ones that lead to its authority.
    ///   - key: The private key in PEM, which may be encrypted (PKCS #8, or with the header fields of RFC 1421). Default: in the same PEM as the certificate.
    ///   - passphrase: The passphrase of an encrypted key. An encrypted key without a passphrase is an error.
    public init(certificate: TrustMaterial, key: TrustMaterial? = nil, passphrase: String? = nil) {
        self.certificate = certificate
        self.key = key ?? certificate
        isContainer = false
        self.passphrase = passphrase
        if let passphrase { SecretValues.insert(passphrase) }
    }

    package func load() throws(TrustError) -> LoadedIdentity {
        if isContainer {
            try checkPassphrase()
            return LoadedIdentity(form: .container(StableBytes(Array(try certificate.load()))), passphrase: passphrase ?? "")
        }
        let certificates = try PEMText.certificates(in: try certificate.load(), of: certificate)
        let data = try key.load()
        let blocks = try PEMText.blocks(in: data, of: key).filter { $0.label.hasSuffix("PRIVATE KEY") }
        guard blocks.count == 1, let block = blocks.first else {
            throw TrustError("\(key) contains \(blocks.count) private keys instead of one")
        }
        guard passphrase != nil || !block.isEncrypted else {
            throw TrustError("the key in \(key) is encrypted, and no passphrase is given")
        }
        try checkPassphrase()
        return LoadedIdentity(
            form: .separate(certificates: certificates, key: StableBytes(block.text)), passphrase: passphrase ?? "")
    }

    private func checkPassphrase() throws(TrustError) {
        guard let passphrase, passphrase.utf8.contains(0) || passphrase.utf8.count > 1023 else { return }
        throw TrustError("the passphrase of the client identity contains NUL, or is longer than 1023 bytes")
    }
}

extension ClientIdentity: RedactedStringConvertible {
    /// The sources of the certificate and the key, without the key and the passphrase.
    public var description: String { "certificate \(certificate), key \(key)" }
}
