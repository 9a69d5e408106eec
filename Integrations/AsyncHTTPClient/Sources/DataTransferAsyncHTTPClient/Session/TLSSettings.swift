import NIOSSL
import NetworkCore
@_spi(SessionManagers) import NetworkTransport

/// A trust policy as settings of swift-nio-ssl.
enum TLSSettings {
    static func configuration(_ trust: TrustRequirements) throws(TransportError) -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        guard trust.minimumTLSVersion <= .v1_3 else {
            throw TransportError(
                .trustUnavailable, "trust.minimumTLSVersion is \(trust.minimumTLSVersion); TLS 1.3 is the newest")
        }
        configuration.minimumTLSVersion = trust.minimumTLSVersion > .v1_2 ? .tlsv13 : .tlsv12
        guard trust.pins.isEmpty else {
            throw TransportError(
                .trustUnavailable,
                "trust.pins: async-http-client does not compare public keys; SocketSessionManager has this option")
        }
        do {
            switch trust.roots {
            case .system: break
            case .anyone: configuration.certificateVerification = .none
            case .certificates(let certificates, let andSystem):
                let roots = try certificates.map { try NIOSSLCertificate(bytes: $0, format: .der) }
                if andSystem {
                    configuration.additionalTrustRoots = [.certificates(roots)]
                } else {
                    configuration.trustRoots = .certificates(roots)
                }
            }
            if let identity = trust.identity, let container = identity.container {
                let bundle = try NIOSSLPKCS12Bundle(buffer: container, passphrase: Array(identity.passphrase.utf8))
                configuration.certificateChain = bundle.certificateChain.map { .certificate($0) }
                configuration.privateKey = .privateKey(bundle.privateKey)
            } else if let identity = trust.identity {
                configuration.certificateChain = try NIOSSLCertificate.fromPEMBytes(identity.certificates).map {
                    .certificate($0)
                }
                let passphrase = Array(identity.passphrase.utf8)
                // Without the callback, BoringSSL would ask at the terminal.
                let key = try NIOSSLPrivateKey(bytes: identity.key, format: .pem) { $0(passphrase) }
                configuration.privateKey = .privateKey(key)
            }
        } catch {
            throw TransportError(.trustUnavailable, "trust: \(error)", underlying: error)
        }
        return configuration
    }
}
