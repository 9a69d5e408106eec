/// Why a connection or a stream has ended, as far as HTTP/2 is concerned (RFC 9113 §5.4).
struct HTTP2Failure: Error, Equatable, Sendable {
    /// The code that is sent to the peer.
    let code: HTTP2ErrorCode
    /// What the peer has done, as part of an error message.
    let message: String
    /// The limit of the session manager's configuration that a response exceeds; `nil` for a violation of the protocol.
    var isLimit = false

    init(_ code: HTTP2ErrorCode, _ message: String, isLimit: Bool = false) {
        self.code = code
        self.message = message
        self.isLimit = isLimit
    }
}
