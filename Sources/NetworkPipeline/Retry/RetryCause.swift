import NetworkCore

/// A way for an attempt to fail, which may or may not be worth another one.
public struct RetryCause: Sendable, Hashable {
    private enum Kind: Hashable {
        case status(Int)
        case code(TransportError.Code)
    }

    private let kind: Kind

    /// A response with this status.
    public static func status(_ status: Int) -> RetryCause { RetryCause(kind: .status(status)) }
    /// No response, for this reason.
    public static func failure(_ code: TransportError.Code) -> RetryCause { RetryCause(kind: .code(code)) }

    /// Those that are worth another attempt unless said otherwise: those of ``table`` that are on.
    public static let standard = Set(table.filter(\.isOn).map(\.cause))

    /// Every cause that is known, whether another attempt follows by default, and why.
    public static let table: [(cause: RetryCause, isOn: Bool, reason: String)] = [
        (.status(408), true, "the server gave up waiting for the request, and asks for it again (RFC 9110 §15.5.9)"),
        (.status(425), true, "the server would not risk early data; a later request is none (RFC 8470 §5.2)"),
        (.status(429), true, "too many requests came; later there will be room (RFC 6585 §4)"),
        (.status(500), false, "an internal error tends to meet the same request again (RFC 9110 §15.6.1)"),
        (.status(502), true, "the server behind the gateway may be back, or another one answer (RFC 9110 §15.6.3)"),
        (.status(503), true, "the server says that its trouble is temporary (RFC 9110 §15.6.4)"),
        (.status(504), true, "the server behind the gateway may be faster next time (RFC 9110 §15.6.5)"),
        (.failure(.timedOut), true, "what was slow or lost once may not be so twice"),
        (.failure(.nameLookupFailed), true, "name servers fail for moments"),
        (.failure(.cannotConnect), true, "a server that restarts refuses connections for a moment"),
        (.failure(.connectionLost), true, "a server or a middlebox dropped the connection, not the request"),
        (.failure(.incompleteBody), true, "the connection broke inside the response"),
        (.failure(.proxyFailed), true, "a proxy that restarts refuses for a moment"),
        (.failure(.outOfResources), true, "descriptors become free when other transfers end"),
        (.failure(.cancelled), false, "the caller wants no answer any more"),
        (.failure(.invalidRequest), false, "the same request is as invalid again"),
        (.failure(.invalidConfiguration), false, "the configuration does not change between attempts"),
        (.failure(.malformedResponse), false, "a server that breaks HTTP does so again"),
        (.failure(.undecodableContent), false, "damaged content is damaged at its source"),
        (.failure(.bodyTooLarge), false, "the limit was hit by what the server wants to send"),
        (.failure(.headersTooLarge), false, "the limit was hit by what the server wants to send"),
        (.failure(.tooManyRedirects), false, "a loop of redirects stays one"),
        (.failure(.redirectRefused), false, "the redirect would be refused again"),
        (.failure(.tlsFailed), false, "a certificate does not get better, and insisting may help an attacker"),
        (.failure(.trustUnavailable), false, "what cannot be enforced must not be tried again without"),
        (.failure(.bodyFailed), false, "the body cannot be read"),
        (.failure(.bodyNotReplayable), false, "the body is gone"),
        (.failure(.unsupported), false, "the session manager does not learn it in between"),
        (.failure(.notStubbed), false, "a test double without an answer is a mistake in the test"),
        (.failure(.interceptorFailed), false, "a broken interceptor stays broken"),
        (.failure(.authenticationFailed), false, "credentials have been refreshed already, or cannot be"),
        (.failure(.notAdmitted), false, "limits of our own are not to be got around by trying harder"),
        (.failure(.other), false, "nothing is known of it"),
    ]

    /// Why it is worth another attempt, or not.
    public var reason: String {
        Self.table.first { $0.cause == self }?.reason ?? "nothing is known of it"
    }

    init(_ outcome: Result<NetworkResponse, TransportError>) {
        switch outcome {
        case .success(let response): kind = .status(response.statusCode)
        case .failure(let error): kind = .code(error.code)
        }
    }

    private init(kind: Kind) {
        self.kind = kind
    }
}

extension RetryCause: CustomStringConvertible {
    /// `status 503`, or the code of the error.
    public var description: String {
        switch kind {
        case .status(let status): "status \(status)"
        case .code(let code): code.rawValue
        }
    }
}
