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
