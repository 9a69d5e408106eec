import Endpoints
import Foundation
import NetworkSupport
import NetworkTransport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The trust policies of a session manager, which decide on a server's certificate when `URLSession` asks for it.
struct URLSessionTrust: Sendable {
    /// The policies that `URLSession` can apply on a platform.
    enum Support: Sendable {
        /// Only the default policy, the system's authorities: `URLSession` never asks for a decision.
        case defaultPolicy
        /// Policies on the server's certificate, and one minimum TLS version for all hosts.
        case serverCertificates
    }

    private let table: TrustTable

    /// Loads the policies.
    ///
    /// - Parameter support: What the platform supports. Default: the current platform.
    /// - Throws: ``TransportError/Code/trustUnavailable`` for policies that cannot be loaded, and for those that `URLSession` does
    ///   not support: on Linux every policy except the default one; elsewhere an identity from PEM, and minimum TLS versions that
    ///   differ between hosts.
    init(_ configuration: SessionConfiguration, support: Support = .platform) throws(TransportError) {
        if support == .defaultPolicy { try Self.requireDefaults(configuration) }
        table = try TrustTable(configuration)
        for trust in table.all {
            if trust.identity != nil {
                throw TrustError("URLSession does not support a client identity in PEM").transportError(of: trust.subject)
            }
            if trust.minimumTLSVersion != table.standard.minimumTLSVersion {
                throw TrustError("URLSession has one minimumTLSVersion for all hosts").transportError(of: trust.subject)
            }
        }
    }

    private static func requireDefaults(_ configuration: SessionConfiguration) throws(TransportError) {
        let policies =
            [("trust", configuration.trust)] + configuration.trustByHost.map { ("trustByHost[\"\($0.key)\"]", $0.value) }
        for (subject, policy) in policies where policy != TrustPolicy() {
            throw TrustError("URLSession on Linux cannot enforce a trust policy; SocketSessionManager can").transportError(
                of: subject)
        }
    }

    /// The oldest version of TLS that the session accepts.
    var minimumTLSVersion: TLSVersion { table.standard.minimumTLSVersion }

    /// Checks that the policy that a request requires is the policy of its host.
    ///
    /// - Throws: ``TransportError/Code/trustUnavailable`` if they differ.
    func admit(_ request: NetworkRequest) throws(TransportError) {
        _ = try table.trust(for: request)
    }

    /// Whether the certificate of the request's host was verified.
    func isVerified(_ request: NetworkRequest) -> Bool {
        guard let trust = try? table.trust(for: request) else { return false }
        if case .anyone = trust.roots { return false }
        return true
    }

    /// Decides on a server's certificate by the policy of the request's host.
    ///
    /// - Parameter certificate: `nil` if the system does not pass it. Only the default policy is sufficient then.
    /// - Returns: ``ChallengeDecision/defaultHandling`` with the default policy, as the system's own checks are sufficient; otherwise
    ///   ``ChallengeDecision/trustServer`` if all checks of the policy have passed.
    /// - Throws: ``TransportError/Code/tlsFailed`` if a check fails, ``TransportError/Code/trustUnavailable`` if there is no
    ///   certificate, or if the roots cannot be set.
    func decision(
        on certificate: (any ServerCertificate)?, of request: NetworkRequest
    ) throws(TransportError) -> ChallengeDecision {
        let trust = try table.trust(for: request)
        if trust.isDefault { return .defaultHandling }
        guard let certificate else {
            throw TransportError(.trustUnavailable, "URLSession passes no certificate", phase: .tls, request: request)
        }
        switch trust.roots {
        case .anyone: break
        case .system: try verify(certificate, of: request)
        case .certificates(let roots, let andSystem):
            guard certificate.setRoots(roots, andSystem: andSystem) else {
                throw TransportError(.trustUnavailable, "the roots cannot be set", phase: .tls, request: request)
            }
            try verify(certificate, of: request)
        }
        if !trust.pins.isEmpty {
            // Of a chain that is not verified, the server has proven to own the first key only.
            let counted = if case .anyone = trust.roots { certificate.chain.prefix(1) } else { certificate.chain[...] }
            let keys = counted.compactMap { X509Certificate.publicKeyInfo(in: $0) }
            guard keys.contains(where: { trust.pins.contains(SHA256.digest(of: $0)) }) else {
                throw TransportError(
                    .tlsFailed, "no key of the server's certificate chain is pinned", phase: .tls, request: request,
                    tlsFailure: .pinMismatch)
            }
        }
        return .trustServer
    }

    private func verify(_ certificate: any ServerCertificate, of request: NetworkRequest) throws(TransportError) {
        guard let failure = certificate.verify() else { return }
        throw TransportError(
            .tlsFailed, failure.message, phase: .tls, request: request,
            tlsFailure: TLSFailure(securityResult: failure.code))
    }
}

/// A server's certificate, with the platform's functions to check it: those of `SecTrust` on Apple platforms.
protocol ServerCertificate {
    /// Sets the authorities to verify against.
    ///
    /// - Parameters:
    ///   - roots: The certificates of authorities, in DER.
    ///   - andSystem: Whether the system's authorities count too.
    /// - Returns: Whether all of them could be set.
    func setRoots(_ roots: [[UInt8]], andSystem: Bool) -> Bool

    /// Verifies the chain, the dates and the server's name. Returns `nil` if the certificate is trusted.
    func verify() -> CertificateFailure?

    /// The certificates in DER, the server's own first, followed by those up to the root if the chain was verified.
    var chain: [[UInt8]] { get }
}

/// The reason why a server's certificate is not trusted.
struct CertificateFailure: Sendable {
    /// The result code of Apple's Security framework; `nil` if it is not known.
    var code: Int?
    var message: String
}

extension TLSFailure {
    /// Creates the failure for a result code of Apple's Security framework
    /// (<https://developer.apple.com/documentation/security/security-framework-result-codes>).
    init(securityResult code: Int?) {
        switch code {
        // errSecCertificateExpired
        case -67818: self = .certificateExpired
        // errSecCertificateNotValidYet
        case -67819: self = .certificateNotYetValid
        // errSecHostNameMismatch
        case -67602: self = .wrongHost
        // errSecNotTrusted, errSecCreateChainFailed
        case -67843, -25318: self = .unknownIssuer
        // errSecCertificateRevoked
        case -67820: self = .certificateRevoked
        default: self = .other
        }
    }
}
