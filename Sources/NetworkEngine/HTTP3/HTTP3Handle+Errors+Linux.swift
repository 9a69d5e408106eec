#if os(Linux)
    import NetworkTransport
    import CCurl
    import Endpoints
    import Foundation
    import NetworkSupport

    extension HTTP3Handle {
        /// Converts a result code of libcurl into an error, for a stream of HTTP/3.
        func error(_ code: CInt, transfer: LoopTransfer) -> TransportError {
            let phase = phase(of: transfer)
            if wasEndedByGuard { return .flooded(phase, transfer.request) }
            let reason = message.isEmpty ? String(cString: ccurl_easy_strerror(code)) : message
            let isHeadUnfinished = (phase == .receive || phase == .firstByte) && !transfer.exchange.head.isComplete
            // A line of more than 100 KiB, or a head of more than 300 KiB. Before 8.6.0, the code for such a line is "out of memory".
            if Int(code) == CCURLE_TOO_LARGE || (Int(code) == CCURLE_OUT_OF_MEMORY && isHeadUnfinished) {
                return TransportError(
                    .headersTooLarge, "the response head is larger than \(CurlLibrary.current.name) accepts: \(reason)",
                    phase: .receive,
                    request: transfer.request, engineCode: Int(code))
            }
            let server = route?.proxy.server
            if let refusal = tunnelRefusal(code, reason, phase, transfer.request, server) { return refusal }
            var error = error(code, reason: reason, phase: phase, request: transfer.request, proxy: server)
            switch Int(code) {
            // The stream ended with its connection. Without a head, there is no body that could be incomplete.
            case CCURLE_PARTIAL_FILE where !transfer.exchange.head.isComplete: error.code = .connectionLost
            // QUIC has no separate connecting: an address that nothing listens at refuses the first packet that is sent.
            case CCURLE_SEND_ERROR where !isReady, CCURLE_RECV_ERROR where !isReady:
                (error.code, error.phase) = (.cannotConnect, .connect)
            // A GOAWAY, a connection closed without one, or invalid frames: the connection is lost.
            case CCURLE_HTTP3: error.code = transfer.exchange.head.isComplete ? .incompleteBody : .connectionLost
            default: break
            }
            return error
        }
    }
#endif
