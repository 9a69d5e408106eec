#if os(Linux)
    import CCurl
    import Endpoints
    import Glibc

    extension EasyHandle {
        /// What a result code of libcurl means here.
        func error(_ code: CInt, transfer: CurlTransfer) -> TransportError {
            let systemError = CInt(long(CCURLINFO_OS_ERRNO))
            let phase = phase(of: transfer)
            if Int(code) == CCURLE_RECV_ERROR, message.contains("Too large response headers") {
                return TransportError(
                    .headersTooLarge, "\(message) bytes, which is libcurl's own limit", phase: .receive,
                    request: transfer.request,
                    engineCode: Int(code))
            }
            if Int(code) == CCURLE_OUT_OF_MEMORY, phase == .receive || phase == .firstByte, !transfer.head.isComplete {
                return TransportError(
                    .headersTooLarge, "a response header line is longer than libcurl's limit of 100 KiB", phase: .receive,
                    request: transfer.request, engineCode: Int(code))
            }
            let said = message.isEmpty ? String(cString: ccurl_easy_strerror(code)) : message
            if let failure = CurlErrors.tlsFailure(code, message: said, verifyResult: long(CCURLINFO_SSL_VERIFYRESULT)) {
                return TransportError(
                    .tlsFailed, said, phase: .tls, request: transfer.request, engineCode: Int(code), tlsFailure: failure)
            }
            if Int(code) == CCURLE_COULDNT_CONNECT, systemError == 0, !DescriptorTable.hasRoom {
                return TransportError(
                    .outOfResources, "this process has no descriptor left", phase: .connect, request: transfer.request,
                    engineCode: Int(code))
            }
            var meaning = CurlErrors.meaning(of: code, phase: phase, systemError: systemError)
            // HTTP/2 streams that ended with their connection; without a head there is no body to be incomplete.
            if Int(code) == CCURLE_PARTIAL_FILE, !transfer.head.isComplete { meaning = (.connectionLost, nil) }
            let isTunnelRefused =
                Int(code) == CCURLE_RECV_ERROR
                && ["CONNECT tunnel failed", "from proxy after CONNECT", "Proxy CONNECT aborted"].contains(
                    where: message.contains)
            if isTunnelRefused || (meaning.code == .cannotConnect && transfer.limits.proxy.isExplicit) {
                meaning = (.proxyFailed, .connect)
            }
            return TransportError(
                meaning.code, said, phase: meaning.phase ?? phase, request: transfer.request, engineCode: Int(code))
        }
    }

    /// libcurl does not say why it has no socket.
    private enum DescriptorTable {
        static var hasRoom: Bool {
            let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
            if descriptor >= 0 { close(descriptor) }
            return descriptor >= 0 || (errno != EMFILE && errno != ENFILE)
        }
    }

    /// The table from libcurl's result codes to ours (libcurl-errors(3)), one by one.
    enum CurlErrors {
        /// - Returns: The code, and the phase where the result code says more about it than libcurl's clocks.
        static func meaning(
            of code: CInt, phase: TransportError.Phase?, systemError: CInt
        ) -> (code: TransportError.Code, phase: TransportError.Phase?) {
            if [EMFILE, ENFILE, ENOMEM, ENOBUFS].contains(systemError), Int(code) == CCURLE_COULDNT_CONNECT {
                return (.outOfResources, .connect)
            }
            if isTLS(code) { return (.tlsFailed, .tls) }
            switch Int(code) {
            case CCURLE_OPERATION_TIMEDOUT: return (.timedOut, nil)
            case CCURLE_COULDNT_RESOLVE_HOST: return (.nameLookupFailed, .nameLookup)
            case CCURLE_COULDNT_RESOLVE_PROXY: return (.proxyFailed, .nameLookup)
            case CCURLE_PROXY: return (.proxyFailed, .connect)
            case CCURLE_COULDNT_CONNECT, CCURLE_INTERFACE_FAILED, CCURLE_QUIC_CONNECT_ERROR: return (.cannotConnect, .connect)
            case CCURLE_GOT_NOTHING, CCURLE_SEND_ERROR, CCURLE_RECV_ERROR, CCURLE_HTTP2_STREAM, CCURLE_SEND_FAIL_REWIND,
                CCURLE_UNRECOVERABLE_POLL:
                return (.connectionLost, nil)
            case CCURLE_PARTIAL_FILE: return (.incompleteBody, .receive)
            // "Received HTTP/0.9 when not allowed": the status line is none.
            case CCURLE_UNSUPPORTED_PROTOCOL, CCURLE_WEIRD_SERVER_REPLY, CCURLE_HTTP2, CCURLE_HTTP3, CCURLE_CHUNK_FAILED:
                return (.malformedResponse, .receive)
            case CCURLE_BAD_CONTENT_ENCODING: return (.undecodableContent, .receive)
            case CCURLE_FILESIZE_EXCEEDED: return (.bodyTooLarge, .receive)
            case CCURLE_TOO_MANY_REDIRECTS: return (.tooManyRedirects, .receive)
            // Our side's: roots that are not there, a client certificate without its key, a wrong passphrase.
            case CCURLE_SSL_CERTPROBLEM, CCURLE_SSL_CACERT_BADFILE, CCURLE_SSL_CRL_BADFILE: return (.trustUnavailable, .tls)
            case CCURLE_OUT_OF_MEMORY, CCURLE_FAILED_INIT: return (.outOfResources, nil)
            case CCURLE_URL_MALFORMAT, CCURLE_HTTP_POST_ERROR: return (.invalidRequest, nil)
            case CCURLE_NOT_BUILT_IN, CCURLE_UNKNOWN_OPTION: return (.unsupported, nil)
            case CCURLE_WRITE_ERROR, CCURLE_READ_ERROR, CCURLE_UPLOAD_FAILED, CCURLE_ABORTED_BY_CALLBACK:
                return (.connectionLost, nil)
            default: return (.other, nil)
            }
        }

        private static func isTLS(_ code: CInt) -> Bool {
            [
                CCURLE_SSL_CONNECT_ERROR, CCURLE_SSL_ENGINE_NOTFOUND, CCURLE_SSL_ENGINE_SETFAILED, CCURLE_SSL_CIPHER,
                CCURLE_PEER_FAILED_VERIFICATION, CCURLE_USE_SSL_FAILED, CCURLE_SSL_ENGINE_INITFAILED,
                CCURLE_SSL_SHUTDOWN_FAILED, CCURLE_SSL_ISSUER_ERROR, CCURLE_SSL_PINNEDPUBKEYNOTMATCH,
                CCURLE_SSL_INVALIDCERTSTATUS, CCURLE_SSL_CLIENTCERT,
            ].contains(Int(code))
        }

        /// Whether it can only happen while a connection is being made.
        static func isBeforeSending(_ code: CInt) -> Bool {
            // Of time limits, libcurl only knows the one of connecting.
            isTLS(code)
                || [
                    CCURLE_COULDNT_RESOLVE_HOST, CCURLE_COULDNT_RESOLVE_PROXY, CCURLE_COULDNT_CONNECT, CCURLE_PROXY,
                    CCURLE_INTERFACE_FAILED, CCURLE_OPERATION_TIMEDOUT,
                ].contains(Int(code))
        }

        /// Which check of TLS failed; `nil` where it was something else.
        static func tlsFailure(_ code: CInt, message: String, verifyResult: Int) -> TLSFailure? {
            // With TLS 1.3 the server speaks of the client's certificate after the handshake, so that reading or writing fails.
            if [CCURLE_RECV_ERROR, CCURLE_SEND_ERROR].contains(Int(code)), message.contains("SSL"), message.contains("alert") {
                return TLSFailure(words: message)
            }
            guard isTLS(code) else { return nil }
            switch Int(code) {
            case CCURLE_SSL_PINNEDPUBKEYNOTMATCH: return .pinMismatch
            case CCURLE_SSL_CLIENTCERT: return .clientCertificateRequired
            // The number may be left from an earlier transfer, unless the message speaks of it.
            case CCURLE_PEER_FAILED_VERIFICATION where message.contains("certificate problem") && verifyResult != 0:
                return TLSFailure(verifyResult: verifyResult)
            default: return TLSFailure(words: message) ?? .other
            }
        }
    }
#endif
