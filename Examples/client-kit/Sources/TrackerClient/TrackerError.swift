import DataTransfer

/// The error of every call of a ``TrackerClient``: what a caller can branch on. Its description contains no secret.
public enum TrackerError: Error, Sendable {
    /// There is no such issue.
    case notFound
    /// The user must sign in again.
    case signedOut
    /// The tracker refuses the request, for the reason that it states.
    case refused(Refusal)
    /// The tracker cannot be reached, or is overloaded. The same call may succeed later.
    case unavailable(any Error)
    /// The task was cancelled.
    case cancelled
    /// The response is not one of the API, or the request could not be built.
    case unexpected(any Error)

    /// The body of the tracker's errors.
    public struct Refusal: Error, Decodable, Sendable, Hashable {
        /// The name of the error, such as `title_missing`.
        public var code: String
        /// A text for people.
        public var message: String
    }

    init(_ error: any Error) {
        if error.isCancelled {
            self = .cancelled
        } else if let cause = error.tokenFailure {
            // The tracker refused the refresh token, or could not be asked for a new access token.
            self = cause.statusCode == nil ? TrackerError(cause) : .signedOut
        } else if error.statusCode == StatusCode.notFound {
            self = .notFound
        } else if error.statusCode == StatusCode.unauthorized {
            self = .signedOut
        } else if error.isRetryable {
            self = .unavailable(error)
        } else if let refusal = error.resolved(as: Refusal.self) {
            self = .refused(refusal)
        } else {
            self = .unexpected(error)
        }
    }
}

extension Error {
    /// The failure to get an access token, if it is the reason why a request was not sent.
    fileprivate var tokenFailure: DataTransferError? {
        guard let failure = networkError?.transportError, failure.code == .authenticationFailed else { return nil }
        return failure.underlying as? DataTransferError
    }
}

extension TrackerError: CustomStringConvertible {
    /// What went wrong, in a sentence for a log.
    public var description: String {
        switch self {
        case .notFound: "there is no such issue"
        case .signedOut: "the user must sign in again"
        case .refused(let refusal): "the tracker refuses the request: \(refusal.message) (\(refusal.code))"
        case .unavailable(let error): "the tracker is not available: \(error)"
        case .cancelled: "the call was cancelled"
        case .unexpected(let error): "unexpected: \(error)"
        }
    }
}
