import NetworkSupport

/// The type and the length of a frame (RFC 9114 §7.1).
struct HTTP3FrameHeader: Equatable, Sendable {
    /// The largest number of bytes of a header.
    static let maximumBytes = 16

    let kind: HTTP3FrameKind
    /// The number of bytes that follow the header.
    let length: UInt64

    init(_ kind: HTTP3FrameKind, length: UInt64) {
        self.kind = kind
        self.length = length
    }

    /// Reads a header.
    ///
    /// - Parameter offset: Where it begins. Advanced to its end, if it is complete.
    /// - Returns: `nil` if the bytes end within the header.
    init?(_ bytes: UnsafeRawBufferPointer, at offset: inout Int) {
        var end = offset
        guard let kind = QUICInteger.read(bytes, at: &end), let length = QUICInteger.read(bytes, at: &end) else { return nil }
        self.init(HTTP3FrameKind(rawValue: kind), length: length)
        offset = end
    }

    /// Appends the header to a buffer.
    func append(to output: inout [UInt8]) {
        output.append(quic: kind.rawValue)
        output.append(quic: length)
    }
}

/// The type of a frame (RFC 9114 §7.2). Others are ignored.
struct HTTP3FrameKind: RawRepresentable, Hashable, Sendable {
    let rawValue: UInt64

    static let data = HTTP3FrameKind(rawValue: 0)
    static let headers = HTTP3FrameKind(rawValue: 1)
    static let cancelPush = HTTP3FrameKind(rawValue: 3)
    static let settings = HTTP3FrameKind(rawValue: 4)
    static let pushPromise = HTTP3FrameKind(rawValue: 5)
    static let goAway = HTTP3FrameKind(rawValue: 7)
    static let maximumPushID = HTTP3FrameKind(rawValue: 13)
    /// For a request (RFC 9218 §7.2).
    static let priorityUpdate = HTTP3FrameKind(rawValue: 0xF0700)
    /// For a push (RFC 9218 §7.2).
    static let pushPriorityUpdate = HTTP3FrameKind(rawValue: 0xF0701)

    /// Whether the type is one of HTTP/2 for which HTTP/3 has none: PRIORITY, PING, WINDOW_UPDATE and CONTINUATION (RFC 9114
    /// §7.2.8).
    var belongsToHTTP2: Bool { [2, 6, 8, 9].contains(rawValue) }

    private static let names: [HTTP3FrameKind: String] = [
        .data: "DATA", .headers: "HEADERS", .cancelPush: "CANCEL_PUSH", .settings: "SETTINGS", .pushPromise: "PUSH_PROMISE",
        .goAway: "GOAWAY", .maximumPushID: "MAX_PUSH_ID", .priorityUpdate: "PRIORITY_UPDATE",
        .pushPriorityUpdate: "PRIORITY_UPDATE",
    ]

    /// The name in the RFC, or the number of a type that it does not define.
    var name: String { Self.names[self] ?? "a frame of type \(rawValue)" }
}

/// The type of a unidirectional stream (RFC 9114 §6.2, RFC 9204 §4.2). Others are not read.
struct HTTP3StreamKind: RawRepresentable, Hashable, Sendable {
    let rawValue: UInt64

    static let control = HTTP3StreamKind(rawValue: 0)
    static let push = HTTP3StreamKind(rawValue: 1)
    static let qpackEncoder = HTTP3StreamKind(rawValue: 2)
    static let qpackDecoder = HTTP3StreamKind(rawValue: 3)

    /// The streams that each side opens once, and that never end (RFC 9114 §6.2.1, RFC 9204 §4.2).
    static let critical: [HTTP3StreamKind] = [.control, .qpackEncoder, .qpackDecoder]

    /// What messages call the stream.
    var name: String {
        switch self {
        case .control: "control stream"
        case .qpackEncoder: "QPACK encoder stream"
        case .qpackDecoder: "QPACK decoder stream"
        default: "stream of type \(rawValue)"
        }
    }
}

/// A setting (RFC 9114 §7.2.4.1).
struct HTTP3Setting: RawRepresentable, Hashable, Sendable {
    let rawValue: UInt64

    /// RFC 9204 §5.
    static let qpackTableCapacity = HTTP3Setting(rawValue: 1)
    static let maximumFieldSectionSize = HTTP3Setting(rawValue: 6)
    /// RFC 9204 §5.
    static let qpackBlockedStreams = HTTP3Setting(rawValue: 7)
    /// RFC 9220 §3.
    static let enableConnectProtocol = HTTP3Setting(rawValue: 8)
    /// RFC 9297 §2.1.1.
    static let datagrams = HTTP3Setting(rawValue: 0x33)

    /// Whether the setting is one of HTTP/2 for which HTTP/3 has none: ENABLE_PUSH, MAX_CONCURRENT_STREAMS, INITIAL_WINDOW_SIZE
    /// and MAX_FRAME_SIZE (RFC 9114 §7.2.4.1).
    var belongsToHTTP2: Bool { (2...5).contains(rawValue) }
}
