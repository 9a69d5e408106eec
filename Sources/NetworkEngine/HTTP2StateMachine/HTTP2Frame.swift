import NetworkSupport

/// The header of a frame (RFC 9113 §4.1).
struct HTTP2FrameHeader: Equatable, Sendable {
    static let byteCount = 9

    /// The number of bytes that follow the header.
    var length: Int
    var kind: HTTP2FrameKind
    var flags: HTTP2Flags
    /// The stream that the frame belongs to; 0 for the connection.
    var stream: UInt32

    init(_ kind: HTTP2FrameKind, _ flags: HTTP2Flags = [], stream: UInt32 = 0, length: Int) {
        self.length = length
        self.kind = kind
        self.flags = flags
        self.stream = stream
    }

    /// Reads a header.
    ///
    /// - Parameter bytes: At least ``byteCount`` bytes.
    init(_ bytes: UnsafeRawBufferPointer) {
        length = Int(bytes[0]) << 16 | Int(bytes[1]) << 8 | Int(bytes[2])
        kind = HTTP2FrameKind(rawValue: bytes[3])
        flags = HTTP2Flags(rawValue: bytes[4])
        // The first bit is reserved, and ignored.
        stream = bytes.bigEndian(at: 5) & 0x7FFF_FFFF
    }

    /// Appends the header to a buffer.
    func append(to output: inout [UInt8]) {
        output.append(UInt8(truncatingIfNeeded: length >> 16))
        output.append(UInt8(truncatingIfNeeded: length >> 8))
        output.append(UInt8(truncatingIfNeeded: length))
        output.append(kind.rawValue)
        output.append(flags.rawValue)
        output.append(bigEndian: stream)
    }
}

/// The type of a frame (RFC 9113 §6). Others are ignored.
struct HTTP2FrameKind: RawRepresentable, Hashable, Sendable {
    let rawValue: UInt8

    static let data = HTTP2FrameKind(rawValue: 0)
    static let headers = HTTP2FrameKind(rawValue: 1)
    static let priority = HTTP2FrameKind(rawValue: 2)
    static let resetStream = HTTP2FrameKind(rawValue: 3)
    static let settings = HTTP2FrameKind(rawValue: 4)
    static let pushPromise = HTTP2FrameKind(rawValue: 5)
    static let ping = HTTP2FrameKind(rawValue: 6)
    static let goAway = HTTP2FrameKind(rawValue: 7)
    static let windowUpdate = HTTP2FrameKind(rawValue: 8)
    static let continuation = HTTP2FrameKind(rawValue: 9)
    /// RFC 9218 §7.1.
    static let priorityUpdate = HTTP2FrameKind(rawValue: 16)
}

/// The flags of a frame (RFC 9113 §6).
struct HTTP2Flags: OptionSet, Sendable {
    let rawValue: UInt8

    /// The last frame of its stream, for DATA and HEADERS.
    static let endStream = HTTP2Flags(rawValue: 1)
    /// A reply, for SETTINGS and PING.
    static let acknowledgement = HTTP2Flags(rawValue: 1)
    /// The last frame of a header block.
    static let endHeaders = HTTP2Flags(rawValue: 4)
    static let padded = HTTP2Flags(rawValue: 8)
    /// HEADERS with the fields of a priority (RFC 7540 §6.2).
    static let priority = HTTP2Flags(rawValue: 32)
}

/// A setting (RFC 9113 §6.5.2).
struct HTTP2Setting: RawRepresentable, Hashable, Sendable {
    let rawValue: UInt16

    static let headerTableSize = HTTP2Setting(rawValue: 1)
    static let enablePush = HTTP2Setting(rawValue: 2)
    static let maximumConcurrentStreams = HTTP2Setting(rawValue: 3)
    static let initialWindowSize = HTTP2Setting(rawValue: 4)
    static let maximumFrameSize = HTTP2Setting(rawValue: 5)
    static let maximumHeaderListSize = HTTP2Setting(rawValue: 6)
    /// RFC 8441 §3.
    static let enableConnectProtocol = HTTP2Setting(rawValue: 8)
    /// RFC 9218 §2.1.
    static let noRFC7540Priorities = HTTP2Setting(rawValue: 9)
}

/// The reason for a reset or for the end of a connection (RFC 9113 §7).
struct HTTP2ErrorCode: StreamErrorCode, RawRepresentable, Hashable, Sendable {
    let rawValue: UInt32

    static let noError = HTTP2ErrorCode(rawValue: 0)
    static let protocolError = HTTP2ErrorCode(rawValue: 1)
    static let internalError = HTTP2ErrorCode(rawValue: 2)
    static let flowControlError = HTTP2ErrorCode(rawValue: 3)
    static let streamClosed = HTTP2ErrorCode(rawValue: 5)
    static let frameSizeError = HTTP2ErrorCode(rawValue: 6)
    static let refusedStream = HTTP2ErrorCode(rawValue: 7)
    static let cancel = HTTP2ErrorCode(rawValue: 8)
    static let compressionError = HTTP2ErrorCode(rawValue: 9)
    static let connectError = HTTP2ErrorCode(rawValue: 10)
    static let enhanceYourCalm = HTTP2ErrorCode(rawValue: 11)
    static let http11Required = HTTP2ErrorCode(rawValue: 13)

    static let requestCancelled = cancel
    static let messageError = protocolError

    private static let names = [
        "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED",
        "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM",
        "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
    ]

    /// The name in the RFC, or the number of a code that it does not define.
    var name: String { rawValue < Self.names.count ? Self.names[Int(rawValue)] : "error code \(rawValue)" }
}

typealias HTTP2Failure = StreamFailure<HTTP2ErrorCode>

extension UnsafeRawBufferPointer {
    /// Reads a number of four bytes, the highest one first.
    @inline(__always) func bigEndian(at offset: Int) -> UInt32 {
        UInt32(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
}

extension [UInt8] {
    /// Appends a number of four bytes, the highest one first.
    mutating func append(bigEndian number: UInt32) {
        append(UInt8(truncatingIfNeeded: number >> 24))
        append(UInt8(truncatingIfNeeded: number >> 16))
        append(UInt8(truncatingIfNeeded: number >> 8))
        append(UInt8(truncatingIfNeeded: number))
    }
}
