import Foundation

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
