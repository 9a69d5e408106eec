/// A code that says why a stream or a connection has ended (RFC 9113 §7, RFC 9114 §8.1).
protocol StreamErrorCode: Equatable, Sendable {
    static var noError: Self { get }
    /// The request is cancelled, or its response is not wanted.
    static var requestCancelled: Self { get }
    /// The message is malformed (RFC 9113 §8.1.1, RFC 9114 §4.1.2).
    static var messageError: Self { get }
    /// The name in the RFC, or the number of a code that it does not define.
    var name: String { get }
}

/// Why a connection or a stream has ended, as far as the version of HTTP is concerned (RFC 9113 §5.4, RFC 9114 §8).
struct StreamFailure<Code: StreamErrorCode>: Error, Equatable, Sendable {
    typealias Kind = MessageFailure.Kind

    /// The code that is sent to the peer.
    let code: Code
    /// What the peer has done, as part of an error message.
    let message: String
    let kind: Kind

    init(_ code: Code, _ message: String, _ kind: Kind = .violation) {
        self.code = code
        self.message = message
        self.kind = kind
    }

    /// Creates the failure of a stream whose message cannot be used.
    init(_ failure: MessageFailure) {
        self.init(failure.kind == .limit ? .requestCancelled : .messageError, failure.message, failure.kind)
    }
}
