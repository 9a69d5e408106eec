/// What a connection accepts of its peer, and permits it (RFC 9113 §6.5.2, §10.5).
struct HTTP2Limits: Sendable {
    /// The largest size of the heads and the trailers of a response together: the lengths of names and values, and four bytes for each
    /// field.
    var headerBytes = 256 << 10
    /// The largest number of fields of a head.
    var headerFields = 1000
    /// The window of a new stream: how many bytes of a body arrive before its reader has to take some.
    var streamWindow = 256 << 10
    /// The largest window of a stream, to which it grows while its reader keeps up.
    var maximumStreamWindow = 4 << 20
    /// The window of the connection. It is opened when bytes arrive, so that a reader that does not keep up delays no other
    /// stream.
    var connectionWindow = 16 << 20

    /// The largest payload of a frame that is accepted: the default (SETTINGS_MAX_FRAME_SIZE).
    static let frameBytes = 16_384
    /// The number of CONTINUATION frames of one header block.
    static let continuations = 64
    /// The number of replies, to PING and SETTINGS, that wait to be sent.
    static let owedReplies = 1000
    /// The number of frames without content: DATA without bytes, PRIORITY, WINDOW_UPDATE, SETTINGS, PING, frames of closed
    /// streams and unknown frames. Each frame with content, in either direction, permits sixteen more, and each 64 bytes that
    /// are sent one more.
    static let emptyFrames = 2000

    /// How large heads and trailers may be.
    var fields: FieldLimits { FieldLimits(bytes: headerBytes, count: headerFields) }
}
