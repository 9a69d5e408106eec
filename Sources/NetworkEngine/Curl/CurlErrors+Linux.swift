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

    extension HTTP2Handle {
        /// Converts a result code of libcurl into an error, for an HTTP/2 stream.
        func error(_ code: CInt, transfer: LoopTransfer) -> TransportError {
            let phase = phase(of: transfer)
            if wasEndedByGuard { return .flooded(phase, transfer.request) }
            var reason = message.isEmpty ? String(cString: ccurl_easy_strerror(code)) : message
            let isPrior = transfer.allowedVersions == .http2 && !transfer.request.parsedURL.isSecure
            if isPrior, transfer.exchange.head.count == 0, long(CCURLINFO_NUM_CONNECTS) > 0,
                [CCURLE_GOT_NOTHING, CCURLE_SEND_ERROR, CCURLE_RECV_ERROR].contains(Int(code))
            {
                reason += "; the server may not speak HTTP/2 without TLS, which httpVersion requires"
            }
            let isBeforeHTTP3 = isOverQUIC && !isReady
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
            // The first bytes of the server are not HTTP/2. Older versions of libcurl report a connection that was closed instead.
            case CCURLE_HTTP2 where isPrior && reason.contains("does not support HTTP/2"):
                return TransportError(
                    .httpVersionUnavailable,
                    "the server does not speak HTTP/2 without TLS, but httpVersion requires it: \(reason)",
                    phase: .firstByte, request: transfer.request, engineCode: Int(code))
            // QUIC has no separate connecting: an address that nothing listens at refuses the first packet that is sent.
            case CCURLE_SEND_ERROR where isBeforeHTTP3, CCURLE_RECV_ERROR where isBeforeHTTP3:
                (error.code, error.phase) = (.cannotConnect, .connect)
            // A GOAWAY, a connection closed without one, or invalid frames: the connection is lost.
            case CCURLE_HTTP2, CCURLE_HTTP3: error.code = transfer.exchange.head.isComplete ? .incompleteBody : .connectionLost
            default: break
            }
            return error
        }
    }

    extension EasyHandle {
        /// Converts a result code of libcurl into an error, for connections and streams.
        fileprivate func error(
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
        fileprivate func tunnelRefusal(
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

    extension HTTP1Connection {
        /// Returns which check of TLS the server reports as failed after the handshake, which TLS 1.3 allows.
        func tlsFailure(_ failure: Failure?) -> TLSFailure? {
            guard case .tls(let code, let reason) = failure, let handle else { return nil }
            return handle.tlsFailure(code, reason: reason)
        }

        /// Creates the error for a response that was not received, or not completely.
        ///
        /// - Parameters:
        ///   - failure: Why reading failed; `nil` when the server closed the connection without an error.
        ///   - error: The part of the response that is missing in that case.
        func error(
            _ failure: Failure?, _ error: HTTP1Error?, phase: TransportError.Phase, request: NetworkRequest
        ) -> TransportError {
            if wasEndedByGuard { return .flooded(phase, request) }
            if let tlsFailure = tlsFailure(failure) ?? tlsFailure(sendFailure) {
                return TransportError(
                    .tlsFailed, "the server ended TLS: \(tlsFailure)", phase: .tls, request: request, tlsFailure: tlsFailure)
            }
            // It is unknown whether a body that ends with its connection is complete; the same if TLS ends without close_notify (RFC 9112 §9.8).
            let isCut = parser.isHeadComplete && parser.isDelimitedByClose
            let code: TransportError.Code = isCut ? .incompleteBody : .connectionLost
            switch failure {
            case nil:
                let error = error ?? HTTP1Error(.connectionLost, "the connection was closed before a response arrived")
                return TransportError(error.code, error.message, phase: phase, request: request)
            case .withoutData:
                return TransportError(
                    code, "the connection was ended: TLS has received \(Self.maximumMessages) messages that carry no data",
                    phase: phase, request: request)
            case .system(let number):
                let reason = String(cString: strerror(number))
                return TransportError(
                    code, "the connection was lost: \(reason)", phase: phase, request: request, engineCode: Int(number))
            case .tls(let number, let message):
                let reason = message.isEmpty ? String(cString: ccurl_easy_strerror(number)) : message
                return TransportError(
                    code, "the connection was lost: \(reason)", phase: phase, request: request, engineCode: Int(number))
            }
        }
    }

    extension TransportError {
        /// The error of a request whose peer kept the loop from everything else.
        fileprivate static func flooded(_ phase: Phase, _ request: NetworkRequest) -> TransportError {
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

    /// The version of the libcurl that this process uses. Read only once, because libcurl builds its description in a static buffer.
    struct CurlLibrary: Sendable {
        /// The versions of libcurl and its libraries, such as `libcurl/7.88.1 OpenSSL/3.0.11 zlib/1.2.13`.
        let description: String
        /// The version as a number, such as 0x075801 for 7.88.1.
        let version: UInt32
        /// The TLS library, such as `OpenSSL/3.0.11`; empty without TLS.
        let tls: String

        /// Whether it was built with HTTP/3.
        let hasHTTP3: Bool

        /// The name and the version, such as `libcurl 7.88.1`.
        var name: String { "libcurl \(version >> 16).\(version >> 8 & 0xFF).\(version & 0xFF)" }

        static let current = CurlLibrary()

        private init() {
            description = String(cString: ccurl_version())
            version = ccurl_version_number()
            tls = String(cString: ccurl_tls_library())
            hasHTTP3 = Int(ccurl_features()) & CCURL_VERSION_HTTP3 != 0
        }
    }
#endif
