#if os(Linux)
    import CCurl
    import Endpoints
    import Foundation
    import Glibc

    extension ConnectHandle {
        /// What a result code of libcurl means while a connection is being made.
        func error(_ code: CInt, for transfer: CurlTransfer) -> TransportError {
            let phase = phase
            let request = transfer.request
            let said = message.isEmpty ? String(cString: ccurl_easy_strerror(code)) : message
            if let refusal = tunnelRefusal(code, said, phase, request, proxy.server) { return refusal }
            // Since 8.14.0 also a client certificate and a key that do not fit together.
            if Int(code) == CCURLE_BAD_FUNCTION_ARGUMENT, trust.hasIdentity {
                return TransportError(
                    .trustUnavailable, "clientIdentity: \(said)", phase: .tls, request: request, engineCode: Int(code))
            }
            return error(code, said: said, phase: phase, request: request, hasProxy: proxy.server != nil)
        }
    }

    extension HTTP2Handle {
        /// What a result code of libcurl means for a stream.
        func error(_ code: CInt, transfer: CurlTransfer) -> TransportError {
            let phase = phase(of: transfer)
            let said = message.isEmpty ? String(cString: ccurl_easy_strerror(code)) : message
            let isHeadUnfinished = (phase == .receive || phase == .firstByte) && !transfer.head.isComplete
            // A single line beyond 100 KiB, or all of them beyond 300 KiB; before 8.6.0 the former is out of memory.
            if Int(code) == CCURLE_TOO_LARGE || (Int(code) == CCURLE_OUT_OF_MEMORY && isHeadUnfinished) {
                return TransportError(
                    .headersTooLarge, "the response head is larger than \(CurlLibrary.current.name) takes: \(said)",
                    phase: .receive,
                    request: transfer.request, engineCode: Int(code))
            }
            let server = route?.proxy.server
            if let refusal = tunnelRefusal(code, said, phase, transfer.request, server) { return refusal }
            var error = error(code, said: said, phase: phase, request: transfer.request, hasProxy: server != nil)
            switch Int(code) {
            // A stream that ended with its connection; without a head there is no body to be incomplete.
            case CCURLE_PARTIAL_FILE where !transfer.head.isComplete: error.code = .connectionLost
            // A GOAWAY, an end without one, or frames that break the rules: the connection is gone.
            case CCURLE_HTTP2: error.code = transfer.head.isComplete ? .incompleteBody : .connectionLost
            default: break
            }
            return error
        }
    }

    extension EasyHandle {
        /// What a result code of libcurl means, whatever it was doing.
        fileprivate func error(
            _ code: CInt, said: String, phase: TransportError.Phase, request: NetworkRequest, hasProxy: Bool
        ) -> TransportError {
            let systemError = CInt(long(CCURLINFO_OS_ERRNO))
            if let failure = tlsFailure(code, said: said) {
                return TransportError(.tlsFailed, said, phase: .tls, request: request, engineCode: Int(code), tlsFailure: failure)
            }
            if isOutOfDescriptors || (Int(code) == CCURLE_COULDNT_CONNECT && systemError == 0 && !DescriptorTable.hasRoom) {
                return TransportError(
                    .outOfResources, "this process has no descriptor left", phase: .connect, request: request,
                    engineCode: Int(code))
            }
            var meaning = CurlErrors.meaning(of: code, phase: phase, systemError: systemError)
            if meaning.code == .cannotConnect, hasProxy { meaning = (.proxyFailed, .connect) }
            return TransportError(meaning.code, said, phase: meaning.phase ?? phase, request: request, engineCode: Int(code))
        }

        /// What went wrong between a proxy and the first byte of TLS, such as a CONNECT that it refused; `nil` where it was something else.
        fileprivate func tunnelRefusal(
            _ code: CInt, _ said: String, _ phase: TransportError.Phase, _ request: NetworkRequest, _ server: ProxyServer?
        ) -> TransportError? {
            guard server != nil, request.url.scheme?.lowercased() == "https" else { return nil }
            let status = long(CCURLINFO_HTTP_CONNECTCODE)
            let isLost = phase == .connect && [CCURLE_RECV_ERROR, CCURLE_SEND_ERROR, CCURLE_GOT_NOTHING].contains(Int(code))
            // Before TLS, only the proxy can have said something that is no HTTP. Without a watched handshake, the phase may be ahead of that.
            let isMalformed =
                handshake.pointee.is_done == 0 && [CCURLE_WEIRD_SERVER_REPLY, CCURLE_UNSUPPORTED_PROTOCOL].contains(Int(code))
            let isRefused = status != 0 && !(200..<300).contains(status)
            guard isLost || isMalformed || isRefused || said.contains("CONNECT aborted") else { return nil }
            return TransportError(.proxyFailed, said, phase: .connect, request: request, engineCode: Int(code))
        }

        /// Which check of TLS failed; `nil` where it was something else.
        func tlsFailure(_ code: CInt, said: String) -> TLSFailure? {
            if handshake.pointee.lacks_names != 0 { return .missingAlternativeName }
            if let failure = TLSFailure(alert: Int(handshake.pointee.alert)) { return failure }
            if handshake.pointee.alert == 0, Int(code) == CCURLE_SSL_CONNECT_ERROR, CurlErrors.isClosedByPeer(said) { return nil }
            return CurlErrors.tlsFailure(code, message: said, verifyResult: long(CCURLINFO_SSL_VERIFYRESULT))
        }
    }

    extension HTTP1Connection {
        /// Which check of TLS a server says has failed, after the handshake as TLS 1.3 has it.
        func tlsFailure(_ failure: Failure?) -> TLSFailure? {
            guard case .tls(let code, let said) = failure, let handle else { return nil }
            return handle.tlsFailure(code, said: said)
        }

        /// Why a response did not come, or not to its end.
        ///
        /// - Parameters:
        ///   - failure: Why reading failed; `nil` when the server closed the connection in order.
        ///   - flaw: What is missing then.
        func error(
            _ failure: Failure?, _ flaw: HTTP1Flaw?, phase: TransportError.Phase, request: NetworkRequest
        ) -> TransportError {
            if let tlsFailure = tlsFailure(failure) ?? tlsFailure(sendFailure) {
                return TransportError(
                    .tlsFailed, "the server ended TLS: \(tlsFailure)", phase: .tls, request: request, tlsFailure: tlsFailure)
            }
            // Of a body that ends with its connection, nobody knows whether it was whole; nor where TLS ends without saying so (RFC 9112 §9.8).
            let isCut = parser.isHeadComplete && parser.isDelimitedByClose
            let code: TransportError.Code = isCut ? .incompleteBody : .connectionLost
            switch failure {
            case nil:
                let flaw = flaw ?? HTTP1Flaw(.connectionLost, "the connection was closed before a response came")
                return TransportError(flaw.code, flaw.message, phase: phase, request: request)
            case .system(let number):
                let reason = String(cString: strerror(number))
                return TransportError(
                    code, "the connection was lost: \(reason)", phase: phase, request: request, engineCode: Int(number))
            case .tls(let number, let said):
                let reason = said.isEmpty ? String(cString: ccurl_easy_strerror(number)) : said
                return TransportError(
                    code, "the connection was lost: \(reason)", phase: phase, request: request, engineCode: Int(number))
            }
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
            // What check of TLS failed has been asked before.
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

        /// Whether a handshake failed because the connection ended, rather than for what was said in it. No number tells but the one that
        /// OpenSSL's text begins with: since 3.0 it has one for this (`SSL_R_UNEXPECTED_EOF_WHILE_READING`), and 0 is no error of TLS.
        static func isClosedByPeer(_ said: String) -> Bool {
            guard let start = said.range(of: "error:", options: .backwards) else { return true }
            guard let number = UInt32(said[start.upperBound...].prefix { $0.isHexDigit }, radix: 16) else { return false }
            return number == 0 || number & 0x7F_FFFF == 294
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

    /// Which libcurl this process runs with. Asked once: libcurl puts its answers together in one place in memory.
    struct CurlLibrary: Sendable {
        /// Such as `libcurl/7.88.1 OpenSSL/3.0.11 zlib/1.2.13`.
        let description: String
        /// Such as 0x075801 for 7.88.1.
        let version: UInt32
        /// Such as `OpenSSL/3.0.11`; empty without TLS.
        let tls: String

        /// Such as `libcurl 7.88.1`.
        var name: String { "libcurl \(version >> 16).\(version >> 8 & 0xFF).\(version & 0xFF)" }

        static let current = CurlLibrary()

        private init() {
            description = String(cString: ccurl_version())
            version = ccurl_version_number()
            tls = String(cString: ccurl_tls_library())
        }
    }
#endif
