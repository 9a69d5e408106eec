import Endpoints
import Foundation
import NetworkLogging

/// Character classes of HTTP fields, and search functions for raw bytes.
enum HTTP1Bytes {
    static let lineFeed = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")
    static let space = UInt8(ascii: " ")
    static let tab = UInt8(ascii: "\t")

    /// Whether a token such as a field name may contain the character (RFC 9110 §5.6.2).
    @inline(__always)
    static func isToken(_ byte: UInt8) -> Bool { byte.isTokenByte }

    @inline(__always)
    static func isDigit(_ byte: UInt8) -> Bool { byte.isDigit }

    /// Whether the byte is a space or a tab (RFC 9110 §5.6.3).
    @inline(__always)
    static func isSpace(_ byte: UInt8) -> Bool { byte.isSpaceOrTab }

    /// Whether the byte is a control character other than a tab, which a field value must not contain (RFC 9110 §5.5).
    @inline(__always)
    static func isControl(_ byte: UInt8) -> Bool {
        (byte < 0x20 && byte != tab) || byte == 0x7F
    }

    /// Whether one of the bytes is a control character other than a tab. Checks eight bytes at a time.
    static func holdControl(_ bytes: UnsafeRawBufferPointer) -> Bool {
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
    @inline(__always)
    static func lineFeed(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        guard start < bytes.count, let base = bytes.baseAddress,
            let found = memchr(base + start, CInt(lineFeed), bytes.count &- start)
        else { return nil }
        return UnsafeRawPointer(found) - base
    }

    /// Returns the bytes without leading and trailing spaces and tabs.
    @inline(__always)
    static func trimmed(_ bytes: UnsafeRawBufferPointer, from start: Int = 0) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[start...].trimmed)
    }

    /// Whether the bytes equal the text, ignoring case. For tokens only: other bytes that differ only in bit 5 compare as equal.
    ///
    /// - Parameter lowercased: Lowercase letters, digits and hyphens only.
    @inline(__always)
    static func isSame(_ token: UnsafeRawBufferPointer, _ lowercased: StaticString) -> Bool {
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
    @inline(__always)
    static func forEachElement<Failure: Error>(
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

    /// Returns a name in quotation marks for use in messages: at most 60 characters.
    static func shown(_ name: UnsafeRawBufferPointer) -> String {
        "\"\(String(decoding: name.prefix(240), as: UTF8.self).printable)\""
    }
}
