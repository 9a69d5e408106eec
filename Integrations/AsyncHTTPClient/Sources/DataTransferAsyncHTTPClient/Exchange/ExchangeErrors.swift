import AsyncHTTPClient
import Endpoints
import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOPosix
import NIOSSL
import NetworkCore

/// The mapping from the errors of async-http-client, SwiftNIO and BoringSSL to transport errors.
enum ExchangeErrors {
    /// How far the exchange had come.
    struct Progress {
        var phase: TransportError.Phase
        /// Whether the head of the response was received.
        var hasHead: Bool
    }

    /// Returns the transport error for an error of the client.
    static func transportError(_ error: any Error, _ progress: Progress, _ request: NetworkRequest) -> TransportError {
        if let error = error as? TransportError { return error }
        let (code, phase, message) = meaning(of: error, progress)
        return TransportError(
            code, message, phase: phase, request: request, underlying: error,
            tlsFailure: code == .tlsFailed ? tlsFailure(error) : nil)
    }

    /// A reason why a request may be sent again.
    enum Refusal {
        case notSent
        case unprocessed
        /// The stream ended with its connection, as after GOAWAY, or was reset by the server: it may have processed the request.
        case dropped
        /// The server requires HTTP/1.1 (RFC 9113 §7).
        case needsHTTP1
    }

    /// Returns why the request may be sent again; `nil` if there is no particular reason.
    ///
    /// - Parameter isSent: Whether the head of the request was sent.
    static func refusal(_ error: TransportError, isSent: Bool) -> Refusal? {
        switch error.underlying {
        case let error as NIOHTTP2Errors.StreamClosed where error.errorCode == .http11Required: .needsHTTP1
        case let error as NIOHTTP2Errors.StreamClosed where error.errorCode == .refusedStream: .unprocessed
        case let error as NIOHTTP2Errors.StreamClosed where error.errorCode == .cancel: .dropped
        // The connection was about to be closed when the client gave it the request.
        case let error as HTTPClientError where !isSent && error == .cancelled: .notSent
        case let error as ChannelError where !isSent && error == .ioOnClosedChannel: .notSent
        default: nil
        }
    }

    private typealias Meaning = (TransportError.Code, TransportError.Phase, String)

    private static func meaning(of error: any Error, _ progress: Progress) -> Meaning {
        let lost: TransportError.Code = progress.hasHead ? .incompleteBody : .connectionLost
        return switch error {
        case let error as HTTPClientError: meaning(of: error, progress, lost)
        case let error as HTTPParserError: meaning(of: error, progress, lost)
        // The connection received something before the request was sent: it cannot be used any more.
        case let error as NIOHTTPDecoderError:
            (progress.hasHead ? .malformedResponse : .connectionLost, progress.phase, "\(error)")
        case let error as NIOConnectionError: meaning(of: error)
        case let error as ChannelError: meaning(of: error, progress, lost)
        case let error as IOError: meaning(of: error, progress)
        case NIOSSLError.uncleanShutdown: (lost, progress.phase, "the connection ended without the end of TLS")
        case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError:
            (progress.hasHead ? .connectionLost : .tlsFailed, progress.hasHead ? progress.phase : .tls, "\(error)")
        case is any NIOHTTP2Error: (.connectionLost, progress.phase, "HTTP/2: \(error)")
        case is CancellationError: (.cancelled, progress.phase, "the task was cancelled")
        default: (.other, progress.phase, "\(type(of: error)): \(error)")
        }
    }

    private static func meaning(of error: HTTPClientError, _ progress: Progress, _ lost: TransportError.Code) -> Meaning {
        let text = error.shortDescription
        return switch error {
        // Not by this package, which cancels with its own errors.
        case .cancelled: (.connectionLost, progress.phase, "the connection was being closed")
        case .requestStreamCancelled: (.connectionLost, progress.phase, text)
        case .readTimeout, .writeTimeout, .deadlineExceeded: (.timedOut, progress.phase, text)
        case .connectTimeout, .getConnectionFromPoolTimeout: (.timedOut, .connect, text)
        case .tlsHandshakeTimeout: (.timedOut, .tls, text)
        case .remoteConnectionClosed: (lost, progress.phase, "the server closed the connection")
        case .alreadyShutdown: (.sessionClosed, progress.phase, text)
        case .invalidURL, .emptyHost, .emptyScheme, .traceRequestWithBody: (.invalidRequest, progress.phase, text)
        case .bodyLengthMismatch: (.bodyFailed, .send, text)
        default: (.other, progress.phase, error.description)
        }
    }

    private static func meaning(of error: HTTPParserError, _ progress: Progress, _ lost: TransportError.Code) -> Meaning {
        switch error {
        case .headerOverflow: (.headersTooLarge, .receive, "the response head is larger than SwiftNIO permits (80 KiB)")
        case .invalidEOFState: (lost, progress.phase, "the server closed the connection inside the response")
        default: (.malformedResponse, .receive, "\(error)")
        }
    }

    private static func meaning(of error: NIOConnectionError) -> Meaning {
        if error.connectionErrors.isEmpty { return (.nameLookupFailed, .nameLookup, "the host has no address") }
        let isLate = error.connectionErrors.contains { if case ChannelError.connectTimeout = $0.error { true } else { false } }
        if isLate { return (.timedOut, .connect, "no connection within the connect timeout") }
        return (.cannotConnect, .connect, error.connectionErrors.map { "\($0.error)" }.joined(separator: "; "))
    }

    private static func meaning(of error: ChannelError, _ progress: Progress, _ lost: TransportError.Code) -> Meaning {
        switch error {
        case .connectTimeout: (.timedOut, .connect, "no connection within the connect timeout")
        default: (lost, progress.phase, "\(error)")
        }
    }

    private static func meaning(of error: IOError, _ progress: Progress) -> Meaning {
        switch error.errnoCode {
        case EMFILE, ENFILE, ENOMEM, ENOBUFS: (.outOfResources, progress.phase, "\(error)")
        default:
            progress.phase == .connect
                ? (.cannotConnect, .connect, "\(error)")
                : (progress.hasHead ? .incompleteBody : .connectionLost, progress.phase, "\(error)")
        }
    }

    private static func tlsFailure(_ error: any Error) -> TLSFailure {
        if let error = error as? NIOSSLExtraError {
            return error == .failedToValidateHostname || error == .serverHostnameImpossibleToMatch ? .wrongHost : .other
        }
        let text = "\(error)"
        let names: [(String, TLSFailure)] = [
            ("unableToValidateCertificate", .wrongHost), ("noCertificateToValidate", .other),
            ("CERTIFICATE_VERIFY_FAILED", .unknownIssuer), ("CERTIFICATE_REQUIRED", .clientCertificateRequired),
            ("ALERT_BAD_CERTIFICATE", .clientCertificateRejected), ("ALERT_UNKNOWN_CA", .clientCertificateRejected),
            ("PROTOCOL_VERSION", .protocolVersion), ("UNSUPPORTED_PROTOCOL", .protocolVersion),
            ("HANDSHAKE_FAILURE", .handshakeRefused), ("WRONG_VERSION_NUMBER", .notTLS), ("HTTP_REQUEST", .notTLS),
        ]
        return names.first { text.contains($0.0) }?.1 ?? .other
    }
}
