#if os(Linux)
    import NetworkTransport
    import CCurl
    import Endpoints
    import Foundation
    import NetworkSupport

    extension HTTP1Connection {
        /// Returns which check of TLS the server reports as failed after the handshake, which TLS 1.3 allows.
        func tlsFailure(_ failure: Failure?) -> TLSFailure? {
            guard case .tls(let code, let reason) = failure, let handle else { return nil }
            return handle.tlsFailure(code, reason: reason)
        }

        /// Creates the error for a response that was not received, or not completely.
        ///
        /// - Parameters:
        ///   - failure: Why reading failed; `nil` when the server closed the connection without an error.
        ///   - error: The part of the response that is missing in that case.
        func error(
            _ failure: Failure?, _ error: HTTP1Error?, phase: TransportError.Phase, request: NetworkRequest
        ) -> TransportError {
            if wasEndedByGuard { return .flooded(phase, request) }
            if let tlsFailure = tlsFailure(failure) ?? tlsFailure(sendFailure) {
                return TransportError(
                    .tlsFailed, "the server ended TLS: \(tlsFailure)", phase: .tls, request: request, tlsFailure: tlsFailure)
            }
            // It is unknown whether a body that ends with its connection is complete; the same if TLS ends without close_notify (RFC 9112 §9.8).
            let isCut = parser.isHeadComplete && parser.isDelimitedByClose
            let code: TransportError.Code = isCut ? .incompleteBody : .connectionLost
            switch failure {
            case nil:
                let error = error ?? HTTP1Error(.connectionLost, "the connection was closed before a response arrived")
                return TransportError(error.code, error.message, phase: phase, request: request)
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
