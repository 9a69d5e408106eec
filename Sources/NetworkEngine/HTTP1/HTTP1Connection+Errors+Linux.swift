#if os(Linux)
    import NetworkTransport
    import Endpoints

    extension HTTP1Connection {
        /// Creates the error for a response that was not received, or not completely.
        ///
        /// - Parameters:
        ///   - failure: Why reading failed; `nil` when the server closed the connection without an error.
        ///   - error: The part of the response that is missing in that case.
        func error(
            _ failure: Failure?, _ error: HTTP1Error?, phase: TransportError.Phase, request: NetworkRequest
        ) -> TransportError {
            if let error = self.error(endedBy: failure, sendFailure, phase: phase, request: request) { return error }
            // It is unknown whether a body that ends with its connection is complete; the same if TLS ends without close_notify (RFC 9112 §9.8).
            let isCut = parser.isHeadComplete && parser.isDelimitedByClose
            let code: TransportError.Code = isCut ? .incompleteBody : .connectionLost
            if let failure { return self.error(failure, code, phase: phase, request: request) }
            let error = error ?? HTTP1Error(.connectionLost, "the connection was closed before a response arrived")
            return TransportError(error.code, error.message, phase: phase, request: request)
        }
    }
#endif
