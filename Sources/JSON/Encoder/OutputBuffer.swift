/// The text that is being written, in one growing buffer.
struct OutputBuffer {
    private(set) var start: UnsafeMutablePointer<UInt8>
    private(set) var capacity: Int
    var count = 0

    init(capacity: Int = 4096) {
        self.capacity = capacity
        start = .allocate(capacity: capacity)
    }

    func deallocate() { start.deallocate() }

    mutating func reset(limit: Int) {
        count = 0
        guard capacity > limit else { return }
        start.deallocate()
        capacity = 4096
        start = .allocate(capacity: capacity)
    }

    /// Reserves capacity for `more` bytes.
    @inline(__always)
    mutating func reserve(_ more: Int) {
        if count &+ more > capacity { grow(more) }
    }

    @inline(never)
    private mutating func grow(_ more: Int) {
        let new = max(capacity * 2, count + more)
        let moved = UnsafeMutablePointer<UInt8>.allocate(capacity: new)
        moved.update(from: start, count: count)
        start.deallocate()
        start = moved
        capacity = new
    }

    /// Appends a byte, for which capacity is reserved.
    @inline(__always)
    mutating func put(_ byte: UInt8) {
        start[count] = byte
        count &+= 1
    }

    /// Writes eight bytes after the text, for which capacity is reserved. `count` does not change.
    @inline(__always)
    func store8(_ word: UInt64, at offset: Int = 0) {
        UnsafeMutableRawPointer(start + (count &+ offset)).storeBytes(of: word, as: UInt64.self)
    }

    @inline(__always)
    func store4(_ word: UInt32) {
        UnsafeMutableRawPointer(start + count).storeBytes(of: word, as: UInt32.self)
    }

    mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        reserve(bytes.count)
        if let source = bytes.baseAddress { (start + count).update(from: source, count: bytes.count) }
        count += bytes.count
    }

    mutating func append(_ text: StaticString) {
        append(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }
}

/// Strings between quotes, with Foundation's escapes. Slashes are escaped unless the format is `.withoutEscapingSlashes`.
extension OutputBuffer {
    @inline(__always)
    mutating func appendString(_ string: String, slashes: Bool) {
        #if _pointerBitWidth(_64)
            if StringLayout.isKnownForWriting, appendShort(string, slashes: slashes) { return }
        #endif
        appendLong(string, slashes: slashes)
    }

    #if _pointerBitWidth(_64)
        /// Appends a string of at most 15 ASCII characters that need no escape.
        ///
        /// - Returns: False for any other string; nothing is appended then.
        @inline(__always)
        mutating func appendShort(_ string: String, slashes: Bool) -> Bool {
            let words = unsafeBitCast(string, to: StringLayout.Words.self)
            guard words.high >> 60 == StringLayout.asciiTag >> 4 else { return false }
            let count = words.high >> 56 & 15
            let high = words.high & 0x00FF_FFFF_FFFF_FFFF
            // Fills the bytes after the string with letters, which need no escape.
            let letters: UInt64 = 0x6161_6161_6161_6161
            let low = words.low | (count < 8 ? letters &<< (8 &* count) : 0)
            let rest = high | (count > 8 ? letters &<< (8 &* (count &- 8)) : letters)
            var special = Bytes.specialInString(low) | Bytes.specialInString(rest)
            if slashes { special |= Self.slash(low) | Self.slash(rest) }
            guard special == 0 else { return false }
            reserve(24)
            put(0x22)
            store8(words.low)
            store8(high, at: 8)
            advance(by: Int(truncatingIfNeeded: count))
            put(0x22)
            return true
        }

        @inline(__always)
        private mutating func advance(by more: Int) { count &+= more }
    #endif

    @inline(__always)
    private static func slash(_ x: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let y = x ^ (ones &* 0x2F)
        return (y &- ones) & ~y & (ones &* 0x80)
    }

    @inline(never)
    private mutating func appendLong(_ string: String, slashes: Bool) {
        // Reads the string in place, without counting references. A bridged string has no contiguous UTF-8 and is copied.
        if string.utf8.withContiguousStorageIfAvailable({ appendString($0, slashes: slashes) }) != nil { return }
        var copy = string
        copy.withUTF8 { appendString($0, slashes: slashes) }
    }

    /// Appends UTF-8 between quotes.
    mutating func appendString(_ bytes: UnsafeBufferPointer<UInt8>, slashes: Bool) {
        let n = bytes.count
        reserve(n &+ 24)
        put(0x22)
        guard n > 0, let p = bytes.baseAddress else {
            put(0x22)
            return
        }
        var i = 0
        let ones: UInt64 = 0x0101_0101_0101_0101
        while true {
            var word: UInt64
            let left = n &- i
            if left >= 8 {
                word = Bytes.load8(p + i)
            } else if left == 0 {
                break
            } else if n >= 8 {
                word = Bytes.load8(p + (n &- 8)) &>> UInt64(truncatingIfNeeded: 8 &* (8 &- left))
            } else {
                word = 0
                for j in 0..<left { word |= UInt64(p[i &+ j]) &<< UInt64(truncatingIfNeeded: 8 &* j) }
            }
            store8(word)
            if left < 8 { word |= (ones &* 0x61) &<< UInt64(truncatingIfNeeded: 8 &* left) }
            // Characters that are not ASCII are copied, since a string's UTF-8 is valid.
            let ascii = word & ~(ones &* 0x80)
            let quote = ascii ^ (ones &* 0x22)
            let backslash = ascii ^ (ones &* 0x5C)
            var special = (ascii &- (ones &* 0x20)) | (quote &- ones) & ~quote | (backslash &- ones) & ~backslash
            if slashes {
                let slash = ascii ^ (ones &* 0x2F)
                special |= (slash &- ones) & ~slash
            }
            special &= ~word & (ones &* 0x80)
            if special == 0 {
                let step = min(left, 8)
                count &+= step
                i &+= step
            } else {
                let step = special.trailingZeroBitCount &>> 3
                count &+= step
                i &+= step
                appendEscape(p[i], slashes: slashes)
                i &+= 1
                reserve(n &- i &+ 24)
            }
        }
        put(0x22)
    }

    /// Appends one byte, escaped if necessary. The search by words may also stop at a byte that needs no escape.
    private mutating func appendEscape(_ byte: UInt8, slashes: Bool) {
        switch byte {
        case 0x22: store4(0x225C)
        case 0x5C: store4(0x5C5C)
        case 0x2F where slashes: store4(0x2F5C)
        case 0x08: store4(0x625C)
        case 0x0C: store4(0x665C)
        case 0x0A: store4(0x6E5C)
        case 0x0D: store4(0x725C)
        case 0x09: store4(0x745C)
        case 0..<0x20:
            store4(0x3030_755C)
            count &+= 4
            put(byte < 16 ? 0x30 : 0x31)
            let digit = byte & 15
            put(digit < 10 ? 0x30 &+ digit : 0x57 &+ digit)
            return
        default:
            put(byte)
            return
        }
        count &+= 2
    }
}
