import Foundation
import NetworkLogging

/// Where a certificate or a key is read from, once, when the session manager is made.
///
/// Descriptions show the file or the size, never the bytes.
public struct TrustMaterial: Sendable, Hashable {
    enum Source: Sendable, Hashable {
        case file(URL)
        case data(Data)
        /// A resource that the bundle does not have.
        case missing(String)
    }

    let source: Source

    /// A file on disk.
    public static func file(_ url: URL) -> Self { Self(source: .file(url)) }

    /// The bytes themselves.
    public static func data(_ data: Data) -> Self { Self(source: .data(data)) }

    /// A resource by its whole name: `.file(bundle: .main, name: "authority.pem")`.
    public static func file(bundle: Bundle, name: String) -> Self {
        guard let url = bundle.url(forResource: name, withExtension: nil) else { return Self(source: .missing(name)) }
        return .file(url)
    }

    /// More than any list of authorities takes.
    static let maximumBytes = 16 << 20

    /// - Throws: ``TrustFlaw`` where there is nothing to read, or too much.
    func load() throws(TrustFlaw) -> Data {
        let data: Data
        switch source {
        case .data(let bytes): data = bytes
        case .missing(let name): throw TrustFlaw("the bundle has no file \"\(name)\"")
        case .file(let url):
            guard url.isFileURL else { throw TrustFlaw("\(self) is not a file URL") }
            do {
                let file = try FileHandle(forReadingFrom: url)
                data = try file.read(upToCount: Self.maximumBytes + 1) ?? Data()
                try file.close()
            } catch {
                throw TrustFlaw(
                    "\(self) cannot be read: \((error as NSError).localizedFailureReason ?? "\((error as NSError).code)")")
            }
        }
        guard !data.isEmpty else { throw TrustFlaw("\(self) is empty") }
        guard data.count <= Self.maximumBytes else { throw TrustFlaw("\(self) is larger than \(Self.maximumBytes) bytes") }
        return data
    }
}

extension TrustMaterial: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The path of the file, or the number of bytes.
    public var description: String {
        switch source {
        case .file(let url): url.isFileURL ? url.path : "the given URL"
        case .data(let data): "\(data.count) bytes"
        case .missing(let name): name
        }
    }

    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Holds ``description`` alone.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

/// A public key that a server's own certificate may hold.
///
/// Keys are told apart by the SHA-256 of their `SubjectPublicKeyInfo` (RFC 7469 §2.4), so a pin survives a renewed certificate
/// as long as the key stays. `openssl x509 -in server.pem -pubkey -noout | openssl pkey -pubin -outform der | openssl dgst -sha256
/// -binary | base64` prints it. A key of an authority is no pin here: it would never match.
public struct TrustPin: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        case base64(String)
        case digest(Data)
        case certificate(TrustMaterial)
    }

    let kind: Kind

    /// The SHA-256 in base64, also as `sha256//…` (libcurl) or `sha256/…` (OkHttp).
    public static func publicKey(sha256 text: String) -> Self { Self(kind: .base64(text)) }

    /// The 32 bytes of the SHA-256.
    public static func publicKey(sha256 digest: Data) -> Self { Self(kind: .digest(digest)) }

    /// The key of a certificate in a PEM file, with this one certificate, or a DER file.
    public static func certificate(file: URL) -> Self { Self(kind: .certificate(.file(file))) }

    /// The key of a certificate in PEM or DER.
    public static func certificate(data: Data) -> Self { Self(kind: .certificate(.data(data))) }

    /// The key of a certificate in a PEM or DER file of a bundle, by its whole name: `.file(bundle: .main, name: "server.cer")`.
    public static func file(bundle: Bundle, name: String) -> Self {
        Self(kind: .certificate(.file(bundle: bundle, name: name)))
    }

    /// - Returns: 32 bytes.
    func load() throws(TrustFlaw) -> [UInt8] {
        switch kind {
        case .digest(let digest):
            guard digest.count == SHA256.byteCount else {
                throw TrustFlaw("a pin has \(digest.count) bytes instead of \(SHA256.byteCount)")
            }
            return Array(digest)
        case .base64(let text):
            let digits = ["sha256//", "sha256/"].first(where: text.hasPrefix).map { text.dropFirst($0.count) } ?? text[...]
            guard let digest = Data(base64Encoded: String(digits)), digest.count == SHA256.byteCount else {
                throw TrustFlaw("the pin \"\(text)\" is not the base64 of \(SHA256.byteCount) bytes")
            }
            return Array(digest)
        case .certificate(let material):
            let data = try material.load()
            let certificates = try PEMText.looksLikePEM(data) ? PEMText.certificates(in: data, of: material) : [Array(data)]
            guard certificates.count == 1, let key = X509Certificate.publicKeyInfo(in: certificates[0]) else {
                let what =
                    certificates.count == 1 ? "is no certificate" : "holds \(certificates.count) certificates instead of one"
                throw TrustFlaw("\(material) \(what)")
            }
            return SHA256.digest(of: key)
        }
    }
}

/// A certificate and its private key, shown to a server that asks who the client is (mutual TLS).
///
/// Descriptions show neither key nor passphrase. Both stay in memory as long as the session manager.
public struct ClientIdentity: Sendable, Hashable {
    let certificate: TrustMaterial
    let key: TrustMaterial
    let passphrase: String?

    /// - Parameters:
    ///   - certificate: PEM, the client's own certificate first, then those that lead from it to its authority.
    ///   - key: PEM, also encrypted.
    ///   - passphrase: Of an encrypted key; without it, such a key is an error.
    public init(certificate: TrustMaterial, key: TrustMaterial, passphrase: String? = nil) {
        self.certificate = certificate
        self.key = key
        self.passphrase = passphrase
        if let passphrase { SecretValues.insert(passphrase) }
    }

    /// Certificate and key in the same PEM.
    public init(pem: TrustMaterial, passphrase: String? = nil) {
        self.init(certificate: pem, key: pem, passphrase: passphrase)
    }

    func load() throws(TrustFlaw) -> LoadedIdentity {
        let certificates = try PEMText.certificates(in: try certificate.load(), of: certificate)
        let data = try key.load()
        let blocks = try PEMText.blocks(in: data, of: key).filter { $0.label.hasSuffix("PRIVATE KEY") }
        guard blocks.count == 1, let block = blocks.first else {
            throw TrustFlaw("\(key) holds \(blocks.count) private keys instead of one")
        }
        guard passphrase != nil || !block.isEncrypted else {
            throw TrustFlaw("the key in \(key) is encrypted, and no passphrase is given")
        }
        if let passphrase, passphrase.utf8.contains(0) || passphrase.utf8.count > 1023 {
            throw TrustFlaw("the passphrase of the client identity has a NUL, or more than 1023 bytes")
        }
        return LoadedIdentity(
            certificates: StableBytes(Array(PEMText.text(certificates).utf8)), key: StableBytes(block.text),
            passphrase: passphrase ?? "")
    }
}

extension ClientIdentity: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Where certificate and key come from; neither key nor passphrase.
    public var description: String { "certificate \(certificate), key \(key)" }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Holds ``description`` alone.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
