/// Why a connection or a stream has ended, as far as HTTP/2 is concerned (RFC 9113 §5.4).
struct HTTP2Failure: Error, Equatable, Sendable {
    /// What a failure means for the response.
    enum Kind: Sendable {
        /// The peer has violated the protocol.
        case violation
        /// The response exceeds a limit of the session manager's configuration.
        case limit
        /// The body ends before the announced length.
        case truncation
    }

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
}
