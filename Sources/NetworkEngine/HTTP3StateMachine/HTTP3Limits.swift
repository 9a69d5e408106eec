/// What a connection over HTTP/3 accepts of its peer (RFC 9114 §10.5).
struct HTTP3Limits: Sendable {
    /// The largest size of the heads and the trailers of a response together: the lengths of names and values, and four bytes
    /// for each field.
    var headerBytes = 256 << 10
    /// The largest number of fields of a head.
    var headerFields = 1000

    /// How large heads and trailers may be.
    var fields: FieldLimits { FieldLimits(bytes: headerBytes, count: headerFields) }

    /// The number of bytes by which an encoded head may be larger than ``headerBytes``.
    static let encodingBytes = 16_384
    /// The number of bytes of all encoded heads of a connection that have arrived in part.
    static let heldBytes = 8 << 20
    /// The largest SETTINGS.
    static let settingsBytes = 4096
    /// The number of unidirectional streams that the peer has opened at the same time, and whose type is control, QPACK or not
    /// known yet.
    static let peerStreams = 32
    /// The number of frames without content: DATA without bytes, GOAWAY, unknown frames, instructions of QPACK and
    /// unidirectional streams. Each frame with content, in either direction, permits sixteen more. An unknown frame counts once
    /// more for each ``unknownBytes``.
    static let emptyFrames = 2000
    /// See ``emptyFrames``.
    static let unknownBytes = 16_384
    /// The largest piece of content that is written as one frame.
    static let frameBytes = 16_384
    /// The number of bytes of one stream that wait to be sent, from which on no more content is written.
    static let outputBytes = 64 << 10
}
