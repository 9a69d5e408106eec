import Endpoints
import Foundation
import NetworkLogging

/// The error that a session manager throws when a request yields no complete response.
public struct TransportError: Error, Sendable {
    /// The kind of failure. More values may be added in later versions.
    public struct Code: ErrorCode {
        /// The name of the code, as descriptions show it.
        public var rawValue: String

        /// Creates a code with any name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }
    }

    /// The stage of the transfer in which it failed.
    public enum Phase: String, Sendable, Hashable {
        /// Waiting for a connection.
        case queued
        /// Resolving the host's addresses.
        case nameLookup = "name lookup"
        /// Opening the TCP connection.
        case connect
        /// Performing the TLS handshake and checking the certificate.
        case tls = "TLS handshake"
        /// Sending the request's head and body.
        case send
        /// Waiting for the first byte of the response.
        case firstByte = "waiting for the response"
        /// Receiving the response's head and body.
        case receive
    }

    private struct Parts: Sendable {
        var code: Code
        var phase: Phase?
        var message: MessageText
        var request: RequestLabel?
        var engineCode: Int?
        var underlying: (any Error)?
        var tlsFailure: TLSFailure?
        var timings: TransferTimings?
        var attempts = 1
        var retryEnd: RetryEnd?
        var countedAttempt: CountedAttempt?
    }

    private var parts: CopyOnWrite<Parts>

    /// Creates an error. Of `message`, the first 4,096 bytes are kept, and secrets in it are redacted when it is read; of `request`, descriptions
    /// show only method, origin and path.
    public init(
        _ code: Code, _ message: String, phase: Phase? = nil, request: NetworkRequest? = nil, engineCode: Int? = nil,
        underlying: (any Error)? = nil, tlsFailure: TLSFailure? = nil
    ) {
        parts = CopyOnWrite(
            Parts(
                code: code, phase: phase, message: MessageText(message), request: request.map(RequestLabel.init),
                engineCode: engineCode, underlying: underlying, tlsFailure: tlsFailure))
    }
}

extension TransportError {
    /// The kind of failure, on which a caller can branch.
    public var code: Code {
        get { parts.value.code }
        set { parts.value.code = newValue }
    }

    /// The stage of the transfer in which it failed; `nil` if it is not known or does not apply.
    public var phase: Phase? {
        get { parts.value.phase }
        set { parts.value.phase = newValue }
    }

    /// A readable reason. It contains no query, no credentials and no part of a body; control characters in it are escaped.
    public var message: String { parts.value.message.shown }

    /// The method and URL of the request without its query, such as `GET https://host/path`; `nil` if no request is known.
    public package(set) var request: String? {
        get { parts.value.request?.text }
        set { parts.value.request = newValue.map(RequestLabel.init) }
    }

    /// Sets the request, unless one is known.
    package mutating func addRequest(_ request: NetworkRequest) {
        if parts.value.request == nil { parts.value.request = RequestLabel(request) }
    }

    /// Whether another error has the same code and message.
    package func hasSameReason(as other: TransportError) -> Bool {
        code == other.code && parts.value.message == other.parts.value.message
    }

    /// The error number of the underlying engine: a value of `errno`, or a `URLError` code.
    package var engineCode: Int? {
        get { parts.value.engineCode }
        set { parts.value.engineCode = newValue }
    }

    /// The number of attempts made so far, as counted by an interceptor that retries. Default: 1.
    public package(set) var attempts: Int {
        get { parts.value.attempts }
        set { parts.value.attempts = newValue }
    }

    /// Why no further attempt was made although the failure is one that is retried; `nil` if there is no such reason.
    package var retryEnd: RetryEnd? {
        get { parts.value.retryEnd }
        set { parts.value.retryEnd = newValue }
    }

    /// The attempt of a transfer that has failed with this error; `nil` if no interceptor has counted it.
    package var countedAttempt: CountedAttempt? {
        get { parts.value.countedAttempt }
        set { parts.value.countedAttempt = newValue }
    }

    /// The error that caused this one.
    ///
    /// If code of the application has thrown it, such as a closure or a sequence, ``message`` contains its text, with secrets redacted. Descriptions leave out all others,
    /// with one exception: for ``Code/authenticationFailed`` they show a cause that is an error of this framework, with its request, status and a redacted snippet.
    public var underlying: (any Error)? {
        get { parts.value.underlying }
        set { parts.value.underlying = newValue }
    }

    /// The TLS failure, if ``code`` is ``Code/tlsFailed``.
    public var tlsFailure: TLSFailure? {
        get { parts.value.tlsFailure }
        set { parts.value.tlsFailure = newValue }
    }

    /// The durations of the transfer's phases until it failed. Descriptions leave them out.
    ///
    /// `nil` for a transfer that was cancelled or never started.
    public var timings: TransferTimings? {
        get { parts.value.timings }
        set { parts.value.timings = newValue }
    }
}

extension TransportError.Code {
    /// The request was cancelled, through its handle or its task.
    public static let cancelled = Self(rawValue: "cancelled")
    /// A time limit was exceeded; ``TransportError/phase`` is the stage in which that happened.
    public static let timedOut = Self(rawValue: "timedOut")
    /// The request itself cannot be sent; the cause is a `RequestGenerationError`.
    public static let invalidRequest = Self(rawValue: "invalidRequest")
    /// A setting of the session manager or of an interceptor is invalid.
    public static let invalidConfiguration = Self(rawValue: "invalidConfiguration")
    /// The host has no address, or the name lookup failed.
    public static let nameLookupFailed = Self(rawValue: "nameLookupFailed")
    /// The connection was refused, or the host is unreachable.
    public static let cannotConnect = Self(rawValue: "cannotConnect")
    /// The connection was reset, or closed before the response was complete.
    public static let connectionLost = Self(rawValue: "connectionLost")
    /// The body ended before its announced end.
    public static let incompleteBody = Self(rawValue: "incompleteBody")
    /// The received bytes are not a valid HTTP response.
    public static let malformedResponse = Self(rawValue: "malformedResponse")
    /// The content coding (gzip and the like) is unknown or damaged.
    public static let undecodableContent = Self(rawValue: "undecodableContent")
    /// The body is larger than a limit allows, such as ``SessionConfiguration/maximumBodyBytes``.
    public static let bodyTooLarge = Self(rawValue: "bodyTooLarge")
    /// The head, interim responses and trailers are larger than ``SessionConfiguration/maximumHeaderBytes``, the head or the trailers have
    /// more lines than ``SessionConfiguration/maximumHeaderFields``, or there are more than 64 interim responses.
    public static let headersTooLarge = Self(rawValue: "headersTooLarge")
    /// The request was redirected more often than ``SessionConfiguration/maximumRedirects`` allows.
    public static let tooManyRedirects = Self(rawValue: "tooManyRedirects")
    /// A redirect is not followed: it leads from https to http, to another scheme or to an invalid URL, has several different `Location`
    /// fields, or ``Endpoints/RedirectPolicy`` refuses it.
    public static let redirectRefused = Self(rawValue: "redirectRefused")
    /// The TLS handshake or the certificate check failed; ``TransportError/tlsFailure`` has the reason.
    public static let tlsFailed = Self(rawValue: "tlsFailed")
    /// The trust policy cannot be loaded, or this session manager cannot enforce it. No request was sent.
    public static let trustUnavailable = Self(rawValue: "trustUnavailable")
    /// The request's body could not be read.
    ///
    /// Its file is missing or has become shorter, or the sequence that produces it failed or produced a different number of bytes
    /// than announced. The error that it threw is ``TransportError/underlying``.
    public static let bodyFailed = Self(rawValue: "bodyFailed")
    /// The body must be sent again, for a redirect or another attempt, but can be read only once.
    public static let bodyNotReplayable = Self(rawValue: "bodyNotReplayable")
    /// The connection to the proxy failed, or the proxy could not connect to the server.
    public static let proxyFailed = Self(rawValue: "proxyFailed")
    /// The proxy refuses to connect to the server, and would refuse it again: it does not accept the credentials or does not permit the server, or it is
    /// no proxy of the configured kind. ``proxyFailed`` is a failure that may pass.
    public static let proxyRefused = Self(rawValue: "proxyRefused")
    /// The process has no file descriptors, threads or memory left.
    public static let outOfResources = Self(rawValue: "outOfResources")
    /// The session manager does not support what was requested.
    public static let unsupported = Self(rawValue: "unsupported")
    /// The version of HTTP that ``SessionConfiguration/httpVersion`` requires cannot be used: the server, this session manager or its
    /// library does not speak it, or the route does not permit it. The server has not processed the request.
    public static let httpVersionUnavailable = Self(rawValue: "httpVersionUnavailable")
    /// A test double has no response for this request.
    public static let notStubbed = Self(rawValue: "notStubbed")
    /// An interceptor failed or violated its contract.
    public static let interceptorFailed = Self(rawValue: "interceptorFailed")
    /// There are no credentials, or they could not be refreshed; the cause is ``TransportError/underlying``.
    public static let authenticationFailed = Self(rawValue: "authenticationFailed")
    /// The client's own limits prevented the request from being sent: a concurrency limit, a rate limit, or an open circuit
    /// breaker.
    public static let notAdmitted = Self(rawValue: "notAdmitted")
    /// The session manager was closed (``ClosableSessionManager/close(grace:)``): the request was refused, or it had not ended when the
    /// grace period was over. ``TransportError/phase`` is `nil` for a request that was refused.
    public static let sessionClosed = Self(rawValue: "sessionClosed")
    /// A failure that no other code describes.
    public static let other = Self(rawValue: "other")
}

extension TransportError {
    /// The message for a head, or for trailers, with more field lines than ``SessionConfiguration/maximumHeaderFields``.
    package static func tooManyFields(_ maximum: Int) -> String {
        "the response head, or its trailers, have more than \(maximum) field lines (maximumHeaderFields)"
    }

    /// Whether the request was cancelled.
    public var isCancelled: Bool { code == .cancelled }
    /// Whether a time limit was exceeded, in any phase.
    public var isTimeout: Bool { code == .timedOut }

    /// Whether the network caused the failure, rather than the request or the server's response: the name lookup, the connection or the proxy
    /// failed, or the connection was lost. Also if this happened to the request for the credentials
    /// (``Code/authenticationFailed``).
    public var isConnectivity: Bool {
        isOfConnection || code == .authenticationFailed && underlying?.isConnectivity ?? false
    }

    /// Whether the connection of the request itself failed, which says something about its server.
    package var isOfConnection: Bool {
        [.nameLookupFailed, .cannotConnect, .connectionLost, .proxyFailed].contains(code)
            || (isTimeout && [.nameLookup, .connect, .tls].contains(phase))
    }

    /// Whether the same request may succeed when it is sent again later: the network failed, also for the request for the credentials, a time limit
    /// was exceeded, the body is incomplete, or the process had no resources left.
    ///
    /// It does not indicate whether repeating the request is safe; see ``Endpoints/RequestMethod/isIdempotent``.
    public var isRetryable: Bool { code.isTemporary || isConnectivity }
}

// The one rule about which failures are temporary, for questions about errors and for retries.
extension TransportError.Code {
    /// The failures after which the same request may succeed later.
    package static let temporary: Set<Self> = [
        .timedOut, .nameLookupFailed, .cannotConnect, .connectionLost, .incompleteBody, .proxyFailed, .outOfResources,
    ]

    /// Whether the same request may succeed later.
    package var isTemporary: Bool { Self.temporary.contains(self) }
}

extension NetworkError {
    /// The statuses after which the same request may succeed later. An internal error, 500, is likely to occur again (RFC 9110 §15.6.1).
    package static let temporaryStatuses: Set<Int> = [408, 425, 429, 502, 503, 504]
}

extension TransportError: RedactedStringConvertible, LocalizedError {
    /// A description on one line: request, code, phase, attempts, message and engine code. See ``underlying`` for when it shows
    /// the cause.
    public var description: String {
        var text = request.map { $0 + ": " } ?? ""
        text += code.rawValue
        if let phase { text += " (\(phase.rawValue))" }
        if attempts > 1 { text += " after \(attempts) attempts" }
        if let tlsFailure, tlsFailure != .other { text += ": \(tlsFailure)" }
        text += ": " + parts.value.message.line
        if let engineCode { text += " [\(engineCode)]" }
        if let retryEnd { text += "; not sent again because \(retryEnd.text)" }
        if code == .authenticationFailed, let cause = underlying as? any RedactedError { text += "; cause: \(cause)" }
        return text
    }
}

extension TransportError {
    static var concurrentReading: TransportError { TransportError(.other, "two tasks read one body at the same time") }
}

/// An error of this framework whose description contains no secrets.
package protocol RedactedError: Error, CustomStringConvertible {}

extension TransportError: RedactedError {}
extension NetworkError: RedactedError {}
