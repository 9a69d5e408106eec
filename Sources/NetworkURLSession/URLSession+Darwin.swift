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

    /// The trust policy of a session that is not one of ``URLSessionManager``.
    package struct URLSessionServerTrust: Sendable {
        private let trust: URLSessionTrust

        /// Loads a policy.
        ///
        /// - Throws: ``NetworkTransport/TransportError/Code/trustUnavailable`` if it cannot be loaded, or contains a client identity.
        package init(_ policy: TrustPolicy) throws(TransportError) {
            trust = try URLSessionTrust(SessionConfiguration { $0.trust = policy })
        }

        /// Sets the minimum version of TLS.
        package func govern(_ configuration: URLSessionConfiguration) {
            trust.govern(configuration)
        }

        /// Returns the response to an authentication challenge.
        ///
        /// - Throws: ``NetworkTransport/TransportError`` if the server's certificate is not accepted: the challenge is to be cancelled.
        package func disposition(
            of challenge: URLAuthenticationChallenge, for request: NetworkRequest
        ) throws(TransportError) -> (URLSession.AuthChallengeDisposition, URLCredential?) {
            let space = challenge.protectionSpace
            guard space.authenticationMethod == NSURLAuthenticationMethodServerTrust else {
                return (.performDefaultHandling, nil)
            }
            let server = space.serverTrust
            let decision = try trust.decision(on: server.map { SecurityCertificate(trust: $0) }, of: request)
            return (decision.disposition, decision == .trustServer ? server.map { URLCredential(trust: $0) } : nil)
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

    extension URLSessionUpload {
        static let platformProducesWhileSending = true
    }

    extension URLSession {
        /// Returns a task that asks its delegate for a stream of the body.
        func streamedUploadTask(_ request: URLRequest) -> URLSessionTask { uploadTask(withStreamedRequest: request) }
    }

    extension URLRequest {
        /// Tries HTTP/3 with the first request to a host. Otherwise it is used with hosts that have offered it.
        mutating func preferHTTP3() {
            assumesHTTP3Capable = true
        }
    }

    /// The end of a pair of streams into which a body is written, and from which `URLSession` reads at the other end.
    // Sendable although unchecked: the stream is written by one thread at a time, and may be closed by another one.
    private final class BoundStream: BodySink, @unchecked Sendable {
        private let output: OutputStream

        init(_ output: OutputStream) {
            self.output = output
            output.open()
        }

        func write(_ bytes: UnsafeRawBufferPointer) -> Int? {
            guard let start = bytes.baseAddress else { return 0 }
            let count = output.write(start.assumingMemoryBound(to: UInt8.self), maxLength: bytes.count)
            return count > 0 ? count : nil
        }

        func close() {
            output.close()
        }
    }

    extension URLSessionDelegateBridge {
        /// Returns a stream of the body of a request, which is produced while `URLSession` reads it: at most 256 KiB of it wait.
        @objc(URLSession:task:needNewBodyStream:)
        func urlSession(
            _ session: URLSession, task: URLSessionTask,
            needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
        ) {
            var (input, output): (InputStream?, OutputStream?)
            Stream.getBoundStreams(withBufferSize: 256 << 10, inputStream: &input, outputStream: &output)
            guard let exchange = exchange(of: task), let output, exchange.writeBody(to: BoundStream(output)) else {
                return completionHandler(nil)
            }
            completionHandler(input)
        }

        /// Stops the idle timeout of a task that waits for a network.
        @objc(URLSession:taskIsWaitingForConnectivity:)
        func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask) {
            exchange(of: task)?.transfer.waitForNetwork()
        }
    }

    /// The serial queue on which the delegate of a session is called.
    // `@unchecked Sendable`: the superclass is, and there are no properties.
    final class URLSessionDelegateQueue: OperationQueue, @unchecked Sendable {
        override init() {
            super.init()
            maxConcurrentOperationCount = 1
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
