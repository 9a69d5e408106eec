#if os(Linux)
    import CCurl
    import Endpoints
    import Foundation

    // What libcurl tells of a stream.
    extension HTTP2Handle {
        /// What is known of the connection.
        func hop(of transfer: CurlTransfer) -> HopTimings {
            let ready = microseconds(CCURLINFO_PRETRANSFER_TIME_T)
            let isReused = ready > 0 ? long(CCURLINFO_NUM_CONNECTS) == 0 : nil
            let times = ConnectTimings(
                lookup: microseconds(CCURLINFO_NAMELOOKUP_TIME_T), connect: microseconds(CCURLINFO_CONNECT_TIME_T),
                tls: microseconds(CCURLINFO_APPCONNECT_TIME_T))
            return HopTimings(
                readyAt: transfer.launched &+ UInt64(max(ready, 0)) * 1000, connecting: isReused == true ? nil : times,
                isReused: isReused, protocolName: long(CCURLINFO_HTTP_VERSION) == Int(CCURL_HTTP_VERSION_2_0) ? "h2" : nil)
        }

        /// Whether a transfer that failed has its response all the same, as the response's length tells.
        ///
        /// A server may answer before it has read everything, and then refuse the rest (RFC 9113 §8.1), or go away after its response (§6.8).
        func hasWholeResponse(_ code: CInt, transfer: CurlTransfer) -> Bool {
            guard transfer.head.isComplete, transfer.status >= 200 else { return false }
            switch Int(code) {
            case CCURLE_HTTP2_STREAM, CCURLE_SEND_ERROR, CCURLE_RECV_ERROR:
                guard transfer.isSending(uploaded: offset(CCURLINFO_SIZE_UPLOAD_T)) else { return false }
            case CCURLE_HTTP2: break
            default: return false
            }
            if transfer.status == 204 || transfer.status == 304 || transfer.request.method == .head { return true }
            return transfer.head.headers["Content-Length"].flatMap(Int64.init) == transfer.bytesReceived
        }

        /// How far the transfer has come, told by which of libcurl's clocks have run.
        func phase(of transfer: CurlTransfer) -> TransportError.Phase {
            if microseconds(CCURLINFO_NAMELOOKUP_TIME_T) == 0 { return .nameLookup }
            if microseconds(CCURLINFO_PRETRANSFER_TIME_T) == 0 {
                return handshake.pointee.has_begun != 0 && handshake.pointee.is_done == 0 ? .tls : .connect
            }
            if transfer.head.count > 0 { return .receive }
            // The clock for the first byte runs as soon as a body is sent, too.
            if transfer.isSending(uploaded: offset(CCURLINFO_SIZE_UPLOAD_T)) { return .send }
            return microseconds(CCURLINFO_STARTTRANSFER_TIME_T) != 0 ? .receive : .firstByte
        }
    }
#endif
