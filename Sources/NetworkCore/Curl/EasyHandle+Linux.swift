#if os(Linux)
    import CCurl
    import Endpoints
    import Foundation

    /// One libcurl easy handle, used for one transfer after another.
    ///
    /// Options that never change are set once, and header lists are kept while they stay the same: on a short request
    /// setting them costs as much as the transfer. So is the trust policy: a handle serves one. Confined to the loop's thread.
    final class EasyHandle {
        let pointer: UnsafeMutableRawPointer
        /// The transfer that libcurl's callbacks speak to.
        var transfer: CurlTransfer?
        let trust: CurlTrust
        /// The engine's.
        var multiplexedPorts: MultiplexedPorts?
        private let errorText: UnsafeMutablePointer<CChar>
        private var headerList: UnsafeMutableRawPointer?
        private var headerKey: (headers: HTTPHeaders, sendsBody: Bool)?
        private var isCustomMethod = false
        private var holdsBody = false
        private var connectMilliseconds = -1
        private var decodesContent: Bool?
        private var wantsFreshConnection = false
        private var waitsForMultiplexing = false
        private var bufferBytes = 16 << 10

        /// `nil` without memory.
        init?(_ trust: CurlTrust) {
            guard let pointer = ccurl_easy_init() else { return nil }
            guard (try? trust.apply(to: pointer)) != nil else {
                ccurl_easy_cleanup(pointer)
                return nil
            }
            self.pointer = pointer
            self.trust = trust
            errorText = .allocate(capacity: Int(CCURL_ERROR_SIZE))
            errorText.initialize(repeating: 0, count: Int(CCURL_ERROR_SIZE))
            let context = Unmanaged.passUnretained(self).toOpaque()
            set(CCURLOPT_NOSIGNAL, 1)
            set(CCURLOPT_PROTOCOLS, CCURLPROTO_HTTP | CCURLPROTO_HTTPS)
            set(CCURLOPT_PATH_AS_IS, 1)
            set(CCURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
            set(CCURLOPT_DISALLOW_USERNAME_IN_URL, 1)
            // Else removing a handle waits for its name lookup, and the loop with it.
            set(CCURLOPT_QUICK_EXIT, 1)
            for option in [CCURLOPT_WRITEDATA, CCURLOPT_HEADERDATA, CCURLOPT_READDATA, CCURLOPT_SEEKDATA, CCURLOPT_PRIVATE] {
                ccurl_easy_set_pointer(pointer, CInt(option), context)
            }
            ccurl_easy_set_pointer(pointer, CInt(CCURLOPT_ERRORBUFFER), errorText)
            ccurl_easy_set_data_callback(pointer, CInt(CCURLOPT_WRITEFUNCTION), receiveBody)
            ccurl_easy_set_data_callback(pointer, CInt(CCURLOPT_HEADERFUNCTION), receiveHead)
            ccurl_easy_set_data_callback(pointer, CInt(CCURLOPT_READFUNCTION), sendBody)
            ccurl_easy_set_seek_callback(pointer, rewindBody)
            ccurl_easy_set_pointer(pointer, CInt(CCURLOPT_PREREQDATA), context)
            ccurl_easy_set_prerequest_callback(pointer, mayBeSent)
        }

        deinit {
            ccurl_easy_cleanup(pointer)
            ccurl_list_free(headerList)
            errorText.deallocate()
        }

        /// What libcurl said of the failure; empty when it said nothing.
        var message: String { String(cString: errorText) }

        /// - Returns: Whether there was memory for it.
        func configure(
            _ request: NetworkRequest, bodyLength: Int64?, connectTimeout: Duration, userAgent: String?, onFreshConnection: Bool
        ) -> Bool {
            errorText[0] = 0
            guard request.url.absoluteString.withCString({ setString(CCURLOPT_URL, $0) }) else { return false }
            guard setMethod(request, bodyLength: bodyLength), setHeaders(request, userAgent: userAgent) else { return false }
            // Where HTTP/2 may be spoken, a burst waits for the first connection instead of opening one each.
            let mayMultiplex = request.url.scheme?.lowercased() == "https"
            if mayMultiplex != waitsForMultiplexing {
                set(CCURLOPT_PIPEWAIT, mayMultiplex ? 1 : 0)
                waitsForMultiplexing = mayMultiplex
            }
            let milliseconds = Int(connectTimeout.boundedNanoseconds / 1_000_000)
            if milliseconds != connectMilliseconds {
                set(CCURLOPT_CONNECTTIMEOUT_MS, milliseconds)
                connectMilliseconds = milliseconds
            }
            if onFreshConnection != wantsFreshConnection {
                set(CCURLOPT_FRESH_CONNECT, onFreshConnection ? 1 : 0)
                wantsFreshConnection = onFreshConnection
            }
            // A request that says itself what it accepts gets it as it comes; the others get what libcurl can decode.
            let decodes = !request.headers.contains("Accept-Encoding")
            if decodes != decodesContent {
                guard
                    decodes
                        ? "".withCString({ setString(CCURLOPT_ACCEPT_ENCODING, $0) }) : setString(CCURLOPT_ACCEPT_ENCODING, nil)
                else { return false }
                decodesContent = decodes
            }
            return true
        }

        /// How much is read from the socket at once. A stream is cheaper in large pieces; but what one unpacks to has to fit the 64 MiB that
        /// libcurl holds back for a reader who pauses, and gzip makes 1032 bytes of one.
        func setBuffer(isStreamed: Bool) {
            let bytes = !isStreamed ? 16 << 10 : decodesContent == false ? 128 << 10 : 32 << 10
            guard bytes != bufferBytes else { return }
            set(CCURLOPT_BUFFERSIZE, bytes)
            bufferBytes = bytes
        }

        private func setMethod(_ request: NetworkRequest, bodyLength: Int64?) -> Bool {
            let method = request.method
            if request.sendsBody {
                set(CCURLOPT_NOBODY, 0)
                set(CCURLOPT_POST, 1)
                guard setBody(request.body?.data, length: bodyLength) else { return false }
            } else {
                // Giving a body back makes the method POST, so this comes first.
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

        /// A small body goes out with the head in one packet, from a copy libcurl makes; a larger one is read piece by piece.
        ///
        /// - Parameters:
        ///   - body: `nil` when there is none, or it is not in memory.
        ///   - length: `nil` when it is not known.
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

        private func setHeaders(_ request: NetworkRequest, userAgent: String?) -> Bool {
            let sendsBody = request.sendsBody
            if let key = headerKey, key.sendsBody == sendsBody, key.headers.fields == request.headers.fields { return true }
            var lines = request.headers.fields.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" }
            if let userAgent, !request.headers.contains("User-Agent") { lines.append("User-Agent: \(userAgent)") }
            if sendsBody {
                // libcurl would call any body a form, and wait for a 100 before a large one.
                if !request.headers.contains("Content-Type") { lines.append("Content-Type:") }
                if !request.headers.contains("Expect") { lines.append("Expect:") }
            }
            var list: UnsafeMutableRawPointer?
            for line in lines {
                guard let longer = line.withCString({ ccurl_list_append(list, $0) }) else {
                    ccurl_list_free(list)
                    return false
                }
                list = longer
            }
            ccurl_easy_set_pointer(pointer, CInt(CCURLOPT_HTTPHEADER), list)
            ccurl_list_free(headerList)
            headerList = list
            headerKey = (request.headers, sendsBody)
            return true
        }

        func set<Option: BinaryInteger>(_ option: Option, _ value: some BinaryInteger) {
            ccurl_easy_set_long(pointer, CInt(option), CLong(value))
        }

        func setString<Option: BinaryInteger>(_ option: Option, _ value: UnsafePointer<CChar>?) -> Bool {
            ccurl_easy_set_string(pointer, CInt(option), value) == 0
        }
    }

    extension NetworkRequest {
        /// Whether a length is announced even if it is 0 (RFC 9110 §8.6): the method expects content.
        var sendsBody: Bool {
            if let body, !body.isEmpty { return true }
            return method == .post || method == .put || method == .patch
        }
    }
#endif
