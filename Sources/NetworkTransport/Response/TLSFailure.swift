import Foundation

/// The reason why a TLS connection could not be established. More values may be added in later versions.
public struct TLSFailure: RawRepresentable, Sendable, Hashable {
    /// A short name of the failure, for logs and metrics.
    public var rawValue: String

    /// Creates a failure with a name that is not defined here.
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
    /// The server's certificate was not issued by a trusted authority.
    public static let unknownIssuer = Self(rawValue: "unknownIssuer")
    /// The server's certificate is self-signed and is not a trusted root.
    public static let selfSigned = Self(rawValue: "selfSigned")
    /// The server's certificate, or one above it, was revoked.
    public static let certificateRevoked = Self(rawValue: "certificateRevoked")
    /// The server's public key matches none of the pinned keys.
    public static let pinMismatch = Self(rawValue: "pinMismatch")
    /// The server requires a client certificate and received none.
    ///
    /// A TLS 1.3 server reports this after the handshake. If it resets the connection right after this alert, the error may only
    /// be ``TransportError/Code/connectionLost``.
    public static let clientCertificateRequired = Self(rawValue: "clientCertificateRequired")
    /// The server does not accept the client's certificate.
    public static let clientCertificateRejected = Self(rawValue: "clientCertificateRejected")
    /// The client and the server have no TLS version in common that the trust policy allows.
    public static let protocolVersion = Self(rawValue: "protocolVersion")
    /// The server aborted the handshake without a specific reason: there is no common cipher suite, or, before TLS 1.3, a client
    /// certificate is missing.
    public static let handshakeRefused = Self(rawValue: "handshakeRefused")
    /// The server's first bytes are not TLS: the port is probably one for `http`, and the URL has `https`.
    public static let notTLS = Self(rawValue: "notTLS")
    /// Any other cause; the error's message has the details.
    public static let other = Self(rawValue: "other")
}

extension TLSFailure: CustomStringConvertible {
    /// A readable description of the failure.
    public var description: String {
        switch self {
        case .certificateExpired: "the server's certificate has expired"
        case .certificateNotYetValid: "the server's certificate is not valid yet"
        case .wrongHost: "the server's certificate is for another host"
        case .missingAlternativeName: "the server's certificate has no subject alternative name"
        case .unknownIssuer: "the server's certificate was not issued by a trusted authority"
        case .selfSigned: "the server's certificate is self-signed"
        case .certificateRevoked: "the server's certificate was revoked"
        case .pinMismatch: "the server's key matches none of the pinned keys"
        case .clientCertificateRequired: "the server requires a client certificate"
        case .clientCertificateRejected: "the server rejects the client certificate"
        case .protocolVersion: "no common version of TLS"
        case .handshakeRefused: "the server refused the handshake"
        case .notTLS: "the server does not speak TLS on this port, which may be one for http instead of https"
        case .other: "TLS failed"
        default: rawValue
        }
    }
}

extension TLSFailure {
    /// Creates the failure for a certificate verification result of OpenSSL (`X509_V_ERR_…`, openssl-verification-options(1)).
    package init(verifyResult: Int) {
        switch verifyResult {
        case 9: self = .certificateNotYetValid
        case 10: self = .certificateExpired
        case 18: self = .selfSigned
        // This includes a chain that ends in a self-signed certificate which is not a trusted root.
        case 2, 19, 20, 21, 27: self = .unknownIssuer
        case 23: self = .certificateRevoked
        case 62, 64: self = .wrongHost
        default: self = .other
        }
    }

    /// Creates the failure for the number of a TLS alert that the server sent (RFC 8446 §6.2); `nil` if the alert has no
    /// corresponding failure.
    package init?(alert: Int) {
        switch alert {
        case 116: self = .clientCertificateRequired
        case 42, 43, 44, 45, 46, 48, 49, 51: self = .clientCertificateRejected
        case 70: self = .protocolVersion
        case 40, 71: self = .handshakeRefused
        default: return nil
        }
    }

    /// Creates the failure for an error message of libcurl or OpenSSL, for the number of OpenSSL's reason in it, and for causes that they report only as
    /// text; `nil` if the message contains neither a known number nor a known phrase.
    package init?(words message: String) {
        // SSL_R_WRONG_VERSION_NUMBER, SSL_R_HTTP_REQUEST and SSL_R_HTTPS_PROXY_REQUEST.
        if let reason = Self.reason(in: message), [267, 156, 155].contains(reason) {
            self = .notTLS
            return
        }
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

    /// Returns the reason of an error of OpenSSL's TLS library (number 20) from the number in its message, such as `error:0A00010B:SSL routines::wrong version
    /// number`; `nil` for other errors. The reason has 23 bits since OpenSSL 3.0, and 12 before (ERR_GET_REASON(3)).
    private static func reason(in message: String) -> UInt32? {
        guard let start = message.range(of: "error:", options: .backwards),
            let number = UInt32(message[start.upperBound...].prefix { $0.isHexDigit }, radix: 16)
        else { return nil }
        if number >> 24 == 20 { return number & 0xFFF }
        return number >> 23 == 20 ? number & 0x7F_FFFF : nil
    }
}
