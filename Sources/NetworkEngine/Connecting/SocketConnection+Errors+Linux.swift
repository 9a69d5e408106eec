#if os(Linux)
    import NetworkTransport
    import Endpoints
    import NetworkSupport

    extension SocketConnection {
        /// Returns which check of TLS the server reports as failed after the handshake, which TLS 1.3 allows.
        final func tlsFailure(_ failure: Failure?) -> TLSFailure? {
            guard case .tls(let problem) = failure, problem.alert != 0 else { return nil }
            return TLSFailure(alert: problem.alert)
        }

        /// Returns the error of a connection that the server's TLS has ended; `nil` for any other end.
        final func error(
            endedBy failures: Failure?..., phase: TransportError.Phase, request: NetworkRequest
        ) -> TransportError? {
            guard let tlsFailure = failures.lazy.compactMap({ self.tlsFailure($0) }).first else { return nil }
            return TransportError(
                .tlsFailed, "the server ended TLS: \(tlsFailure)", phase: .tls, request: request, tlsFailure: tlsFailure)
        }

        /// Creates the error for a connection on which sending or receiving has failed.
        ///
        /// - Parameter code: What the end of the connection means for the request.
        final func error(
            _ failure: Failure, _ code: TransportError.Code, phase: TransportError.Phase, request: NetworkRequest
        ) -> TransportError {
            switch failure {
            case .withoutData:
                return TransportError(
                    code,
                    "the connection was ended: TLS has received more than \(SocketChannel.maximumWithoutData) bytes that carry no data",
                    phase: phase, request: request)
            case .system(let number):
                let reason = String(cString: strerror(number))
                return TransportError(
                    code, "the connection was lost: \(reason)", phase: phase, request: request, engineCode: Int(number))
            case .tls(let problem):
                return TransportError(code, "the connection was lost: \(problem.message)", phase: phase, request: request)
            }
        }
    }
#endif
