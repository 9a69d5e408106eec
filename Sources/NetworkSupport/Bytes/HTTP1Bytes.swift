import Foundation

// Public, because the compiler of Swift 6.3 inlines no function with the access level `package` into another module; this module is no product.
/// Searches in the raw bytes of messages of HTTP/1.1.
public enum HTTP1Bytes {
    /// Whether the byte is a control character other than a tab, which a field value must not contain (RFC 9110 §5.5).
    @inlinable @inline(__always)
    public static func isControl(_ byte: UInt8) -> Bool {
        (byte < 0x20 && byte != UInt8(ascii: "\t")) || byte == 0x7F
    }

    /// Whether one of the bytes is a control character other than a tab. Checks eight bytes at a time.
    @inlinable
    public static func holdControl(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        var index = 0
        while index &+ 8 <= bytes.count {
            let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            // The top bit of a byte is set in the first term if one of the bytes is below 0x20, in the second if one is 0x7F.
            let isBelow = (word &- ones &* 0x20) & ~word
            let difference = word ^ (ones &* 0x7F)
            let isDelete = (difference &- ones) & ~difference
            if (isBelow | isDelete) & (ones &* 0x80) != 0 {
                for position in index..<index &+ 8 where isControl(bytes[position]) { return true }
            }
            index &+= 8
        }
        while index < bytes.count {
            if isControl(bytes[index]) { return true }
            index &+= 1
        }
        return false
    }

    /// Returns the position of the first line feed at or after `start`.
    @inlinable @inline(__always)
    public static func lineFeed(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        guard start < bytes.count, let base = bytes.baseAddress,
            let found = memchr(base + start, CInt(UInt8(ascii: "\n")), bytes.count &- start)
        else { return nil }
        return UnsafeRawPointer(found) - base
    }

    /// Returns the bytes without leading and trailing spaces and tabs.
    @inlinable @inline(__always)
    public static func trimmed(_ bytes: UnsafeRawBufferPointer, from start: Int = 0) -> UnsafeRawBufferPointer {
        var (start, end) = (start, bytes.count)
        while start < end, bytes[start] == UInt8(ascii: " ") || bytes[start] == UInt8(ascii: "\t") { start &+= 1 }
        while end > start, bytes[end &- 1] == UInt8(ascii: " ") || bytes[end &- 1] == UInt8(ascii: "\t") { end &-= 1 }
        return UnsafeRawBufferPointer(rebasing: bytes[start..<end])
    }

    /// Whether the bytes equal the text, ignoring case. For tokens only: other bytes that differ only in bit 5 compare as equal.
    ///
    /// - Parameter lowercased: Lowercase letters, digits and hyphens only.
    @inlinable @inline(__always)
    public static func isSame(_ token: UnsafeRawBufferPointer, _ lowercased: StaticString) -> Bool {
        guard token.count == lowercased.utf8CodeUnitCount else { return false }
        let text = lowercased.utf8Start
        var index = 0
        while index < token.count {
            if token[index] | 0x20 != text[index] { return false }
            index &+= 1
        }
        return true
    }

    /// Calls `body` with each element of a comma-separated list (RFC 9110 §5.6.1), without surrounding white space. Skips empty
    /// elements.
    @inlinable @inline(__always)
    public static func forEachElement<Failure: Error>(
        of list: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        var start = 0
        while start < list.count {
            var end = start
            while end < list.count, list[end] != UInt8(ascii: ",") { end &+= 1 }
            let element = trimmed(UnsafeRawBufferPointer(rebasing: list[start..<end]))
            if !element.isEmpty { try body(element) }
            start = end &+ 1
        }
    }
}
