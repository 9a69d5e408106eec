/// The reason for a reset or for the end of a connection (RFC 9114 §8.1, RFC 9204 §6).
struct HTTP3ErrorCode: StreamErrorCode, RawRepresentable, Hashable, Sendable {
    let rawValue: UInt64

    static let noError = HTTP3ErrorCode(rawValue: 0x100)
    static let internalError = HTTP3ErrorCode(rawValue: 0x102)
    static let streamCreationError = HTTP3ErrorCode(rawValue: 0x103)
    static let closedCriticalStream = HTTP3ErrorCode(rawValue: 0x104)
    static let frameUnexpected = HTTP3ErrorCode(rawValue: 0x105)
    static let frameError = HTTP3ErrorCode(rawValue: 0x106)
    static let excessiveLoad = HTTP3ErrorCode(rawValue: 0x107)
    static let idError = HTTP3ErrorCode(rawValue: 0x108)
    static let settingsError = HTTP3ErrorCode(rawValue: 0x109)
    static let missingSettings = HTTP3ErrorCode(rawValue: 0x10A)
    /// The request was not processed, and can be sent again (RFC 9114 §4.1.1).
    static let requestRejected = HTTP3ErrorCode(rawValue: 0x10B)
    static let requestCancelled = HTTP3ErrorCode(rawValue: 0x10C)
    static let messageError = HTTP3ErrorCode(rawValue: 0x10E)
    static let connectError = HTTP3ErrorCode(rawValue: 0x10F)
    /// The request has to be sent over HTTP/1.1.
    static let versionFallback = HTTP3ErrorCode(rawValue: 0x110)
    static let qpackDecompressionFailed = HTTP3ErrorCode(rawValue: 0x200)
    static let qpackEncoderStreamError = HTTP3ErrorCode(rawValue: 0x201)
    static let qpackDecoderStreamError = HTTP3ErrorCode(rawValue: 0x202)

    private static let names = [
        "H3_NO_ERROR", "H3_GENERAL_PROTOCOL_ERROR", "H3_INTERNAL_ERROR", "H3_STREAM_CREATION_ERROR", "H3_CLOSED_CRITICAL_STREAM",
        "H3_FRAME_UNEXPECTED", "H3_FRAME_ERROR", "H3_EXCESSIVE_LOAD", "H3_ID_ERROR", "H3_SETTINGS_ERROR", "H3_MISSING_SETTINGS",
        "H3_REQUEST_REJECTED", "H3_REQUEST_CANCELLED", "H3_REQUEST_INCOMPLETE", "H3_MESSAGE_ERROR", "H3_CONNECT_ERROR",
        "H3_VERSION_FALLBACK",
    ]
    private static let qpackNames = ["QPACK_DECOMPRESSION_FAILED", "QPACK_ENCODER_STREAM_ERROR", "QPACK_DECODER_STREAM_ERROR"]

    private var knownName: String? {
        switch rawValue {
        case 0x100..<0x100 + UInt64(Self.names.count): Self.names[Int(rawValue - 0x100)]
        case 0x200..<0x200 + UInt64(Self.qpackNames.count): Self.qpackNames[Int(rawValue - 0x200)]
        default: nil
        }
    }

    /// The name in the RFC, or the number of a code that it does not define.
    var name: String { knownName ?? "error code \(rawValue)" }

    /// Whether the code reports no error: an unknown one is treated like that too (RFC 9114 §8).
    var isNoError: Bool { self == .noError || knownName == nil }
}

typealias HTTP3Failure = StreamFailure<HTTP3ErrorCode>
