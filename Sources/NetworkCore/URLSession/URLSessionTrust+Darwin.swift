#if canImport(Darwin)
    import Foundation
    import Security

    /// The trust policies of a session manager, enforced when `URLSession` asks about a server's certificate.
    struct URLSessionTrust: Sendable {
        private let table: TrustTable

        /// - Throws: ``TransportError/Code/trustUnavailable`` for what cannot be loaded, and for what `URLSession` cannot do: an
        ///   identity from PEM, and minimum versions that differ between hosts.
        init(_ configuration: SessionConfiguration) throws(TransportError) {
            table = try TrustTable(configuration)
            for trust in table.all {
                if trust.identity != nil {
                    throw TrustFlaw("URLSession takes no client identity in PEM").transportError(of: trust.subject)
                }
                if trust.minimumTLSVersion != table.standard.minimumTLSVersion {
                    throw TrustFlaw("URLSession has one minimumTLSVersion for all hosts").transportError(of: trust.subject)
                }
            }
        }

        /// - Throws: ``TransportError/Code/trustUnavailable`` for a request whose API states another policy than its host has.
        func admit(_ request: NetworkRequest) throws(TransportError) {
            _ = try table.trust(for: request)
        }

        func govern(_ configuration: URLSessionConfiguration) {
            configuration.tlsMinimumSupportedProtocolVersion =
                tls_protocol_version_t(rawValue: table.standard.minimumTLSVersion.rawValue) ?? .TLSv12
        }

        /// `nil` where the system's own check is all that is asked for.
        ///
        /// - Throws: The check that failed.
        func credential(for server: SecTrust, of request: NetworkRequest) throws(TransportError) -> URLCredential? {
            let trust = try table.trust(for: request)
            if trust.isDefault { return nil }
            func failed(_ failure: TLSFailure, _ message: String) -> TransportError {
                TransportError(.tlsFailed, message, phase: .tls, request: request, tlsFailure: failure)
            }
            switch trust.roots {
            case .anyone: break
            case .system: try check(server, failed)
            case .certificates(let certificates, let andSystem):
                let anchors = certificates.compactMap { SecCertificateCreateWithData(nil, Data($0) as CFData) }
                guard anchors.count == certificates.count,
                    SecTrustSetAnchorCertificates(server, anchors as CFArray) == errSecSuccess,
                    SecTrustSetAnchorCertificatesOnly(server, !andSystem) == errSecSuccess
                else { throw TransportError(.trustUnavailable, "the roots are not accepted", phase: .tls, request: request) }
                try check(server, failed)
            }
            if !trust.pins.isEmpty {
                let chain = SecTrustCopyCertificateChain(server) as? [SecCertificate]
                let key = chain?.first.flatMap { X509Certificate.publicKeyInfo(in: Array(SecCertificateCopyData($0) as Data)) }
                guard let key, trust.pins.contains(SHA256.digest(of: key)) else {
                    throw failed(.pinMismatch, "pinned public key does not match")
                }
            }
            return URLCredential(trust: server)
        }

        private func check(
            _ server: SecTrust, _ failed: (TLSFailure, String) -> TransportError
        ) throws(TransportError) {
            var error: CFError?
            guard !SecTrustEvaluateWithError(server, &error) else { return }
            let failure: TLSFailure =
                switch error.map({ OSStatus(truncatingIfNeeded: CFErrorGetCode($0)) }) {
                case errSecCertificateExpired: .certificateExpired
                case errSecCertificateNotValidYet: .certificateNotYetValid
                case errSecHostNameMismatch: .wrongHost
                case errSecNotTrusted, errSecCreateChainFailed: .unknownIssuer
                case errSecCertificateRevoked: .certificateRevoked
                default: .other
                }
            throw failed(failure, error.map { CFErrorCopyDescription($0) as String } ?? "the certificate is not trusted")
        }
    }
#endif
