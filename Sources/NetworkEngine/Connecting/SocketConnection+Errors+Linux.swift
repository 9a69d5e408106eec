#if os(Linux)
    import NetworkTransport
    import CCurl
    import Endpoints
    import Foundation
    import NetworkSupport

    extension SocketConnection {
        /// Returns which check of TLS the server reports as failed after the handshake, which TLS 1.3 allows.
        final func tlsFailure(_ failure: Failure?) -> TLSFailure? {
            guard case .tls(let code, let reason) = failure, let handle else { return nil }
            return handle.tlsFailure(code, reason: reason)
        }

        /// Returns the error of a connection that the event loop or the server's TLS has ended; `nil` for any other end.
        final func error(
            endedBy failures: Failure?..., phase: TransportError.Phase, request: NetworkRequest
        ) -> TransportError? {
            if wasEndedByGuard { return .flooded(phase, request) }
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
                    code, "the connection was ended: TLS has received \(Self.maximumMessages) messages that carry no data",
                    phase: phase, request: request)
            case .system(let number):
                let reason = String(cString: strerror(number))
                return TransportError(
                    code, "the connection was lost: \(reason)", phase: phase, request: request, engineCode: Int(number))
            case .tls(let number, let message):
                let reason = message.isEmpty ? String(cString: ccurl_easy_strerror(number)) : message
                return TransportError(
                    code, "the connection was lost: \(reason)", phase: phase, request: request, engineCode: Int(number))
            }
        }
    }
#endif
