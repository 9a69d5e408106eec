#if os(Linux)
    import NetworkTransport
    import CCurl
    import Endpoints
    import Foundation
    import NetworkSupport

    extension ConnectHandle {
        /// Converts a result code of libcurl into an error, for a connection that could not be made.
        func error(_ code: CInt, for transfer: LoopTransfer) -> TransportError {
            let phase = phase
            let request = transfer.request
            if wasEndedByGuard { return .flooded(phase, request) }
            let reason = message.isEmpty ? String(cString: ccurl_easy_strerror(code)) : message
            if let refusal = tunnelRefusal(code, reason, phase, request, proxy.server) { return refusal }
            // Since 8.14.0, libcurl also reports a client certificate and a key that do not match with this code.
            if Int(code) == CCURLE_BAD_FUNCTION_ARGUMENT, trust.hasIdentity {
                return TransportError(
                    .trustUnavailable, "clientIdentity: \(reason)", phase: .tls, request: request, engineCode: Int(code))
            }
            return error(code, reason: reason, phase: phase, request: request, proxy: proxy.server)
        }
    }
#endif
