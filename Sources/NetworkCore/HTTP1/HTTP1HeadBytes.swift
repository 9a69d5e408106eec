import Endpoints
import Foundation

/// Writes the parts of a request head into memory that the caller has made large enough.
///
/// Prevents injected lines: names, values and targets are written without line ends, whatever they contain.
struct HTTP1HeadBytes: ~Copyable {
    private let bytes: UnsafeMutableRawBufferPointer
    private(set) var count = 0

    init(_ bytes: UnsafeMutableRawBufferPointer) {
        self.bytes = bytes
    }

    mutating func write(_ text: StaticString) {
        write(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func write(_ part: UnsafeRawBufferPointer) {
        guard let start = part.baseAddress, !part.isEmpty else { return }
        precondition(part.count <= bytes.count &- count)
        memcpy(bytes.baseAddress! + count, start, part.count)
        count &+= part.count
    }

    private mutating func write(_ byte: UInt8) {
        bytes[count] = byte
        count &+= 1
    }

    /// Writes a field line. Does nothing if the value is `nil`.
    mutating func writeField(_ nameAndColon: StaticString, _ value: String?) {
        guard let value else { return }
        write(nameAndColon)
        write(value: value)
        write("\r\n")
    }

    /// Writes a token unchanged. Other characters, which validation rejects beforehand, are left out.
    mutating func write(token: String) {
        token.withRawUTF8 { token in
            for byte in token where HTTP1Bytes.isToken(byte) { write(byte) }
        }
    }

    /// Writes a field value unchanged. Control characters, which validation rejects beforehand, become spaces (RFC 9110 §5.5).
    mutating func write(value: String) {
        value.withRawUTF8 { value in
            guard HTTP1Bytes.holdControl(value) else { return write(value) }
            for byte in value { write(HTTP1Bytes.isControl(byte) ? HTTP1Bytes.space : byte) }
        }
    }

    mutating func write(decimal number: Int64) {
        var digits = 1
        var power: Int64 = 10
        while digits < 19, number >= power {
            digits &+= 1
            power = digits < 19 ? power &* 10 : Int64.max
        }
        var rest = number
        for index in stride(from: count + digits - 1, through: count, by: -1) {
            bytes[index] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        count &+= digits
    }

    /// Writes a part of a URL unchanged. Bytes that a URL must not contain, such as spaces and line ends, are percent-encoded
    /// (RFC 3986 §2.1).
    mutating func write(urlPart part: UnsafeRawBufferPointer) {
        var isPlain = true
        for byte in part { isPlain = isPlain && byte &- 0x21 < 0x5E }
        if isPlain { return write(part) }
        for byte in part {
            if byte &- 0x21 < 0x5E {
                write(byte)
            } else {
                write(UInt8(ascii: "%"))
                write(Self.digit(byte >> 4))
                write(Self.digit(byte & 15))
            }
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") &+ value : UInt8(ascii: "A") &- 10 &+ value
    }
}

extension String {
    /// Calls `body` with the UTF-8 bytes of this text, which is copied only if it is not stored as UTF-8.
    @inline(__always)
    func withRawUTF8<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        if let result = utf8.withContiguousStorageIfAvailable({ body(UnsafeRawBufferPointer($0)) }) { return result }
        return Array(utf8).withUnsafeBytes(body)
    }
}

/// The parts of a URL that an HTTP/1.1 request contains (RFC 9112 §3.2), as byte offsets in its text.
struct HTTP1RequestTarget: Equatable, Sendable {
    private(set) var scheme = 0..<0
    /// The host without user information, and for an IPv6 address without its zone, which has no meaning for other machines (RFC
    /// 6874 §4).
    private(set) var host = 0..<0
    /// Whether `host` lacks the closing bracket, because it followed the zone.
    private(set) var lacksBracket = false
    /// The port without leading zeros; empty if it is the scheme's default port.
    private(set) var port = 0..<0
    /// The path and query: from the first slash or question mark on, without the fragment.
    private(set) var pathAndQuery: Range<Int>

    /// Finds the parts of a URL.
    ///
    /// - Parameter url: The text of an absolute URL. Any other text becomes the path and query.
    init(_ url: UnsafeRawBufferPointer) {
        var end = 0
        while end < url.count, url[end] != UInt8(ascii: "#") { end &+= 1 }
        pathAndQuery = 0..<end
        guard let colon = url[..<end].firstIndex(of: UInt8(ascii: ":")), colon &+ 2 < end, url[colon &+ 1] == UInt8(ascii: "/"),
            url[colon &+ 2] == UInt8(ascii: "/")
        else { return }
        scheme = 0..<colon
        var start = colon &+ 3
        var authorityEnd = start
        while authorityEnd < end, url[authorityEnd] != UInt8(ascii: "/"), url[authorityEnd] != UInt8(ascii: "?") {
            if url[authorityEnd] == UInt8(ascii: "@") { start = authorityEnd &+ 1 }
            authorityEnd &+= 1
        }
        pathAndQuery = authorityEnd..<end
        takeHostAndPort(of: url, start..<authorityEnd)
    }

    private mutating func takeHostAndPort(of url: UnsafeRawBufferPointer, _ place: Range<Int>) {
        var index = place.lowerBound
        var zone: Int?
        if !place.isEmpty, url[index] == UInt8(ascii: "[") {
            while index < place.upperBound, url[index] != UInt8(ascii: "]") {
                if url[index] == UInt8(ascii: "%"), zone == nil { zone = index }
                index &+= 1
            }
            lacksBracket = zone != nil
        }
        while index < place.upperBound, url[index] != UInt8(ascii: ":") { index &+= 1 }
        host = place.lowerBound..<(zone ?? index)
        guard index < place.upperBound else { return }
        var start = index &+ 1
        while start &+ 1 < place.upperBound, url[start] == UInt8(ascii: "0") { start &+= 1 }
        let digits = UnsafeRawBufferPointer(rebasing: url[start..<place.upperBound])
        let isDefault = scheme.count == 5 ? digits.elementsEqual("443".utf8) : digits.elementsEqual("80".utf8)
        if !isDefault { port = start..<place.upperBound }
    }
}
