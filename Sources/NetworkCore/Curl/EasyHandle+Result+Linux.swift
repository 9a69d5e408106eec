#if os(Linux)
    import CCurl
    import Endpoints
    import Foundation

    extension EasyHandle {
        var statusCode: Int { long(CCURLINFO_RESPONSE_CODE) }

        /// Whether the connection carries several requests at once.
        var isMultiplexed: Bool { long(CCURLINFO_HTTP_VERSION) >= Int(CCURL_HTTP_VERSION_2_0) }

        func response(status: Int, transfer: CurlTransfer) -> RawResponse {
            RawResponse(
                status: status, head: transfer.head, body: transfer.body, url: transfer.request.url,
                timings: timings(transfer: transfer))
        }

        func timings(transfer: CurlTransfer) -> TransferTimings {
            let lookup = microseconds(CCURLINFO_NAMELOOKUP_TIME_T)
            let connect = microseconds(CCURLINFO_CONNECT_TIME_T)
            let tls = microseconds(CCURLINFO_APPCONNECT_TIME_T)
            let ready = microseconds(CCURLINFO_PRETRANSFER_TIME_T)
            let isReused = ready > 0 ? long(CCURLINFO_NUM_CONNECTS) == 0 : nil
            let readyAt = transfer.launched &+ UInt64(max(ready, 0)) * 1000
            let now = monotonicNanoseconds()
            return TransferTimings(
                queued: .nanoseconds(transfer.queued),
                nameLookup: isReused == true || lookup == 0 ? nil : .microseconds(lookup),
                connect: isReused == true || connect == 0 ? nil : .microseconds(max(connect - lookup, 0)),
                tls: isReused == true || tls == 0 ? nil : .microseconds(max(tls - connect, 0)),
                // libcurl's own clock for this starts when a body is sent.
                firstByte: transfer.firstByte == 0 ? nil : .nanoseconds(transfer.firstByte - min(readyAt, transfer.firstByte)),
                total: .nanoseconds(now - min(now, transfer.submitted)),
                redirects: transfer.redirects,
                bytesSent: offset(CCURLINFO_SIZE_UPLOAD_T),
                bytesReceived: offset(CCURLINFO_SIZE_DOWNLOAD_T),
                protocolName: protocolName,
                isReusedConnection: isReused,
                attempt: transfer.sending.isRepeated ? 2 : 1
            )
        }

        /// Whether a transfer that failed while it sent its body has its response all the same.
        ///
        /// A server may answer before it has read everything, and then refuse the rest: the answer counts (RFC 9113 §8.1, RFC 9112 §9.5).
        func hasWholeResponse(_ code: CInt, transfer: CurlTransfer) -> Bool {
            guard [CCURLE_HTTP2_STREAM, CCURLE_SEND_ERROR, CCURLE_RECV_ERROR].contains(Int(code)), transfer.head.isComplete,
                transfer.isSending(uploaded: offset(CCURLINFO_SIZE_UPLOAD_T)), statusCode >= 200
            else { return false }
            if statusCode == 204 || statusCode == 304 || transfer.request.method == .head { return true }
            return transfer.head.headers["Content-Length"].flatMap(Int64.init) == offset(CCURLINFO_SIZE_DOWNLOAD_T)
        }

        /// How far the transfer has come, told by which of libcurl's clocks have run.
        func phase(of transfer: CurlTransfer) -> TransportError.Phase {
            if microseconds(CCURLINFO_NAMELOOKUP_TIME_T) == 0 { return .nameLookup }
            if microseconds(CCURLINFO_PRETRANSFER_TIME_T) == 0 {
                // A local port is there from the moment TCP is connected; the clock for that may stand until TLS is, too.
                let isConnected = long(CCURLINFO_LOCAL_PORT) > 0
                return isConnected && transfer.request.url.scheme?.lowercased() == "https" ? .tls : .connect
            }
            if long(CCURLINFO_RESPONSE_CODE) != 0 { return .receive }
            // The clock for the first byte runs as soon as a body is sent, too.
            if transfer.isSending(uploaded: offset(CCURLINFO_SIZE_UPLOAD_T)) { return .send }
            return microseconds(CCURLINFO_STARTTRANSFER_TIME_T) != 0 ? .receive : .firstByte
        }

        private var protocolName: String? {
            switch CInt(long(CCURLINFO_HTTP_VERSION)) {
            case CInt(CCURL_HTTP_VERSION_1_0): "http/1.0"
            case CInt(CCURL_HTTP_VERSION_1_1): "http/1.1"
            case CInt(CCURL_HTTP_VERSION_2_0): "h2"
            case CInt(CCURL_HTTP_VERSION_3): "h3"
            default: nil
            }
        }

        func long<Info: BinaryInteger>(_ info: Info) -> Int {
            var value: CLong = 0
            ccurl_easy_get_long(pointer, CInt(info), &value)
            return Int(value)
        }

        func offset<Info: BinaryInteger>(_ info: Info) -> Int64 {
            var value: Int64 = 0
            ccurl_easy_get_offset(pointer, CInt(info), &value)
            return value
        }

        func microseconds<Info: BinaryInteger>(_ info: Info) -> Int64 {
            offset(info)
        }
    }
#endif
