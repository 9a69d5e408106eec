import NetworkSupport

extension HPACKDecoder {
    /// Reads the numbers and strings of a block (RFC 7541 §5).
    struct Input {
        private let bytes: UnsafeRawBufferPointer
        private var offset = 0

        init(_ bytes: UnsafeRawBufferPointer) {
            self.bytes = bytes
        }

        /// The next byte; `nil` at the end.
        var peek: UInt8? { offset < bytes.count ? bytes[offset] : nil }

        /// Reads a number whose first bits are in the lower bits of the next byte (RFC 7541 §5.1).
        mutating func number(bits: Int) throws(HPACKError) -> Int {
            guard offset < bytes.count else { throw Self.isCut }
            let mask = 1 << bits - 1
            var number = Int(bytes[offset]) & mask
            offset &+= 1
            guard number == mask else { return number }
            var shift = 0
            while true {
                guard offset < bytes.count else { throw Self.isCut }
                let byte = bytes[offset]
                offset &+= 1
                // Leading zeros could make a number of any length.
                guard shift <= 28 else { throw Self.isTooLarge }
                number += Int(byte & 0x7F) << shift
                guard number <= HPACKDecoder.maximumNumber else { throw Self.isTooLarge }
                if byte & 0x80 == 0 { return number }
                shift += 7
            }
        }

        /// Reads a string (RFC 7541 §5.2).
        ///
        /// - Parameters:
        ///   - buffer: Receives the bytes of an encoded string, from `used` on.
        ///   - used: Advanced by the number of bytes that were written.
        mutating func string(
            into buffer: UnsafeMutableRawBufferPointer, _ used: inout Int
        ) throws(HPACKError) -> UnsafeRawBufferPointer {
            let isEncoded = (peek ?? 0) & 0x80 != 0
            let count = try number(bits: 7)
            guard count <= bytes.count - offset else { throw Self.isCut }
            let raw = UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])
            offset += count
            guard isEncoded else { return raw }
            let start = used
            used += try HPACKHuffman.shared.decode(raw, into: UnsafeMutableRawBufferPointer(rebasing: buffer[start...]))
            return UnsafeRawBufferPointer(rebasing: buffer[start..<used])
        }

        private static let isCut = HPACKError("a header block ends within a field")
        private static let isTooLarge = HPACKError("a number in a header block is larger than \(HPACKDecoder.maximumNumber)")
    }
}
