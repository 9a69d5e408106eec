#if canImport(Darwin)
    import Foundation
    import Security

    /// The trust policies of a session manager, which it applies when `URLSession` asks for a decision on a server's certificate.
    struct URLSessionTrust: Sendable {
        private let table: TrustTable

        /// Loads the policies.
        ///
        /// - Throws: ``TransportError/Code/trustUnavailable`` for policies that cannot be loaded, and for those that `URLSession`
        ///   does not support: an identity from PEM, and minimum TLS versions that differ between hosts.
        init(_ configuration: SessionConfiguration) throws(TransportError) {
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

        func govern(_ configuration: URLSessionConfiguration) {
            configuration.tlsMinimumSupportedProtocolVersion =
                tls_protocol_version_t(rawValue: table.standard.minimumTLSVersion.rawValue) ?? .TLSv12
        }

        /// Returns the credential for a trusted server; `nil` if the system's default handling is sufficient.
        ///
        /// - Throws: ``TransportError/Code/tlsFailed`` if a check fails, ``TransportError/Code/trustUnavailable`` if the roots
        ///   cannot be set.
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
                else { throw TransportError(.trustUnavailable, "the roots cannot be set", phase: .tls, request: request) }
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

    extension URLSessionExchange {
        /// Returns the response to an authentication challenge: the host's trust policy decides on the server's certificate, and
        /// a 401 is a response.
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
        /// Receives the metrics of a task, before its end.
        @objc(URLSession:task:didFinishCollectingMetrics:)
        func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
            guard let last = metrics.transactionMetrics.last else { return }
            exchange(of: task)?.update { $0.timings = last.timings }
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
                isReusedConnection: isReusedConnection,
                serverAddress: remoteAddress.map { NetworkResponse.ServerAddress(address: $0, port: remotePort ?? 0) })
        }
    }
#endif
