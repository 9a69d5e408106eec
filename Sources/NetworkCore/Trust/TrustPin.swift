import Foundation

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
