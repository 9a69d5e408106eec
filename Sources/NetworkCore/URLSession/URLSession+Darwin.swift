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

    extension URLSessionHop {
        /// The trust policy of the host decides about the server's certificate, and a 401 is a response.
        func disposition(
            of challenge: URLAuthenticationChallenge
        ) -> (URLSession.AuthChallengeDisposition, URLCredential?) {
            let space = challenge.protectionSpace
            guard space.authenticationMethod == NSURLAuthenticationMethodServerTrust, let server = space.serverTrust else {
                return (.performDefaultHandling, nil)
            }
            guard let trust else { return (.cancelAuthenticationChallenge, nil) }
            do throws(TransportError) {
                guard let credential = try trust.credential(for: server, of: request) else {
                    return (.performDefaultHandling, nil)
                }
                return (.useCredential, credential)
            } catch {
                transfer.fail(error)
                return (.cancelAuthenticationChallenge, nil)
            }
        }
    }

    extension URLSessionDelegateBridge {
        /// Comes before the end of the task.
        @objc(URLSession:task:didFinishCollectingMetrics:)
        func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
            guard let last = metrics.transactionMetrics.last else { return }
            hop(of: task)?.update { $0.timings = last.timings }
        }
    }

    extension URLSessionTaskTransactionMetrics {
        fileprivate var timings: TransferTimings {
            func time(_ start: Date?, _ end: Date?) -> Duration? {
                guard let start, let end else { return nil }
                return .nanoseconds(Int64(max(0, end.timeIntervalSince(start)) * 1e9))
            }
            return TransferTimings(
                nameLookup: time(domainLookupStartDate, domainLookupEndDate),
                connect: time(connectStartDate, secureConnectionStartDate ?? connectEndDate),
                tls: time(secureConnectionStartDate, secureConnectionEndDate),
                send: countOfRequestBodyBytesSent > 0 ? time(requestStartDate, requestEndDate) : nil,
                firstByte: time(requestStartDate, responseStartDate),
                protocolName: networkProtocolName,
                isReusedConnection: isReusedConnection)
        }
    }
#endif
