#if os(Linux)
    import COpenSSL
    import Endpoints
    import NetworkSupport
    import NetworkTransport

    /// Why TLS has failed, in OpenSSL's words.
    struct TLSProblem {
        /// Which check has failed; `nil` if the connection has failed rather than TLS.
        var failure: TLSFailure?
        var message: String
        /// The number of the alert that the peer has sent (RFC 8446 §6); 0 without one.
        var alert = 0
    }

    extension TLSConnection {
        /// Why the last call has failed: an error of the system, or of TLS.
        var failure: SocketChannel.Failure {
            hasSentNoData
                ? .withoutData
                : state.pointee.system_error != 0 && state.pointee.alert == 0
                    ? .system(state.pointee.system_error) : .tls(problem)
        }

        private var hasSentNoData: Bool { state.pointee.hasSentNoData }

        /// What is known of a failure.
        var problem: TLSProblem { state.pointee.problem }
    }

    extension copenssl_connection {
        /// Whether the peer sends messages of TLS without end.
        fileprivate var hasSentNoData: Bool { Int(bytes_without_data) > SocketChannel.maximumWithoutData }

        /// What is known of a failure.
        var problem: TLSProblem {
            let state = self
            let words = Self.text(state.text)
            if hasSentNoData {
                return TLSProblem(
                    failure: .other, message: "the handshake has received more than \(SocketChannel.maximumWithoutData) bytes")
            }
            switch state.refusal {
            case CInt(COPENSSL_REFUSAL_CURVE):
                return TLSProblem(
                    failure: .other,
                    message: "a certificate of the server describes an elliptic curve instead of naming it (RFC 5480 §2.1.1)")
            case CInt(COPENSSL_REFUSAL_COUNT):
                return TLSProblem(failure: .other, message: "the server has more than 32 certificates")
            case CInt(COPENSSL_REFUSAL_GROUP):
                return TLSProblem(
                    failure: .other, message: "the server has chosen a Diffie-Hellman group of more than 4096 bits")
            default: break
            }
            if state.is_pin_missing != 0 {
                return TLSProblem(failure: .pinMismatch, message: "no key of the server's certificate chain is pinned")
            }
            if state.verify_result != 0 { return verificationProblem }
            if state.alert != 0 {
                return TLSProblem(
                    failure: TLSFailure(alert: Int(state.alert)) ?? .other, message: "the peer has ended TLS: \(words)",
                    alert: Int(state.alert))
            }
            let failure = Self.failures[state.reason]
            if failure == nil, state.has_input_ended != 0 || state.has_ended_orderly != 0 {
                return TLSProblem(message: "the connection was closed during the TLS handshake")
            }
            if failure == nil, state.system_error != 0 {
                return TLSProblem(message: String(cString: strerror(state.system_error)))
            }
            return TLSProblem(failure: failure ?? .other, message: words.isEmpty ? "TLS has failed" : words)
        }

        /// The certificate that was not accepted, and why.
        private var verificationProblem: TLSProblem {
            let state = self
            let words = String(cString: copenssl_verification_text(state.verify_result))
            let subject = Self.text(state.verify_subject)
            let place =
                state.verify_depth == 0 ? "the server's certificate" : "certificate \(state.verify_depth + 1) of the chain"
            return TLSProblem(
                failure: state.lacks_names != 0 ? .missingAlternativeName : TLSFailure(verifyResult: Int(state.verify_result)),
                message: "\(words) (\(place)\(subject.isEmpty ? "" : ", \(subject)"))")
        }

        /// The failures of OpenSSL's reasons.
        private static let failures: [CInt: TLSFailure] = [
            CInt(COPENSSL_REASON_WRONG_VERSION_NUMBER): .notTLS, CInt(COPENSSL_REASON_HTTP_REQUEST): .notTLS,
            CInt(COPENSSL_REASON_HTTPS_PROXY_REQUEST): .notTLS, CInt(COPENSSL_REASON_PACKET_LENGTH_TOO_LONG): .notTLS,
            CInt(COPENSSL_REASON_UNSUPPORTED_PROTOCOL): .protocolVersion,
            CInt(COPENSSL_REASON_NO_PROTOCOLS_AVAILABLE): .protocolVersion,
            CInt(COPENSSL_REASON_VERSION_TOO_LOW): .protocolVersion,
        ]

        /// Returns a text that C has written into an array.
        private static func text<Characters>(_ characters: Characters) -> String {
            withUnsafeBytes(of: characters) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        }
    }
#endif
