// ASCII characters, and classes of them.

extension UInt8 {
    @inlinable @inline(__always) package static var tab: UInt8 { UInt8(ascii: "\t") }
    @inlinable @inline(__always) package static var lineFeed: UInt8 { UInt8(ascii: "\n") }
    @inlinable @inline(__always) package static var carriageReturn: UInt8 { UInt8(ascii: "\r") }
    @inlinable @inline(__always) package static var space: UInt8 { UInt8(ascii: " ") }
    @inlinable @inline(__always) package static var quote: UInt8 { UInt8(ascii: "\"") }
    @inlinable @inline(__always) package static var apostrophe: UInt8 { UInt8(ascii: "'") }
    @inlinable @inline(__always) package static var backslash: UInt8 { UInt8(ascii: "\\") }
    @inlinable @inline(__always) package static var slash: UInt8 { UInt8(ascii: "/") }
    @inlinable @inline(__always) package static var colon: UInt8 { UInt8(ascii: ":") }
    @inlinable @inline(__always) package static var semicolon: UInt8 { UInt8(ascii: ";") }
    @inlinable @inline(__always) package static var comma: UInt8 { UInt8(ascii: ",") }
    @inlinable @inline(__always) package static var equals: UInt8 { UInt8(ascii: "=") }
    @inlinable @inline(__always) package static var percent: UInt8 { UInt8(ascii: "%") }
    @inlinable @inline(__always) package static var plus: UInt8 { UInt8(ascii: "+") }
    @inlinable @inline(__always) package static var hyphen: UInt8 { UInt8(ascii: "-") }
    @inlinable @inline(__always) package static var underscore: UInt8 { UInt8(ascii: "_") }
    @inlinable @inline(__always) package static var dot: UInt8 { UInt8(ascii: ".") }
    @inlinable @inline(__always) package static var at: UInt8 { UInt8(ascii: "@") }
    @inlinable @inline(__always) package static var hash: UInt8 { UInt8(ascii: "#") }
    @inlinable @inline(__always) package static var question: UInt8 { UInt8(ascii: "?") }
    @inlinable @inline(__always) package static var ampersand: UInt8 { UInt8(ascii: "&") }
    @inlinable @inline(__always) package static var less: UInt8 { UInt8(ascii: "<") }
    @inlinable @inline(__always) package static var greater: UInt8 { UInt8(ascii: ">") }
    @inlinable @inline(__always) package static var openBrace: UInt8 { UInt8(ascii: "{") }
    @inlinable @inline(__always) package static var closeBrace: UInt8 { UInt8(ascii: "}") }
    @inlinable @inline(__always) package static var openBracket: UInt8 { UInt8(ascii: "[") }
    @inlinable @inline(__always) package static var closeBracket: UInt8 { UInt8(ascii: "]") }

    @inlinable @inline(__always) package var isUpper: Bool { self >= 0x41 && self <= 0x5A }
    @inlinable @inline(__always) package var isLower: Bool { self >= 0x61 && self <= 0x7A }
    @inlinable @inline(__always) package var isAlphanumeric: Bool { isUpper || isLower || isDigit }
    /// Whether this is an ASCII letter or digit, or a byte of a non-ASCII character.
    @inlinable @inline(__always) package var isNameLetter: Bool { isAlphanumeric || self >= 0x80 }
    @inlinable @inline(__always) package var isWhitespace: Bool { isSpaceOrTab || self == .lineFeed || self == .carriageReturn }
    @inlinable @inline(__always) package var isOpening: Bool {
        self == .openBrace || self == .openBracket || self == UInt8(ascii: "(")
    }
    @inlinable @inline(__always) package var isClosing: Bool {
        self == .closeBrace || self == .closeBracket || self == UInt8(ascii: ")")
    }
    @inlinable @inline(__always) package var lowered: UInt8 { isUpper ? self | 0x20 : self }

    /// The value of this ASCII hexadecimal digit, or `nil` if it is not one.
    @inlinable package var hexValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self &- UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self &- UInt8(ascii: "a") &+ 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self &- UInt8(ascii: "A") &+ 10
        default: nil
        }
    }
}

extension Sequence<UInt8> {
    /// The bytes in hexadecimal: two lower-case digits for each byte.
    package var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0xF)]] }, as: UTF8.self)
    }
}
