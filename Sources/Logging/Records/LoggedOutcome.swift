import Foundation

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
    public init(
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
    /// One line with the status or failure, the source, the attempts and the duration. The error is not included.
    public var description: String { LogText(redaction: .default, maximumBodyBytes: 0).summary(self) }
}
