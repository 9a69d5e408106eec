/// Why a connection or a stream has ended, as far as HTTP/3 is concerned (RFC 9114 §8).
struct HTTP3Failure: Error, Equatable, Sendable {
    typealias Kind = MessageFailure.Kind

    /// The code that is sent to the peer.
    let code: HTTP3ErrorCode
    /// What the peer has done, as part of an error message.
    let message: String
    let kind: Kind

    init(_ code: HTTP3ErrorCode, _ message: String, _ kind: Kind = .violation) {
        self.code = code
        self.message = message
        self.kind = kind
    }

    /// Creates the failure of a stream whose message cannot be used (RFC 9114 §4.1.2).
    init(_ failure: MessageFailure) {
        self.init(failure.kind == .limit ? .requestCancelled : .messageError, failure.message, failure.kind)
    }
}
