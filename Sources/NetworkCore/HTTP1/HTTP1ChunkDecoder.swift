/// Takes the chunked transfer coding away (RFC 9112 §7.1), up to and without the trailer section.
///
/// Strict about line ends: a bare LF ends no chunk-size line and no chunk, since one reader of two that disagree would take the rest for
/// something else. Go (since 1.23.8) and hyper refuse it too.
struct HTTP1ChunkDecoder: Sendable {
    enum Step {
        case needsMore
        case data(Range<Int>)
        /// The last chunk's line has come: what follows are trailer lines and the empty line.
        case last
    }

    private enum State {
        /// In the digits of the size.
        case size
        /// In white space after them, which Go, OkHttp and hyper let pass.
        case space
        case chunkExtension
        case sizeLineFeed
        case data
        case dataReturn
        case dataLineFeed
    }

    /// Extensions mean nothing to us (RFC 9112 §7.1.1), but have to have an end: over all chunks of a message. That of hyper.
    static let maximumExtensionBytes = 16 << 10
    /// That of Go, leading zeros included.
    static let maximumSizeDigits = 16

    private var state = State.size
    private var digits = 0
    private var remaining: Int64 = 0
    private var extensionBytes = 0

    /// Content of the chunks so far.
    private(set) var contentBytes: Int64 = 0

    mutating func next(_ input: UnsafeRawBufferPointer, at offset: inout Int) throws(HTTP1Flaw) -> Step {
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

    /// - Returns: Whether that was the end of the last chunk's line.
    private mutating func take(_ byte: UInt8) throws(HTTP1Flaw) -> Bool {
        switch state {
        case .size:
            if let digit = Self.hexValue(byte) {
                digits += 1
                // 16 digits may still be more than a signed number holds.
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
            if byte == HTTP1Bytes.carriageReturn {
                state = .sizeLineFeed
            } else if HTTP1Bytes.isControl(byte) {
                throw .malformed("a chunk extension has a control character or a bare line feed")
            }
        case .sizeLineFeed:
            guard byte == HTTP1Bytes.lineFeed else { throw .malformed("the line of a chunk size does not end with CR LF") }
            digits = 0
            if remaining == 0 {
                state = .size
                return true
            }
            state = .data
        case .dataReturn:
            guard byte == HTTP1Bytes.carriageReturn else { throw Self.dataFlaw }
            state = .dataLineFeed
        case .dataLineFeed:
            guard byte == HTTP1Bytes.lineFeed else { throw Self.dataFlaw }
            state = .size
        case .data: break
        }
        return false
    }

    private mutating func takeAfterSize(_ byte: UInt8) throws(HTTP1Flaw) {
        switch byte {
        case HTTP1Bytes.carriageReturn: state = .sizeLineFeed
        case UInt8(ascii: ";"): state = .chunkExtension
        case HTTP1Bytes.space, HTTP1Bytes.tab:
            try countExtension()
            state = .space
        default: throw .malformed("a chunk size is no hexadecimal number, or its line does not end with CR LF")
        }
    }

    private mutating func countExtension() throws(HTTP1Flaw) {
        extensionBytes += 1
        guard extensionBytes <= Self.maximumExtensionBytes else {
            throw .malformed("the chunk extensions of the response are longer than \(Self.maximumExtensionBytes) bytes")
        }
    }

    private static let dataFlaw = HTTP1Flaw.malformed("a chunk does not end with CR LF after its announced size")

    private static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte &- UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte &- UInt8(ascii: "a") &+ 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte &- UInt8(ascii: "A") &+ 10
        default: nil
        }
    }
}

/// The frame of one chunk of a body (RFC 9112 §7.1): its size in hexadecimal digits and a line end, the bytes, another line end.
enum HTTP1Chunk {
    /// What ``writeSize(_:into:)`` needs at most: 16 digits, CR, LF.
    static let maximumPrefixBytes = 18
    /// Behind the bytes of each chunk.
    static let lineEnd: StaticString = "\r\n"
    /// Behind the last chunk: one of size 0 and no trailers.
    static let end: StaticString = "0\r\n\r\n"

    /// Writes the line in front of a chunk.
    ///
    /// - Parameters:
    ///   - count: At least 1: a chunk of 0 bytes would end the body.
    ///   - buffer: Of ``maximumPrefixBytes`` bytes or more.
    /// - Returns: How many bytes were written.
    static func writeSize(_ count: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        precondition(count > 0 && buffer.count >= maximumPrefixBytes)
        let digits = (Int.bitWidth - count.leadingZeroBitCount + 3) / 4
        var rest = count
        for index in stride(from: digits - 1, through: 0, by: -1) {
            let digit = UInt8(truncatingIfNeeded: rest & 15)
            buffer[index] = digit < 10 ? UInt8(ascii: "0") &+ digit : UInt8(ascii: "a") &- 10 &+ digit
            rest >>= 4
        }
        buffer[digits] = HTTP1Bytes.carriageReturn
        buffer[digits + 1] = HTTP1Bytes.lineFeed
        return digits + 2
    }
}
