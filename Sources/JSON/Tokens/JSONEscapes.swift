/// The escapes in strings (RFC 8259 §7), which may be invalid.
package enum JSONEscapes {
    /// Returns the content of a string with its escapes decoded.
    ///
    /// The backslash of an invalid escape is removed, one at the end is kept, and a surrogate without its pair becomes U+FFFD.
    package static func decoded(_ content: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        guard let start = content.baseAddress else { return [] }
        // An escape is never shorter than its character in UTF-8.
        return Array(unsafeUninitializedCapacity: content.count) { buffer, count in
            guard let first = buffer.baseAddress else { return }
            var out = first
            var p = start
            let end = start + content.count
            while p < end {
                if p.pointee == 0x5C, end - p > 1 {
                    p = decode(p, before: end, &out)
                } else {
                    out.initialize(to: p.pointee)
                    out += 1
                    p += 1
                }
            }
            count = out - first
        }
    }

    /// Returns the content of a string with its escapes decoded.
    package static func decoded(_ content: [UInt8]) -> [UInt8] { content.withUnsafeBufferPointer(decoded) }

    /// Appends the bytes of the escape at a backslash, which must not be the last byte.
    ///
    /// - Returns: The length of the escape.
    package static func append(escapeIn content: [UInt8], at index: Int, to output: inout [UInt8]) -> Int {
        precondition(index >= 0 && index + 1 < content.count, "No escape is at the index.")
        return content.withUnsafeBufferPointer { content in
            withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 4) { bytes in
                // Neither is empty, so both have an address.
                let (start, first) = (content.baseAddress!, bytes.baseAddress!)
                var out = first
                let end = decode(start + index, before: start + content.count, &out)
                output.append(contentsOf: UnsafeBufferPointer(start: first, count: out - first))
                return end - (start + index)
            }
        }
    }

    /// Writes the character of the escape at `p`, in at most four bytes, and returns where the escape ends.
    ///
    /// - Parameter end: The end of the text, at least two bytes after `p`.
    static func decode(
        _ p: Bytes.Pointer, before end: Bytes.Pointer, _ out: inout UnsafeMutablePointer<UInt8>
    ) -> Bytes.Pointer {
        let byte: UInt8
        switch p[1] {
        case 0x62: byte = 0x08
        case 0x66: byte = 0x0C
        case 0x6E: byte = 0x0A
        case 0x72: byte = 0x0D
        case 0x74: byte = 0x09
        case 0x75:
            guard end - p >= 6, let unit = Scanner.codeUnit(p + 2) else {
                byte = p[1]
                break
            }
            var scalar = unit
            var length = 6
            if unit & 0xF800 == 0xD800 {
                scalar = 0xFFFD
                if unit < 0xDC00, end - p >= 12, p[6] == 0x5C, p[7] == 0x75, let low = Scanner.codeUnit(p + 8),
                    low & 0xFC00 == 0xDC00
                {
                    scalar = 0x10000 + ((unit & 0x3FF) << 10 | low & 0x3FF)
                    length = 12
                }
            }
            write(scalar, &out)
            return p + length
        default: byte = p[1]
        }
        out.initialize(to: byte)
        out += 1
        return p + 2
    }

    /// Writes a scalar value as UTF-8.
    private static func write(_ scalar: UInt32, _ out: inout UnsafeMutablePointer<UInt8>) {
        func put(_ value: UInt32) {
            out.initialize(to: UInt8(truncatingIfNeeded: value))
            out += 1
        }
        if scalar < 0x80 { return put(scalar) }
        if scalar < 0x800 {
            put(0xC0 | scalar >> 6)
        } else {
            if scalar < 0x10000 {
                put(0xE0 | scalar >> 12)
            } else {
                put(0xF0 | scalar >> 18)
                put(0x80 | scalar >> 12 & 0x3F)
            }
            put(0x80 | scalar >> 6 & 0x3F)
        }
        put(0x80 | scalar & 0x3F)
    }
}
