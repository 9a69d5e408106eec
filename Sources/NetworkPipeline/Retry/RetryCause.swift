import Endpoints
import NetworkCore

/// A cause of a failed attempt, which may be worth another attempt.
public enum RetryCause: Sendable, Hashable {
    /// A response with this status.
    case status(Int)
    /// A failure without a response, with this error code.
    case failure(TransportError.Code)

    /// The causes that are retried by default: the statuses 408, 425, 429, 502, 503 and 504, and the failures `timedOut`,
    /// `nameLookupFailed`, `cannotConnect`, `connectionLost`, `incompleteBody`, `proxyFailed` and `outOfResources`.
    public static let standard = Set(
        NetworkError.temporaryStatuses.map(Self.status) + TransportError.Code.temporary.map(Self.failure))

    /// All known causes, with why they are retried by default, or why not.
    package static let table: [(cause: RetryCause, reason: String)] = [
        (.status(408), "the server timed out waiting for the request, which may be repeated (RFC 9110 §15.5.9)"),
        (.status(425), "the server refused early data; a later request is not early data (RFC 8470 §5.2)"),
        (.status(429), "too many requests were sent; a later one may be accepted (RFC 6585 §4)"),
        (.status(500), "an internal error is likely to occur again (RFC 9110 §15.6.1)"),
        (.status(502), "the server behind the gateway may recover, or another one respond (RFC 9110 §15.6.3)"),
        (.status(503), "the server is temporarily unavailable (RFC 9110 §15.6.4)"),
        (.status(504), "the server behind the gateway may be faster next time (RFC 9110 §15.6.5)"),
        (.failure(.timedOut), "the delay or packet loss may be temporary"),
        (.failure(.nameLookupFailed), "name servers may fail temporarily"),
        (.failure(.cannotConnect), "a server refuses connections while it restarts"),
        (.failure(.connectionLost), "the server or a middlebox dropped the connection"),
        (.failure(.incompleteBody), "the connection was lost during the response"),
        (.failure(.proxyFailed), "a proxy refuses connections while it restarts"),
        (.failure(.outOfResources), "file descriptors become available when other transfers end"),
        (.failure(.cancelled), "the caller does not need a response any more"),
        (.failure(.invalidRequest), "the same request would be invalid again"),
        (.failure(.invalidConfiguration), "the configuration does not change between attempts"),
        (.failure(.malformedResponse), "a server that violates HTTP is likely to do so again"),
        (.failure(.undecodableContent), "the content is damaged at its source"),
        (.failure(.bodyTooLarge), "the server would send as much again"),
        (.failure(.headersTooLarge), "the server would send as much again"),
        (.failure(.tooManyRedirects), "the same redirects would be followed again"),
        (.failure(.redirectRefused), "the redirect would be refused again"),
        (.failure(.tlsFailed), "the certificate stays invalid, and repeated attempts may help an attacker"),
        (.failure(.trustUnavailable), "the trust policy cannot be enforced, and the request must not be sent without it"),
        (.failure(.bodyFailed), "the body cannot be read"),
        (.failure(.bodyNotReplayable), "the body has been consumed"),
        (.failure(.unsupported), "the session manager does not support the request"),
        (.failure(.notStubbed), "a missing stub is an error in the test"),
        (.failure(.interceptorFailed), "an interceptor failed, and would fail again"),
        (.failure(.authenticationFailed), "the credentials have been refreshed already, or cannot be refreshed"),
        (.failure(.notAdmitted), "a retry must not bypass the limits of this client"),
        (.failure(.other), "the cause is unknown"),
    ]

    /// Why the cause is retried by default, or why not.
    package var reason: String {
        Self.table.first { $0.cause == self }?.reason ?? "the cause is unknown"
    }

    init(_ outcome: Result<NetworkResponse, TransportError>) {
        switch outcome {
        case .success(let response): self = .status(response.statusCode)
        case .failure(let error): self = .failure(error.code)
        }
    }
}

extension RetryCause: CustomStringConvertible {
    /// A textual representation: `status 503`, or the error code.
    public var description: String {
        switch self {
        case .status(let status): "status \(status)"
        case .failure(let code): code.rawValue
        }
    }
}
