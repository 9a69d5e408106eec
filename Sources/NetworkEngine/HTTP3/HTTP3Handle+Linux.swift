#if os(Linux)
    @_spi(SessionManagers) import NetworkTransport
    import CCurl
    import Endpoints
    import Foundation
    import NetworkSupport

    /// A libcurl handle that sends one request at a time over HTTP/3, and is reused.
    ///
    /// Options that never change are set once, and a header list is kept until it changes: for a short request, setting them takes as long
    /// as the transfer.
    /// Used only while the lock of the event loop is held.
    final class HTTP3Handle: EasyHandle, RequestCarrier {
        /// The transfer that libcurl's callbacks work on.
        var transfer: LoopTransfer?
        let workspace: Workspace
        /// Whether a connection was ready for the request since ``configure(_:port:route:connectTimeout:extraFields:)``.
        var isReady = false
        /// Whether a new connection did not agree on HTTP/3; the request was not sent on it.
        var lostHTTP3 = false
        /// Whether libcurl has reported in its log that the server refused the stream.
        var reportedRefusal = false
        /// Whether libcurl is making a connection for this handle: a socket was opened, and nothing was sent yet.
        var isConnecting = false
        private let sockets: EpollSet
        /// What the handle belongs to, which outlives its handles.
        unowned(unsafe) private let streams: HTTP3Streams
        /// The origin of the request that the handle was last used for.
        private(set) var origin = ""
        private var otherPort: Int?
        private var otherPortList: UnsafeMutableRawPointer?
        private var headerList: UnsafeMutableRawPointer?
        private var headerLines: [String]? = []
        private(set) var route: Route?
        private var isCustomMethod = false
        private var holdsBody = false
        private var wantsFreshConnection = false
        private var isVerbose = false
        private var bufferBytes = 16 << 10

        /// Creates a handle; `nil` if memory ran out.
        init?(_ trust: CurlTrust, _ streams: HTTP3Streams) {
            workspace = streams.context.workspace
            sockets = streams.context.sockets
            self.streams = streams
            super.init(trust, handshakes: streams.handshakes, readsAhead: false)
            let context = Unmanaged.passUnretained(self).toOpaque()
            setHTTPVersion(CCURL_HTTP_VERSION_3ONLY)
            // Requests that start together wait for the first connection instead of opening one each.
            set(CCURLOPT_PIPEWAIT, 1)
            let lifetime = streams.context.configuration.idleConnectionLifetime.components.seconds
            set(CCURLOPT_MAXAGE_CONN, max(lifetime, 1))
            // libcurl takes a limit of 0 for no limit.
            if streams.limits.maximumIdle == 0 { set(CCURLOPT_FORBID_REUSE, 1) }
            for option in [
                CCURLOPT_WRITEDATA, CCURLOPT_HEADERDATA, CCURLOPT_READDATA, CCURLOPT_SEEKDATA, CCURLOPT_PRIVATE,
                CCURLOPT_PREREQDATA, CCURLOPT_OPENSOCKETDATA, CCURLOPT_DEBUGDATA,
            ] {
                ccurl_easy_set_pointer(pointer, CInt(option), context)
            }
            ccurl_easy_set_pointer(pointer, CInt(CCURLOPT_CLOSESOCKETDATA), Unmanaged.passUnretained(sockets).toOpaque())
            ccurl_easy_set_open_callback(pointer) { context, _, address in
                guard let context, let address = address?.pointee else { return -1 }
                let easy = Unmanaged<HTTP3Handle>.fromOpaque(context).takeUnretainedValue()
                easy.isConnecting = true
                return easy.openSocket(easy.sockets, address, isForStreams: true, origin: easy.origin)
            }
            ccurl_easy_set_close_callback(pointer) { context, socket in
                guard let context else { return -1 }
                return Unmanaged<EpollSet>.fromOpaque(context).takeUnretainedValue().close(socket)
            }
            ccurl_easy_set_data_callback(pointer, CInt(CCURLOPT_WRITEFUNCTION), receiveBody)
            ccurl_easy_set_data_callback(pointer, CInt(CCURLOPT_HEADERFUNCTION), receiveHead)
            ccurl_easy_set_data_callback(pointer, CInt(CCURLOPT_READFUNCTION), sendBody)
            ccurl_easy_set_seek_callback(pointer, rewindBody)
            ccurl_easy_set_prerequest_callback(pointer, mayBeSent)
            ccurl_easy_set_debug_callback(pointer, receiveLog)
        }

        deinit {
            ccurl_list_free(headerList)
            ccurl_list_free(otherPortList)
        }

        /// Sets all options for a transfer.
        ///
        /// - Parameters:
        ///   - port: The UDP port to connect to; `nil` for the one of the URL.
        ///   - extraFields: The header lines that the engine adds to those of the request. A `Cookie` line is the last one.
        /// - Returns: `false` when there is not enough memory.
        func configure(
            _ transfer: LoopTransfer, port: Int?, route: Route, connectTimeout: Duration, extraFields: [String]
        ) -> Bool {
            reset()
            let route = route.replacing(port, of: transfer.origin)
            lostHTTP3 = false
            isConnecting = false
            isReady = false
            origin = transfer.origin
            reportedRefusal = false
            let request = transfer.request
            guard setPort(port) else { return false }
            guard setURL(request) else { return false }
            guard setMethod(request, bodyLength: transfer.upload.length), setHeaders(request, extraFields) else { return false }
            // A body that is sent together with the head has no separate time of sending.
            transfer.exchange.sentAt = request.sendsBody && holdsBody ? 1 : 0
            // Overrides are passed each time, because they belong to the multi handle, which may be another one.
            if route != self.route || route.resolve != [] {
                guard setRoute(route) else { return false }
                self.route = route
            }
            setConnectTimeout(connectTimeout)
            if transfer.sending.needsFreshConnection != wantsFreshConnection {
                wantsFreshConnection.toggle()
                set(CCURLOPT_FRESH_CONNECT, wantsFreshConnection ? 1 : 0)
            }
            // Only the log says why libcurl sends a request again. A request that may be repeated is sent again in any case.
            let needsLog = !request.isIdempotent || transfer.allowedVersions.isRequirement
            if needsLog != isVerbose {
                isVerbose = needsLog
                set(CCURLOPT_VERBOSE, needsLog ? 1 : 0)
            }
            // The size of one read from the socket: large pieces are more efficient for a streamed body.
            let bytes = transfer.download == nil ? 16 << 10 : 128 << 10
            if bytes != bufferBytes {
                set(CCURLOPT_BUFFERSIZE, bytes)
                bufferBytes = bytes
            }
            return true
        }

        /// Sets the port to connect to; `nil` for that of the URL, which remains part of the request in either case.
        private func setPort(_ port: Int?) -> Bool {
            guard port != otherPort else { return true }
            var list: UnsafeMutableRawPointer?
            if let port {
                // For any host and port: the same host, and this port.
                list = ccurl_list_append(nil, ":::\(port)")
                guard list != nil else { return false }
            }
            ccurl_easy_set_pointer(pointer, CInt(CCURLOPT_CONNECT_TO), list)
            ccurl_list_free(otherPortList)
            otherPortList = list
            otherPort = port
            return true
        }

        /// Sets the URL, and separately the exact request target: some versions of libcurl drop the question mark of an empty query.
        private func setURL(_ request: NetworkRequest) -> Bool {
            return setText(CCURLOPT_URL, request.urlText) && setText(CCURLOPT_REQUEST_TARGET, request.target)
        }

        private func setMethod(_ request: NetworkRequest, bodyLength: Int64?) -> Bool {
            let method = request.method
            if request.sendsBody {
                set(CCURLOPT_NOBODY, 0)
                set(CCURLOPT_POST, 1)
                guard setBody(request.body?.data, length: bodyLength) else { return false }
            } else {
                // Removing a body sets the method to POST, so this comes first.
                if holdsBody { _ = setString(CCURLOPT_COPYPOSTFIELDS, nil) }
                holdsBody = false
                set(CCURLOPT_HTTPGET, 1)
                if method == .head { set(CCURLOPT_NOBODY, 1) }
            }
            let isPlain = method == .head || (method == .get && !request.sendsBody) || (method == .post && request.sendsBody)
            if isPlain && !isCustomMethod { return true }
            isCustomMethod = !isPlain
            if isPlain { return setString(CCURLOPT_CUSTOMREQUEST, nil) }
            return method.rawValue.withCString { setString(CCURLOPT_CUSTOMREQUEST, $0) }
        }

        /// Sets the body. Up to 32 KiB are sent in one packet with the head, from a copy that libcurl makes; a larger body is read in pieces.
        ///
        /// - Parameters:
        ///   - body: The body if it is in memory; otherwise `nil`.
        ///   - length: The length of the body in bytes; `nil` when it is not known.
        private func setBody(_ body: Data?, length: Int64?) -> Bool {
            guard ccurl_easy_set_offset(pointer, CInt(CCURLOPT_POSTFIELDSIZE_LARGE), length ?? -1) == 0 else { return false }
            guard let length, length <= 32 << 10, let body = body ?? (length == 0 ? Data() : nil) else {
                holdsBody = false
                return setString(CCURLOPT_COPYPOSTFIELDS, nil) && setString(CCURLOPT_POSTFIELDS, nil)
            }
            holdsBody = true
            if body.isEmpty { return "".withCString { setString(CCURLOPT_COPYPOSTFIELDS, $0) } }
            return body.withUnsafeBytes { bytes in
                setString(CCURLOPT_COPYPOSTFIELDS, bytes.baseAddress?.assumingMemoryBound(to: CChar.self))
            }
        }

        private func setHeaders(_ request: NetworkRequest, _ extraFields: [String]) -> Bool {
            let stored = extraFields.last.flatMap { $0.begins(with: "Cookie: ") ? Substring($0.utf8.dropFirst(8)) : nil }
            // It is meant for a proxy, and for no server (RFC 9110 §11.7.2).
            let fields = request.headers.fields.filter { !$0.name.isField("proxy-authorization") }
            // libcurl sends a field without a value only if it is written with a semicolon.
            var lines = fields.map { field in
                let isBlank = field.value.utf8.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
                return isBlank ? "\(field.name);" : "\(field.name): \(field.value)"
            }
            lines += extraFields
            // There may be only one `Cookie` field (RFC 6265 §5.4).
            if let stored, let own = fields.firstIndex(where: { $0.name.lowercased() == "cookie" }) {
                let isBlank = lines[own] == "\(fields[own].name);"
                lines[own] = isBlank ? "Cookie: \(stored)" : "\(lines[own]); \(stored)"
                lines.removeLast()
            }
            if request.sendsBody {
                // By default, libcurl declares every body as a form, and waits for a 100 before it sends a large one.
                if !request.headers.contains("Content-Type") { lines.append("Content-Type:") }
                if !request.headers.contains("Expect") { lines.append("Expect:") }
            }
            // A line that is not UTF-8 has the same text as one that is.
            let isUTF8 = !fields.contains { $0.isLatin1 }
            if isUTF8, lines == headerLines { return true }
            var list: UnsafeMutableRawPointer?
            for (index, line) in lines.enumerated() {
                let added: UnsafeMutableRawPointer?
                if !isUTF8, index < fields.count, let value = fields[index].latin1Bytes {
                    let name = "\(fields[index].name): "
                    // Stored cookies follow the value.
                    let rest = line.utf8.dropFirst(name.utf8.count + fields[index].value.utf8.count)
                    let bytes = Array(name.utf8) + value + rest + [0]
                    added = bytes.withUnsafeBytes { ccurl_list_append(list, $0.baseAddress?.assumingMemoryBound(to: CChar.self)) }
                } else {
                    added = line.withCString { ccurl_list_append(list, $0) }
                }
                guard let longer = added else {
                    ccurl_list_free(list)
                    return false
                }
                list = longer
            }
            ccurl_easy_set_pointer(pointer, CInt(CCURLOPT_HTTPHEADER), list)
            ccurl_list_free(headerList)
            headerList = list
            headerLines = isUTF8 ? lines : nil
            return true
        }
    }

    // What the transfer that uses the handle asks.
    extension HTTP3Handle {
        var stage: CarrierStage { .streaming }

        func progress(of transfer: LoopTransfer) -> (timings: ConnectionTimings, bytesSent: Int64) {
            (connectionTimings(of: transfer), offset(CCURLINFO_SIZE_UPLOAD_T))
        }

        func lastActivity(of transfer: LoopTransfer, at now: UInt64) -> UInt64 {
            // Until the connection is ready, the connect timeout applies instead.
            let ready = microseconds(CCURLINFO_PRETRANSFER_TIME_T)
            if ready == 0 { return now }
            // libcurl sends small bodies from its own copy, without calling back.
            let uploaded = offset(CCURLINFO_SIZE_UPLOAD_T)
            if uploaded != transfer.exchange.uploadedAtLastCheck {
                transfer.exchange.uploadedAtLastCheck = uploaded
                if transfer.isSending(uploaded: uploaded) { return now }
            }
            return max(transfer.lastActivity, transfer.launched &+ UInt64(ready) * 1000)
        }

        /// The queue of the socket is that of all streams: it counts for those that have nothing left to write.
        func unsentBytes(of transfer: LoopTransfer) -> Int? {
            guard transfer.isLargeUpload, transfer.exchange.firstByte == 0,
                transfer.upload.isSent || transfer.upload.length == Int64(transfer.upload.offset)
            else { return nil }
            return UnsentBytes.count(of: ccurl_easy_get_socket(pointer))
        }

        func resume(_ transfer: LoopTransfer) {
            streams.resume(transfer, self)
        }

        func fallBack(_ transfer: LoopTransfer) -> Bool {
            if isReady { return false }
            streams.fallBack(transfer, self, isOver: false)
            return true
        }

        func keepConnecting(without transfer: LoopTransfer) -> Bool {
            if isConnecting { streams.keep(self) }
            return isConnecting
        }

        func abandon(_ transfer: LoopTransfer) {
            streams.release(self)
        }
    }

    // What libcurl reports about a stream.
    extension HTTP3Handle {
        var loopGuard: LoopGuard { sockets.loopGuard }
        /// Whether ``LoopGuard`` has ended the connection.
        var wasEndedByGuard: Bool { loopGuard.hasEnded(localPort: long(CCURLINFO_LOCAL_PORT)) }

        /// Returns the timings and the protocol of the connection that the transfer uses.
        func connectionTimings(of transfer: LoopTransfer) -> ConnectionTimings {
            let ready = microseconds(CCURLINFO_PRETRANSFER_TIME_T)
            let isReused = ready > 0 ? long(CCURLINFO_NUM_CONNECTS) == 0 : nil
            let times = ConnectTimings(
                lookup: microseconds(CCURLINFO_NAMELOOKUP_TIME_T), connect: microseconds(CCURLINFO_CONNECT_TIME_T),
                tls: microseconds(CCURLINFO_APPCONNECT_TIME_T))
            return ConnectionTimings(
                readyAt: transfer.launched &+ UInt64(max(ready, 0)) * 1000, connecting: isReused == true ? nil : times,
                isReused: isReused, protocolName: protocolName,
                serverAddress: route?.unixSocketPath == nil ? serverAddress : nil)
        }

        private var protocolName: String? {
            long(CCURLINFO_HTTP_VERSION) == Int(CCURL_HTTP_VERSION_3) ? "h3" : nil
        }

        /// Returns whether the complete response was received although the transfer failed, judged by the length of the response.
        ///
        /// A server may respond before it has read the whole request and then reset the stream (RFC 9113 §8.1), or send GOAWAY after the
        /// response (§6.8).
        func hasWholeResponse(_ code: CInt, transfer: LoopTransfer) -> Bool {
            guard transfer.exchange.head.isComplete, transfer.exchange.status >= 200 else { return false }
            switch Int(code) {
            case CCURLE_SEND_ERROR, CCURLE_RECV_ERROR:
                guard transfer.isSending(uploaded: offset(CCURLINFO_SIZE_UPLOAD_T)) else { return false }
            case CCURLE_HTTP3: break
            default: return false
            }
            if transfer.exchange.status == 204 || transfer.exchange.status == 304 || transfer.request.method == .head {
                return true
            }
            return transfer.exchange.head.headers["Content-Length"].flatMap(Int64.init) == transfer.exchange.bytesReceived
        }

        /// Returns the phase of a transfer, derived from the times that libcurl has recorded.
        func phase(of transfer: LoopTransfer) -> TransportError.Phase {
            // For QUIC, libcurl records times also when an attempt has failed. The first packets are those of TLS, whether anything responds
            // or not.
            if !isReady { return isConnecting ? .connect : .nameLookup }
            if transfer.exchange.head.count > 0 { return .receive }
            // libcurl records the time of the first byte also when it begins to send a body.
            if transfer.isSending(uploaded: offset(CCURLINFO_SIZE_UPLOAD_T)) { return .send }
            return microseconds(CCURLINFO_STARTTRANSFER_TIME_T) != 0 ? .receive : .firstByte
        }
    }
#endif
