#if os(Linux)
    import NetworkTransport
    import CCurl
    import Endpoints
    import Foundation
    import NetworkSupport

    extension EasyHandle {
        /// Converts a result code of libcurl into an error, for connections and streams.
        func error(
            _ code: CInt, reason: String, phase: TransportError.Phase, request: NetworkRequest, proxy: ProxyServer?
        ) -> TransportError {
            let reason = refusal ?? reason
            let systemError = CInt(long(CCURLINFO_OS_ERRNO))
            if proxy?.kind == .https, !request.parsedURL.isSecure || long(CCURLINFO_HTTP_CONNECTCODE) == 0,
                let failure = tlsFailure(code, reason: reason, verifyResult: long(CCURLINFO_PROXY_SSL_VERIFYRESULT))
            {
                return TransportError(
                    .tlsFailed, "TLS to the proxy: \(reason)", phase: .tls, request: request, engineCode: Int(code),
                    tlsFailure: failure)
            }
            if let failure = tlsFailure(code, reason: reason) {
                return TransportError(
                    .tlsFailed, reason, phase: .tls, request: request, engineCode: Int(code), tlsFailure: failure)
            }
            if isOutOfDescriptors || (Int(code) == CCURLE_COULDNT_CONNECT && systemError == 0 && !DescriptorTable.hasRoom) {
                return TransportError(
                    .outOfResources, "this process has no descriptor left", phase: .connect, request: request,
                    engineCode: Int(code))
            }
            if let routeFailure, CurlErrors.isBeforeSending(code) {
                return TransportError(
                    .cannotConnect, routeFailure, phase: .connect, request: request, engineCode: Int(code))
            }
            var meaning = CurlErrors.meaning(of: code, phase: phase, systemError: systemError)
            if meaning.code == .cannotConnect, proxy != nil { meaning = (.proxyFailed, .connect) }
            return TransportError(meaning.code, reason, phase: meaning.phase ?? phase, request: request, engineCode: Int(code))
        }

        /// Returns the error of a tunnel that a proxy did not open, such as a refused CONNECT; `nil` for any other failure.
        func tunnelRefusal(
            _ code: CInt, _ reason: String, _ phase: TransportError.Phase, _ request: NetworkRequest, _ server: ProxyServer?
        ) -> TransportError? {
            guard server != nil, request.url.scheme?.lowercased() == "https" else { return nil }
            let status = long(CCURLINFO_HTTP_CONNECTCODE)
            let isLost = phase == .connect && [CCURLE_RECV_ERROR, CCURLE_SEND_ERROR, CCURLE_GOT_NOTHING].contains(Int(code))
            // Before TLS, an invalid HTTP response can only be from the proxy. The phase does not show that: if handshakes cannot be watched, it
            // may be a later one.
            let isTunnelOpen = (200..<300).contains(status)
            let isMalformed =
                (handshake.pointee.is_done == 0 || server?.kind == .https && !isTunnelOpen)
                && [CCURLE_WEIRD_SERVER_REPLY, CCURLE_UNSUPPORTED_PROTOCOL].contains(Int(code))
            let isRefused = status != 0 && !isTunnelOpen
            guard isLost || isMalformed || isRefused || reason.contains("CONNECT aborted") else { return nil }
            return TransportError(.proxyFailed, reason, phase: .connect, request: request, engineCode: Int(code))
        }

        /// Why the handshake was refused because it would have taken too long.
        private var refusal: String? {
            switch Int(handshake.pointee.refusal) {
            case CREFUSAL_CURVE: "a certificate of the server describes an elliptic curve instead of naming it (RFC 5480 §2.1.1)"
            case CREFUSAL_COUNT: "the server has more than 32 certificates"
            case CREFUSAL_GROUP: "the server has chosen a Diffie-Hellman group of more than 4096 bits"
            default: nil
            }
        }

        /// Returns which check of TLS has failed; `nil` for any other failure.
        func tlsFailure(_ code: CInt, reason: String, verifyResult: Int? = nil) -> TLSFailure? {
            if handshake.pointee.refusal != 0 { return .other }
            if let failure = TLSFailure(alert: Int(handshake.pointee.alert)) { return failure }
            let isRefused = Int(code) == CCURLE_PEER_FAILED_VERIFICATION || handshake.pointee.is_done == 0
            if handshake.pointee.lacks_names != 0, isRefused { return .missingAlternativeName }
            if handshake.pointee.alert == 0, Int(code) == CCURLE_SSL_CONNECT_ERROR, CurlErrors.isClosedByPeer(reason) {
                // Inside the tunnel of an HTTPS proxy, libcurl 7.88.1 loses the reason for which it refuses a certificate itself.
                let result = Int(handshake.pointee.verify_result)
                return result == 0 ? nil : TLSFailure(verifyResult: result)
            }
            if Int(code) == CCURLE_PEER_FAILED_VERIFICATION, isOverQUIC {
                // The names are checked before the result of the verification is read, which is 1 until then. The message names neither.
                let result = long(CCURLINFO_SSL_VERIFYRESULT)
                return result == 1 ? .wrongHost : TLSFailure(verifyResult: result)
            }
            return CurlErrors.tlsFailure(
                code, message: reason, verifyResult: verifyResult ?? long(CCURLINFO_SSL_VERIFYRESULT))
        }
    }

    extension TransportError {
        /// The error of a request whose peer kept the loop from everything else.
        static func flooded(_ phase: Phase, _ request: NetworkRequest) -> TransportError {
            TransportError(.connectionLost, LoopGuard.reason, phase: phase, request: request)
        }
    }

    /// Finds out whether the process has file descriptors left: libcurl does not report why it could not create a socket.
    private enum DescriptorTable {
        static var hasRoom: Bool {
            let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
            if descriptor >= 0 { close(descriptor) }
            return descriptor >= 0 || (errno != EMFILE && errno != ENFILE)
        }
    }

    /// The meanings of libcurl's result codes (libcurl-errors(3)).
    enum CurlErrors {
        /// Converts a result code into an error code.
        ///
        /// - Returns: The error code, and the phase if the result code determines it; otherwise `nil`, and the caller's phase applies.
        static func meaning(
            of code: CInt, phase: TransportError.Phase?, systemError: CInt
        ) -> (code: TransportError.Code, phase: TransportError.Phase?) {
            if [EMFILE, ENFILE, ENOMEM, ENOBUFS].contains(systemError), Int(code) == CCURLE_COULDNT_CONNECT {
                return (.outOfResources, .connect)
            }
            // Failed checks of TLS were handled before.
            if Int(code) == CCURLE_SSL_CONNECT_ERROR, phase == .tls { return (.connectionLost, .tls) }
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
            // "Received HTTP/0.9 when not allowed": the status line is invalid.
            case CCURLE_UNSUPPORTED_PROTOCOL, CCURLE_WEIRD_SERVER_REPLY, CCURLE_HTTP2, CCURLE_HTTP3, CCURLE_CHUNK_FAILED:
                return (.malformedResponse, .receive)
            case CCURLE_BAD_CONTENT_ENCODING: return (.undecodableContent, .receive)
            case CCURLE_FILESIZE_EXCEEDED: return (.bodyTooLarge, .receive)
            case CCURLE_TOO_MANY_REDIRECTS: return (.tooManyRedirects, .receive)
            // An error of this side: missing root certificates, a client certificate without its key, a wrong passphrase.
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

        /// Whether a handshake failed because the connection ended, rather than because of a TLS error.
        ///
        /// Only the number at the start of OpenSSL's error text shows it: since 3.0 there is a number for this case
        /// (`SSL_R_UNEXPECTED_EOF_WHILE_READING`), and 0 means that there was no error of TLS.
        static func isClosedByPeer(_ reason: String) -> Bool {
            guard let start = reason.range(of: "error:", options: .backwards) else { return true }
            guard let number = UInt32(reason[start.upperBound...].prefix { $0.isHexDigit }, radix: 16) else { return false }
            return number == 0 || number & 0x7F_FFFF == 294
        }

        /// Whether the result code is possible only while a connection is being made.
        static func isBeforeSending(_ code: CInt) -> Bool {
            // The only time limit that is set in libcurl is the connect timeout.
            isTLS(code)
                || [
                    CCURLE_COULDNT_RESOLVE_HOST, CCURLE_COULDNT_RESOLVE_PROXY, CCURLE_COULDNT_CONNECT, CCURLE_PROXY,
                    CCURLE_INTERFACE_FAILED, CCURLE_OPERATION_TIMEDOUT,
                ].contains(Int(code))
        }

        /// Returns which check of TLS has failed; `nil` for any other failure.
        static func tlsFailure(_ code: CInt, message: String, verifyResult: Int) -> TLSFailure? {
            // With TLS 1.3 the server reports a problem with the client's certificate after the handshake, so reading or writing fails.
            if [CCURLE_RECV_ERROR, CCURLE_SEND_ERROR].contains(Int(code)), message.contains("SSL"), message.contains("alert") {
                return TLSFailure(words: message)
            }
            guard isTLS(code) else { return nil }
            switch Int(code) {
            case CCURLE_SSL_PINNEDPUBKEYNOTMATCH: return .pinMismatch
            case CCURLE_SSL_CLIENTCERT: return .clientCertificateRequired
            // The number may be left over from an earlier transfer, unless the message mentions a certificate problem.
            case CCURLE_PEER_FAILED_VERIFICATION where message.contains("certificate problem") && verifyResult != 0:
                return TLSFailure(verifyResult: verifyResult)
            default: return TLSFailure(words: message) ?? .other
            }
        }
    }
#endif
