import NetworkLogging

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
