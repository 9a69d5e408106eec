import Foundation
import NetworkSupport

/// A record of a response, passed to loggers. Its URL and body are not redacted; each logger has to redact what it writes.
///
/// Its textual representations (`description`, `debugDescription`, `dump`) are redacted with ``Redaction/default``.
public struct LoggedResponse: Sendable, Hashable {
    /// The status code, such as `200`.
    public var statusCode: Int
    /// The URL of the response, after redirects, not redacted; `nil` if it is not known.
    var receivedURL: URL?
    /// The URL of the response, after redirects, with secrets redacted; `nil` if it is not known.
    public var url: URL? {
        get { receivedURL?.redacted }
        set { receivedURL = newValue }
    }
    /// The header fields in the order in which they were received. Their values are redacted when they are read.
    public var headers: [LoggedField]
    /// The decoded body; `nil` if it is not in memory (a download, a stream).
    public var body: Data?
    /// The time from the start of the request to the last byte of the response.
    public var duration: Duration
    /// The protocol of the connection, `http/1.1` or `h2`, or `nil` if it is not known.
    public var protocolName: String?
    /// Whether the connection was used for another request before, or `nil` if it is not known.
    public var isReusedConnection: Bool?
    /// The number of bytes of the request's body that were sent, or `nil` if it is not known.
    public var bytesSent: Int64?
    /// The number of bytes of the response's body that were received, before content decoding, or `nil` if it is not known.
    public var bytesReceived: Int64?
    /// The number of the attempt to which the response belongs, starting at 1.
    public var attempt: Int
    /// The phases of ``duration``, in the order in which they occurred; empty if they were not measured.
    public var phases: [LoggedPhase]

    /// Creates a record of a response.
    package init(
        statusCode: Int,
        url: URL? = nil,
        headers: [LoggedField] = [],
        body: Data? = nil,
        duration: Duration = .zero,
        protocolName: String? = nil,
        isReusedConnection: Bool? = nil,
        bytesSent: Int64? = nil,
        bytesReceived: Int64? = nil,
        attempt: Int = 1,
        phases: [LoggedPhase] = []
    ) {
        self.statusCode = statusCode
        receivedURL = url
        self.headers = headers
        self.body = body
        self.duration = duration
        self.protocolName = protocolName
        self.isReusedConnection = isReusedConnection
        self.bytesSent = bytesSent
        self.bytesReceived = bytesReceived
        self.attempt = attempt
        self.phases = phases
    }

    /// Returns the value of the first header field with a name, compared case-insensitively, or `nil`.
    public func header(_ name: String) -> String? {
        headers.firstValue(of: name)
    }
}

extension LoggedResponse: RedactedStringConvertible {
    /// One line with the status, redacted URL, duration and body size.
    public var description: String {
        let place = receivedURL.map { " \(VisibleText.escaped(Redaction.default.redacted(url: $0)))" } ?? ""
        let size = body.map { ", \(LogText.bytes(Int64($0.count)))" } ?? ""
        return "\(statusCode)\(place) in \(LogText.milliseconds(duration))\(size)"
    }
    /// The description, followed by the redacted headers, one per line.
    public var debugDescription: String { ([description] + headers.map(\.description)).joined(separator: "\n    | ") }
}

/// A named phase of a transfer, such as the name lookup, the connect or the wait for the first byte.
public struct LoggedPhase: Sendable, Hashable {
    /// The name of the phase, in lower-case words: `dns`, `connect`, `tls`, `first byte`.
    public var name: String
    /// The duration of the phase.
    public var duration: Duration

    /// Creates a phase from a name and a duration.
    package init(name: String, duration: Duration) {
        self.name = name
        self.duration = duration
    }
}

/// A record of how a call ended, logged after the entries of its attempts.
///
/// Its textual representations (`description`, `debugDescription`, `dump`) are redacted with ``Redaction/default``.
public struct LoggedOutcome: Sendable {
    /// The source of a response or an error. Other sources than the listed ones can be created.
    public struct Source: RawRepresentable, Sendable, Hashable {
        /// The name of the source as shown in log entries.
        public var rawValue: String

        /// Creates a source with any name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The last attempt of the call.
        public static let attempt = Self(rawValue: "attempt")
        /// A cache of this program: no request was sent, or only a validation of the cached response.
        public static let cache = Self(rawValue: "cache")
        /// An attempt of another call with the same request.
        public static let sharedAttempt = Self(rawValue: "shared attempt")
        /// An interceptor, without an attempt.
        public static let interceptor = Self(rawValue: "interceptor")
        /// No source: the request could not be created, and no interceptor was called.
        public static let none = Self(rawValue: "none")
    }

    /// The status of the response, or `nil` if no response was received.
    public var statusCode: Int?
    /// The error with which the call failed, such as a missing response or a status that the endpoint does not accept; `nil` if the call
    /// succeeded.
    public var error: (any Error)?
    /// The source of the response or the error.
    public var source: Source
    /// The number of times that the request was sent or passed to the session manager.
    public var attempts: Int
    /// The time from the start of the call to its end, including pauses and waiting. A stream ends when its body has been read or released.
    public var duration: Duration

    /// Creates an outcome of a call.
    package init(
        statusCode: Int? = nil, error: (any Error)? = nil, source: Source = .attempt, attempts: Int = 1,
        duration: Duration = .zero
    ) {
        self.statusCode = statusCode
        self.error = error
        self.source = source
        self.attempts = attempts
        self.duration = duration
    }
}

extension LoggedOutcome {
    /// Whether the call had exactly one attempt, which was the source of its response or error.
    var isPlain: Bool { attempts == 1 && source == .attempt }
}

extension LoggedOutcome: RedactedStringConvertible {
    /// One line with the status, the source, the attempts, the duration, and the description of the error unless it is that of a status.
    public var description: String {
        let text = LogText(redaction: .default, maximumBodyBytes: 0)
        let cause = statusCode == nil ? error.map { ": \(text.printed(String(describing: $0)))" } ?? "" : ""
        return text.summary(self) + cause
    }
}
