import Foundation

/// How a call ended, whatever it took: the entry behind those of its attempts.
///
/// Printing it (`description`, `debugDescription`, `dump`) goes through ``Redaction/default``.
public struct LoggedOutcome: Sendable {
    /// Where the answer came from. The vocabulary is open.
    public struct Source: RawRepresentable, Sendable, Hashable {
        /// The source as entries show it.
        public var rawValue: String

        /// A source of any name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The last attempt.
        public static let attempt = Self(rawValue: "attempt")
        /// A cache of this program: nothing was sent for this answer, or only a validation of it.
        public static let cache = Self(rawValue: "cache")
        /// An attempt of another call, which had asked for the same.
        public static let sharedAttempt = Self(rawValue: "shared attempt")
        /// An interceptor, without an attempt.
        public static let interceptor = Self(rawValue: "interceptor")
        /// No interceptor was asked: the request could not be built.
        public static let none = Self(rawValue: "none")
    }

    /// The status of the response; `nil` where none came.
    public var statusCode: Int?
    /// Why the call failed: no response came, or one whose status the endpoint does not accept; `nil` where it succeeded.
    public var error: (any Error)?
    /// Where the answer, or the error, came from.
    public var source: Source
    /// How often the request was sent, or handed to the session manager.
    public var attempts: Int
    /// From the call until its end, pauses and waiting included. Of a stream, until its body has been read or let go of.
    public var duration: Duration

    /// An outcome of these parts.
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
    /// Whether one attempt is the whole story.
    var isPlain: Bool { attempts == 1 && source == .attempt }
}

extension LoggedOutcome: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// One line: status or failure, source, attempts, duration. What the error says is in its own entry.
    public var description: String { LogText(redaction: .default, maximumBodyBytes: 0).summary(self) }
    /// The same as `description`.
    public var debugDescription: String { description }
    /// The description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
