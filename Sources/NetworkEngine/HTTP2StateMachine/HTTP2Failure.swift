/// Why a connection or a stream has ended, as far as HTTP/2 is concerned (RFC 9113 §5.4).
struct HTTP2Failure: Error, Equatable, Sendable {
    typealias Kind = MessageFailure.Kind

    /// The code that is sent to the peer.
    let code: HTTP2ErrorCode
    /// What the peer has done, as part of an error message.
    let message: String
    let kind: Kind

    init(_ code: HTTP2ErrorCode, _ message: String, _ kind: Kind = .violation) {
        self.code = code
        self.message = message
        self.kind = kind
    }

    /// Creates the failure of a stream whose message cannot be used.
    init(_ failure: MessageFailure) {
        self.init(failure.kind == .limit ? .cancel : .protocolError, failure.message, failure.kind)
    }
}
