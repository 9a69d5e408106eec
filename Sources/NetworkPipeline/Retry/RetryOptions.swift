import Endpoints
import Foundation
import NetworkCore

/// The rules that decide whether, and when, a failed request is sent again.
public struct RetryOptions: Sendable {
    /// The maximum number of attempts, including the first, 1 to 100. Default: 3.
    public var maximumAttempts: Int
    /// The pauses before further attempts. Default: ``NetworkCore/Backoff`` with its defaults.
    public var backoff: Backoff
    /// The longest pause that is accepted from one of the ``pauseFields``; if it is longer, the response is returned to the caller.
    ///
    /// Default: 60 seconds.
    public var maximumRetryAfter: Duration
    /// The header fields in which a server asks for a pause, of which the longest applies. Default: ``PauseField/retryAfter`` and
    /// ``PauseField/retryAfterMilliseconds``.
    ///
    /// No attempt is made before the end of that pause; the random backoff is added to it. After a field whose value is not understood, the
    /// pause is the whole bound of the backoff.
    public var pauseFields: Set<PauseField>
    /// The causes that are retried. Default: ``RetryCause/standard``.
    public var causes: Set<RetryCause>

    /// Creates options. The values are checked when a request passes the interceptor; invalid ones make every request fail.
    public init(
        maximumAttempts: Int = 3, backoff: Backoff = Backoff(), maximumRetryAfter: Duration = .seconds(60),
        pauseFields: Set<PauseField> = [.retryAfter, .retryAfterMilliseconds], causes: Set<RetryCause> = RetryCause.standard
    ) {
        self.maximumAttempts = maximumAttempts
        self.backoff = backoff
        self.maximumRetryAfter = maximumRetryAfter
        self.pauseFields = pauseFields
        self.causes = causes
    }

    var configurationError: String? {
        if !(1...100).contains(maximumAttempts) { return "maximumAttempts is \(maximumAttempts); it must be 1...100" }
        if maximumRetryAfter < .zero { return "maximumRetryAfter is \(maximumRetryAfter); it must not be negative" }
        return backoff.configurationError
    }
}
