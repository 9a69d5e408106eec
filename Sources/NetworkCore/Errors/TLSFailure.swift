import Foundation

/// Which check of TLS failed. The vocabulary is open.
public struct TLSFailure: RawRepresentable, Sendable, Hashable {
    /// A short name, for logs and counters.
    public var rawValue: String

    /// Makes a cause that is not among those named here.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The server's certificate, or one above it, has expired.
    public static let certificateExpired = Self(rawValue: "certificateExpired")
    /// The server's certificate, or one above it, is not valid yet; this machine's clock may be wrong.
    public static let certificateNotYetValid = Self(rawValue: "certificateNotYetValid")
    /// The server's certificate is for another host.
    public static let wrongHost = Self(rawValue: "wrongHost")
    /// The server's certificate names no host in its subject alternative names; its common name does not count (RFC 9525 §6.3).
    public static let missingAlternativeName = Self(rawValue: "missingAlternativeName")
    /// No trusted authority stands behind the server's certificate.
    public static let unknownIssuer = Self(rawValue: "unknownIssuer")
    /// The server's certificate is signed by itself, and not among the roots.
    public static let selfSigned = Self(rawValue: "selfSigned")
    /// The server's certificate, or one above it, was revoked.
    public static let certificateRevoked = Self(rawValue: "certificateRevoked")
    /// The server's key is none of the pinned ones.
    public static let pinMismatch = Self(rawValue: "pinMismatch")
    /// The server wants a client certificate, and got none. TLS 1.3 servers say so after the handshake; one that resets the
    /// connection right behind its word may leave no more than ``TransportError/Code/connectionLost``.
    public static let clientCertificateRequired = Self(rawValue: "clientCertificateRequired")
    /// The server does not accept the client's certificate.
    public static let clientCertificateRejected = Self(rawValue: "clientCertificateRejected")
    /// Both sides have no version of TLS in common that the policy allows.
    public static let protocolVersion = Self(rawValue: "protocolVersion")
    /// The server gave up the handshake without saying more: no common cipher, or, before TLS 1.3, a missing client certificate.
    public static let handshakeRefused = Self(rawValue: "handshakeRefused")
    /// Any other cause; the message says more.
    public static let other = Self(rawValue: "other")
}

extension TLSFailure: CustomStringConvertible {
    /// What failed, in words.
    public var description: String {
        switch self {
        case .certificateExpired: "the server's certificate has expired"
        case .certificateNotYetValid: "the server's certificate is not valid yet"
        case .wrongHost: "the server's certificate is for another host"
        case .missingAlternativeName: "the server's certificate has no subject alternative name"
        case .unknownIssuer: "no trusted authority stands behind the server's certificate"
        case .selfSigned: "the server's certificate is self-signed"
        case .certificateRevoked: "the server's certificate was revoked"
        case .pinMismatch: "the server's key is none of the pinned ones"
        case .clientCertificateRequired: "the server requires a client certificate"
        case .clientCertificateRejected: "the server rejects the client certificate"
        case .protocolVersion: "no common version of TLS"
        case .handshakeRefused: "the server refused the handshake"
        case .other: "TLS failed"
        default: rawValue
        }
    }
}

extension TLSFailure {
    /// What a check of the certificate says, by OpenSSL's number for it (`X509_V_ERR_…`, openssl-verification-options(1)).
    init(verifyResult: Int) {
        switch verifyResult {
        case 9: self = .certificateNotYetValid
        case 10: self = .certificateExpired
        case 18: self = .selfSigned
        // Among them a chain that ends in a self-signed certificate which is not a root here.
        case 2, 19, 20, 21, 27: self = .unknownIssuer
        case 23: self = .certificateRevoked
        case 62, 64: self = .wrongHost
        default: self = .other
        }
    }

    /// What a server says before it ends TLS, by the number of its alert (RFC 8446 §6.2); `nil` where that is no check of ours or theirs.
    init?(alert: Int) {
        switch alert {
        case 116: self = .clientCertificateRequired
        case 42, 43, 44, 45, 46, 48, 49, 51: self = .clientCertificateRejected
        case 70: self = .protocolVersion
        case 40, 71: self = .handshakeRefused
        default: return nil
        }
    }

    /// What libcurl and OpenSSL say in words only; `nil` where they say nothing of the kind.
    init?(words message: String) {
        let words: [(String, TLSFailure)] = [
            ("certificate subject name", .wrongHost),
            ("no alternative certificate", .wrongHost),
            ("hostname mismatch", .wrongHost),
            ("IP address mismatch", .wrongHost),
            ("pinned public key", .pinMismatch),
            ("alert certificate required", .clientCertificateRequired),
            ("alert bad certificate", .clientCertificateRejected),
            ("alert unsupported certificate", .clientCertificateRejected),
            ("alert certificate", .clientCertificateRejected),
            ("alert unknown ca", .clientCertificateRejected),
            ("alert access denied", .clientCertificateRejected),
            ("alert decrypt error", .clientCertificateRejected),
            ("alert protocol version", .protocolVersion),
            ("unsupported protocol", .protocolVersion),
            ("no protocols available", .protocolVersion),
            ("version too low", .protocolVersion),
            ("alert handshake failure", .handshakeRefused),
            ("alert insufficient security", .handshakeRefused),
            ("certificate has expired", .certificateExpired),
            ("certificate is not yet valid", .certificateNotYetValid),
            ("self-signed certificate in certificate chain", .unknownIssuer),
            ("self signed certificate in certificate chain", .unknownIssuer),
            ("self-signed certificate", .selfSigned),
            ("self signed certificate", .selfSigned),
            ("certificate revoked", .certificateRevoked),
            ("unable to get local issuer", .unknownIssuer),
            ("unable to get issuer", .unknownIssuer),
        ]
        for (word, failure) in words where message.range(of: word, options: .caseInsensitive) != nil {
            self = failure
            return
        }
        return nil
    }
}
