#if os(Linux)
    import Endpoints
    import NetworkTransport

    /// Why a connection could not be made.
    struct ConnectFailure {
        var code: TransportError.Code
        var message: String
        var phase: TransportError.Phase
        var tlsFailure: TLSFailure?
        /// The number of the alert by which the server has ended TLS (RFC 8446 §6); 0 without one.
        var alert = 0
        /// The value of `errno`; `nil` for other errors.
        var systemError: CInt?

        init(
            _ code: TransportError.Code, _ message: String, phase: TransportError.Phase, tlsFailure: TLSFailure? = nil,
            alert: Int = 0, systemError: CInt? = nil
        ) {
            self.code = code
            self.message = message
            self.phase = phase
            self.tlsFailure = tlsFailure
            self.alert = alert
            self.systemError = systemError
        }

        /// Returns the error for a request that has waited for the connection.
        func error(for request: NetworkRequest) -> TransportError {
            TransportError(
                code, message, phase: phase, request: request, engineCode: systemError.map(Int.init), tlsFailure: tlsFailure)
        }

        /// The alert of a server that speaks none of the protocols that were offered (RFC 7301 §3.2).
        static let noCommonProtocol = 120

        static func outOfResources(_ what: String) -> ConnectFailure {
            ConnectFailure(.outOfResources, what, phase: .connect)
        }
    }
#endif
