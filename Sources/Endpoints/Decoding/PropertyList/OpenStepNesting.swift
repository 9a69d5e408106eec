/// How deep the containers of a property list in the old style are nested: `{ name = (1, "two"); }`.
///
/// Comments and quotes are what they are only where a value could begin; in a bare word they are characters like others.
struct OpenStepNesting {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var index = 0
    private var depth = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    mutating func check() throws(PropertyListFlaw) {
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "("), UInt8(ascii: "{"):
                depth += 1
                guard depth <= PropertyListCheck.maximumDepth else {
                    throw .tooDeep
                }
                index += 1
            case UInt8(ascii: ")"), UInt8(ascii: "}"):
                depth -= 1
                guard depth >= 0 else { throw .malformed("the property list closes a container that is not open") }
                index += 1
            case UInt8(ascii: "\""), UInt8(ascii: "'"): skipQuoted()
            case UInt8(ascii: "/") where next == UInt8(ascii: "/"): skipLine()
            case UInt8(ascii: "/") where next == UInt8(ascii: "*"): skipComment()
            case let byte where Self.isWord(byte): while index < bytes.count, Self.isWord(bytes[index]) { index += 1 }
            default: index += 1
            }
        }
    }

    private var next: UInt8? { index + 1 < bytes.count ? bytes[index + 1] : nil }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        case UInt8(ascii: "_"), UInt8(ascii: "$"), UInt8(ascii: "/"), UInt8(ascii: ":"), UInt8(ascii: "."), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    private mutating func skipQuoted() {
        let quote = bytes[index]
        index += 1
        while index < bytes.count, bytes[index] != quote { index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1 }
        index += 1
    }

    private mutating func skipLine() {
        while index < bytes.count, bytes[index] != 0x0A, bytes[index] != 0x0D { index += 1 }
    }

    private mutating func skipComment() {
        index += 2
        while index < bytes.count, !(bytes[index] == UInt8(ascii: "*") && next == UInt8(ascii: "/")) { index += 1 }
        index += 2
    }
}
