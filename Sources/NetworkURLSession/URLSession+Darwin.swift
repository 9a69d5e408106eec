#if canImport(Darwin)
    import Foundation
    import Security
    import NetworkTransport

    extension URLSessionTrust.Support {
        static let platform = Self.serverCertificates
    }

    extension URLSessionTrust {
        func govern(_ configuration: URLSessionConfiguration) {
            configuration.tlsMinimumSupportedProtocolVersion =
                tls_protocol_version_t(rawValue: minimumTLSVersion.rawValue) ?? .TLSv12
        }
    }

    /// The certificate of a server, as Security checks it.
    private struct SecurityCertificate: ServerCertificate {
        let trust: SecTrust

        func setRoots(_ roots: [[UInt8]], andSystem: Bool) -> Bool {
            let anchors = roots.compactMap { SecCertificateCreateWithData(nil, Data($0) as CFData) }
            return anchors.count == roots.count
                && SecTrustSetAnchorCertificates(trust, anchors as CFArray) == errSecSuccess
                && SecTrustSetAnchorCertificatesOnly(trust, !andSystem) == errSecSuccess
        }

        func verify() -> CertificateFailure? {
            var error: CFError?
            if SecTrustEvaluateWithError(trust, &error) { return nil }
            return CertificateFailure(
                code: error.map { CFErrorGetCode($0) },
                message: error.map { CFErrorCopyDescription($0) as String } ?? "the certificate is not trusted")
        }

        var chain: [[UInt8]] {
            let chain = SecTrustCopyCertificateChain(trust) as? [SecCertificate] ?? []
            return chain.map { Array(SecCertificateCopyData($0) as Data) }
        }
    }

    extension URLSessionTask {
        /// Stops receiving the response, or continues. What was received before is still delivered.
        func setReceivingPaused(_ isPaused: Bool) {
            if isPaused { suspend() } else { resume() }
        }
    }

    extension URLSessionExchange {
        /// Returns the response to an authentication challenge.
        func disposition(
            of challenge: URLAuthenticationChallenge
        ) -> (URLSession.AuthChallengeDisposition, URLCredential?) {
            let space = challenge.protectionSpace
            guard space.authenticationMethod == NSURLAuthenticationMethodServerTrust else {
                return (decision(on: .credentials).disposition, nil)
            }
            let server = space.serverTrust
            let decision = decision(on: .serverTrust(server.map { SecurityCertificate(trust: $0) }))
            return (decision.disposition, decision == .trustServer ? server.map { URLCredential(trust: $0) } : nil)
        }
    }

    extension URLSessionDelegateBridge {
        /// Receives the metrics of a task, before its end.
        @objc(URLSession:task:didFinishCollectingMetrics:)
        func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
            exchange(of: task)?.receive(metrics.transactionMetrics)
        }
    }

    extension URLSessionTaskTransactionMetrics: TransactionMetrics {}
#endif
