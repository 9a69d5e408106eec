/// Identifies an open stream of HTTP/2.
typealias HTTP2StreamID = StreamID<UInt32>

/// The state of a stream that is open in at least one direction (RFC 9113 §5.1).
struct HTTP2Stream: StreamState {
    typealias Method = ResponseReception.Method

    let id: HTTP2StreamID
    /// What of the response has arrived.
    var response: ResponseReception
    /// Whether the last frame of the request was written.
    var isSent: Bool
    /// The number of bytes that may still be sent. Negative after the peer has reduced its initial window (RFC 9113 §6.9.2).
    var sendWindow: Int
    /// The number of bytes that the peer may still send.
    var receiveWindow: Int
    /// The window to which the stream is opened again.
    var targetWindow: Int
    /// The number of bytes that the reader has taken since the window was last opened.
    var taken = 0
    /// Whether the reader has not kept up since the window was last opened.
    var wasPaused = false
}
