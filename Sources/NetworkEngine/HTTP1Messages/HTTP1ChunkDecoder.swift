import NetworkTransport
import NetworkSupport

/// Decodes the chunked transfer coding (RFC 9112 §7.1), up to but not including the trailer section.
///
/// Strict about line ends: a bare LF ends neither a chunk-size line nor a chunk. Otherwise two recipients could interpret the
/// following bytes differently. Go (since 1.23.8) and hyper reject it too.
struct HTTP1ChunkDecoder: Sendable {
    enum Step {
        case needsMore
        case data(Range<Int>)
        /// The size line of the last chunk is complete. Trailer lines and the empty line follow.
        case last
    }

    private enum State {
        /// Within the digits of the size.
        case size
        /// In white space after the size, which Go, OkHttp and hyper accept.
        case space
        case chunkExtension
        case sizeLineFeed
        case data
        case dataReturn
        case dataLineFeed
    }

    /// The maximum number of bytes of all chunk extensions of a message: the limit of hyper.
    ///
    /// Extensions are ignored (RFC 9112 §7.1.1), but their size must be limited.
    static let maximumExtensionBytes = 16 << 10
    /// The maximum number of digits of a chunk size, leading zeros included: the limit of Go.
    static let maximumSizeDigits = 16

    private var state = State.size
    private var digits = 0
    private var remaining: Int64 = 0
    private var extensionBytes = 0

    /// The number of content bytes that were decoded so far.
    private(set) var contentBytes: Int64 = 0

    /// Decodes input from `offset` on, up to the next step to report.
    mutating func next(_ input: UnsafeRawBufferPointer, at offset: inout Int) throws(HTTP1Error) -> Step {
        while offset < input.count {
            if state == .data {
                let count = min(Int64(input.count &- offset), remaining)
                let range = offset..<offset &+ Int(count)
                remaining -= count
                contentBytes &+= count
                offset = range.upperBound
                if remaining == 0 { state = .dataReturn }
                return .data(range)
            }
            let byte = input[offset]
            offset &+= 1
            if try take(byte) { return .last }
        }
        return .needsMore
    }

    /// Processes a byte that is not content.
    ///
    /// - Returns: Whether the byte completes the size line of the last chunk.
    private mutating func take(_ byte: UInt8) throws(HTTP1Error) -> Bool {
        switch state {
        case .size:
            if let digit = byte.hexValue {
                digits += 1
                // 16 digits may still exceed `Int64.max`.
                guard digits <= Self.maximumSizeDigits, remaining >> 59 == 0 else {
                    throw .malformed("a chunk size is too large, or has more than \(Self.maximumSizeDigits) digits")
                }
                remaining = remaining << 4 | Int64(digit)
            } else {
                guard digits > 0 else { throw .malformed("a chunk size does not begin with a hexadecimal digit") }
                try takeAfterSize(byte)
            }
        case .space:
            try takeAfterSize(byte)
        case .chunkExtension:
            try countExtension()
            if byte == UInt8.carriageReturn {
                state = .sizeLineFeed
            } else if HTTP1Bytes.isControl(byte) {
                throw .malformed("a chunk extension has a control character or a bare line feed")
            }
        case .sizeLineFeed:
            guard byte == UInt8.lineFeed else { throw .malformed("the line of a chunk size does not end with CR LF") }
            digits = 0
            if remaining == 0 {
                state = .size
                return true
            }
            state = .data
        case .dataReturn:
            guard byte == UInt8.carriageReturn else { throw Self.chunkEndError }
            state = .dataLineFeed
        case .dataLineFeed:
            guard byte == UInt8.lineFeed else { throw Self.chunkEndError }
            state = .size
        case .data: break
        }
        return false
    }

    private mutating func takeAfterSize(_ byte: UInt8) throws(HTTP1Error) {
        switch byte {
        case UInt8.carriageReturn: state = .sizeLineFeed
        case UInt8(ascii: ";"): state = .chunkExtension
        case UInt8.space, UInt8.tab:
            try countExtension()
            state = .space
        default: throw .malformed("a chunk size is not a hexadecimal number, or its line does not end with CR LF")
        }
    }

    private mutating func countExtension() throws(HTTP1Error) {
        extensionBytes += 1
        guard extensionBytes <= Self.maximumExtensionBytes else {
            throw .malformed("the chunk extensions of the response are longer than \(Self.maximumExtensionBytes) bytes")
        }
    }

    private static let chunkEndError = HTTP1Error.malformed("a chunk does not end with CR LF after its announced size")
}

/// The framing of a chunk of a body (RFC 9112 §7.1): the size in hexadecimal digits and a line end, the bytes, another line end.
enum HTTP1Chunk {
    /// The maximum number of bytes that ``writeSize(_:into:)`` writes: 16 digits, CR, LF.
    static let maximumPrefixBytes = 18

    /// Writes the size line that precedes a chunk.
    ///
    /// - Parameters:
    ///   - count: The size of the chunk, at least 1: a chunk of 0 bytes would end the body.
    ///   - buffer: A buffer of at least ``maximumPrefixBytes`` bytes.
    /// - Returns: The number of bytes that were written.
    static func writeSize(_ count: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        precondition(count > 0 && buffer.count >= maximumPrefixBytes)
        let digits = (Int.bitWidth - count.leadingZeroBitCount + 3) / 4
        var rest = count
        for index in stride(from: digits - 1, through: 0, by: -1) {
            let digit = UInt8(truncatingIfNeeded: rest & 15)
            buffer[index] = digit < 10 ? UInt8(ascii: "0") &+ digit : UInt8(ascii: "a") &- 10 &+ digit
            rest >>= 4
        }
        buffer[digits] = UInt8.carriageReturn
        buffer[digits + 1] = UInt8.lineFeed
        return digits + 2
    }
}
