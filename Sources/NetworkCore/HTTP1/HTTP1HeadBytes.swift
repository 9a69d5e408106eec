import Endpoints
import Foundation

/// Writes the parts of a request head into memory that is large enough for all of them.
///
/// Makes no line end but its own: names, values and targets come out without one, whatever is in them.
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

    /// A name and a value with their line end, if there is a value.
    mutating func writeField(_ nameAndColon: StaticString, _ value: String?) {
        guard let value else { return }
        write(nameAndColon)
        write(value: value)
        write("\r\n")
    }

    /// A token as it is. Other characters, which validation lets nobody have, are left out.
    mutating func write(token: String) {
        token.withRawUTF8 { token in
            for byte in token where HTTP1Bytes.isToken(byte) { write(byte) }
        }
    }

    /// A field value as it is. Control characters, which validation lets nobody have, become spaces (RFC 9110 §5.5).
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

    /// A part of a URL, byte for byte. What no URL holds, such as spaces and line ends, is percent-encoded (RFC 3986 §2.1).
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
    /// Runs `body` on the UTF-8 of this text, which is copied only where it is not stored so.
    @inline(__always)
    func withRawUTF8<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        if let result = utf8.withContiguousStorageIfAvailable({ body(UnsafeRawBufferPointer($0)) }) { return result }
        return Array(utf8).withUnsafeBytes(body)
    }
}
