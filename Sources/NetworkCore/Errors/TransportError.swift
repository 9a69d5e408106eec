import Endpoints
import Foundation
import NetworkLogging

/// Why no response came: what a session manager throws.
public struct TransportError: Error, Sendable {
    /// What a caller branches on. The vocabulary is open.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The code as descriptions show it.
        public var rawValue: String

        /// A code of any name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }
    }

    /// How far the transfer had come.
    public enum Phase: String, Sendable, Hashable {
        /// Waiting for a connection.
        case queued
        /// Asking for the host's addresses.
        case nameLookup = "name lookup"
        /// Opening the TCP connection.
        case connect
        /// The handshake, and the check of the certificate.
        case tls = "TLS handshake"
        /// Sending the request.
        case send
        /// Waiting for the first byte of the response.
        case firstByte = "waiting for the response"
        /// Receiving the response.
        case receive
    }

    private struct Parts: Sendable {
        var code: Code
        var phase: Phase?
        var message: String
        var request: String?
        var engineCode: Int?
        var underlying: (any Error)?
        var tlsFailure: TLSFailure?
        var timings: TransferTimings?
        var attempts = 1
    }

    private var parts: Boxed<Parts>

    /// An error. Secrets in `message` are replaced, and of `request` only method, origin and path are kept.
    public init(
        _ code: Code, _ message: String, phase: Phase? = nil, request: NetworkRequest? = nil, engineCode: Int? = nil,
        underlying: (any Error)? = nil, tlsFailure: TLSFailure? = nil
    ) {
        parts = Boxed(
            Parts(
                code: code, phase: phase, message: Redaction.default.redacted(text: message),
                request: request.map(Self.text(of:)), engineCode: engineCode,
                underlying: underlying, tlsFailure: tlsFailure))
    }

    static func text(of request: NetworkRequest) -> String {
        "\(request.method) \(URLText(request.url).originAndPath)"
    }
}

extension TransportError {
    /// What a caller branches on.
    public var code: Code {
        get { parts.value.code }
        set { parts.value.code = newValue }
    }

    /// `nil` where it does not apply or is not known.
    public var phase: Phase? {
        get { parts.value.phase }
        set { parts.value.phase = newValue }
    }

    /// What happened, for people. Holds no query, no credentials and nothing of a body.
    public var message: String { parts.value.message }

    /// `GET https://host/path`, without the query.
    public package(set) var request: String? {
        get { parts.value.request }
        set { parts.value.request = newValue }
    }

    /// The number the engine below gave it: a libcurl `CURLcode` or a `URLError` code.
    public var engineCode: Int? {
        get { parts.value.engineCode }
        set { parts.value.engineCode = newValue }
    }

    /// How many attempts had been made by then, as an interceptor that retries counts them; 1 without any.
    public package(set) var attempts: Int {
        get { parts.value.attempts }
        set { parts.value.attempts = newValue }
    }

    /// The error that caused it. Descriptions leave it out, but for that of a failed ``Code/authenticationFailed``, of which they show what
    /// this framework says: request, status and a redacted snippet.
    public var underlying: (any Error)? {
        get { parts.value.underlying }
        set { parts.value.underlying = newValue }
    }

    /// Which check of TLS failed, where ``code`` is ``Code/tlsFailed``.
    public var tlsFailure: TLSFailure? {
        get { parts.value.tlsFailure }
        set { parts.value.tlsFailure = newValue }
    }

    /// Where the time went until then; `nil` where it was called off, or never begun. Descriptions leave it out.
    public var timings: TransferTimings? {
        get { parts.value.timings }
        set { parts.value.timings = newValue }
    }
}

extension TransportError.Code {
    /// Called off, by the handle or by the task.
    public static let cancelled = Self(rawValue: "cancelled")
    /// A limit of time ran out; the phase says in what.
    public static let timedOut = Self(rawValue: "timedOut")
    /// The request itself cannot be sent; the cause is a `RequestGenerationError`.
    public static let invalidRequest = Self(rawValue: "invalidRequest")
    /// A limit of the session manager makes no sense.
    public static let invalidConfiguration = Self(rawValue: "invalidConfiguration")
    /// The host has no address, or none could be asked for.
    public static let nameLookupFailed = Self(rawValue: "nameLookupFailed")
    /// Refused, unreachable, or no route.
    public static let cannotConnect = Self(rawValue: "cannotConnect")
    /// Lost before a response was complete: reset, or closed without an answer.
    public static let connectionLost = Self(rawValue: "connectionLost")
    /// The body ended before its announced end.
    public static let incompleteBody = Self(rawValue: "incompleteBody")
    /// What came is not HTTP.
    public static let malformedResponse = Self(rawValue: "malformedResponse")
    /// The content coding (gzip and the like) is unknown or damaged.
    public static let undecodableContent = Self(rawValue: "undecodableContent")
    /// `maximumBodyBytes`.
    public static let bodyTooLarge = Self(rawValue: "bodyTooLarge")
    /// `maximumHeaderBytes`.
    public static let headersTooLarge = Self(rawValue: "headersTooLarge")
    /// `maximumRedirects`.
    public static let tooManyRedirects = Self(rawValue: "tooManyRedirects")
    /// A redirect from https to http, to another scheme, or to something that is no URL.
    public static let redirectRefused = Self(rawValue: "redirectRefused")
    /// The TLS handshake or the check of the certificate failed; ``TransportError/tlsFailure`` says which check.
    public static let tlsFailed = Self(rawValue: "tlsFailed")
    /// What the trust policy asks for cannot be loaded, or not be enforced by this session manager. No request was sent.
    public static let trustUnavailable = Self(rawValue: "trustUnavailable")
    /// The body could not be read: its file is not there or shorter than it was, or the sequence that makes it failed or made another
    /// number of bytes than announced. What it threw is ``TransportError/underlying``.
    public static let bodyFailed = Self(rawValue: "bodyFailed")
    /// The body is needed again, for a redirect or another attempt, but can be read only once.
    public static let bodyNotReplayable = Self(rawValue: "bodyNotReplayable")
    /// The proxy could not be used.
    public static let proxyFailed = Self(rawValue: "proxyFailed")
    /// This process has no descriptor, thread or memory left.
    public static let outOfResources = Self(rawValue: "outOfResources")
    /// This session manager cannot do what was asked.
    public static let unsupported = Self(rawValue: "unsupported")
    /// A test double has no answer for this request.
    public static let notStubbed = Self(rawValue: "notStubbed")
    /// An interceptor failed or broke its contract.
    public static let interceptorFailed = Self(rawValue: "interceptorFailed")
    /// There are no credentials, or they could not be refreshed; the cause is ``TransportError/underlying``.
    public static let authenticationFailed = Self(rawValue: "authenticationFailed")
    /// A limit of our own kept the request from being sent: a gate, a rate, or a breaker that is open.
    public static let notAdmitted = Self(rawValue: "notAdmitted")
    /// What no other code names.
    public static let other = Self(rawValue: "other")
}

extension TransportError {
    /// Whether the request was called off.
    public var isCancelled: Bool { code == .cancelled }
    /// Whether a limit of time ran out, in whichever phase.
    public var isTimeout: Bool { code == .timedOut }

    /// Whether the network, rather than this request or the server's answer, was at fault.
    public var isConnectivity: Bool {
        [.nameLookupFailed, .cannotConnect, .connectionLost, .proxyFailed].contains(code)
            || (isTimeout && [.nameLookup, .connect, .tls].contains(phase))
    }

    /// Whether the same request might fare better a moment later. Says nothing of whether repeating it is harmless: ask
    /// ``Endpoints/HTTPMethod/isIdempotent``.
    public var isRetryable: Bool {
        isConnectivity || isTimeout || code == .incompleteBody || code == .outOfResources
    }
}

extension TransportError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable, LocalizedError {
    /// Request, code, phase, attempts, message and engine code on one line; ``underlying`` only as said there.
    public var description: String {
        var text = request.map { $0 + ": " } ?? ""
        text += code.rawValue
        if let phase { text += " (\(phase.rawValue))" }
        if attempts > 1 { text += " after \(attempts) attempts" }
        if let tlsFailure, tlsFailure != .other { text += ": \(tlsFailure)" }
        text += ": " + message.printableLine
        if let engineCode { text += " [\(engineCode)]" }
        if code == .authenticationFailed, let cause = underlying as? any RedactedError { text += "; cause: \(cause)" }
        return text
    }

    /// The same as `description`.
    public var debugDescription: String { description }
    /// The same as `description`.
    public var errorDescription: String? { description }
    /// The description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

/// An error of this framework, whose description shows no secret.
package protocol RedactedError: Error, CustomStringConvertible {}

extension TransportError: RedactedError {}
extension NetworkError: RedactedError {}
