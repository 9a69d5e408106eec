import DataTransferHTTPTypes

/// A generator of random numbers with a seed, so that a failure can be repeated.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) {
        state = seed &+ 0x9E37_79B9_7F4A_7C15
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}

extension SeededGenerator {
    private static let tokenBytes = Array("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
    private static let names = ["Set-Cookie", "set-cookie", "SET-COOKIE", "X", "x", "Accept", "Content-Type", "~"]

    /// Returns a token; often a name that occurs several times.
    mutating func name() -> String {
        if Bool.random(using: &self) { return Self.names.randomElement(using: &self) ?? "X" }
        let count = Int.random(in: 1...12, using: &self)
        return String(decoding: (0..<count).map { _ in Self.tokenBytes.randomElement(using: &self) ?? 0x2D }, as: UTF8.self)
    }

    /// Returns the bytes of a valid value: visible ASCII, bytes above it, and spaces and tabs in between.
    mutating func valueBytes() -> [UInt8] {
        switch Int.random(in: 0..<4, using: &self) {
        case 0: return []
        case 1: return Array("grüße 😀 e\u{301}".utf8)
        default: break
        }
        let edge = Array(UInt8(0x21)...0x7E) + Array(UInt8(0x80)...0xFF)
        let inner = edge + [0x20, 0x09]
        var bytes = (0..<Int.random(in: 1...20, using: &self)).map { _ in inner.randomElement(using: &self) ?? 0x21 }
        bytes[0] = edge.randomElement(using: &self) ?? 0x21
        bytes[bytes.count - 1] = edge.randomElement(using: &self) ?? 0x21
        return bytes
    }

    /// Returns field lines as an engine receives them.
    mutating func fields() -> HeaderFields {
        HeaderFields(
            (0..<Int.random(in: 0...15, using: &self)).map { _ in
                HeaderFields.Field(name: name(), received: valueBytes())
            })
    }
}

/// A field line as bytes. `String` compares texts that are written differently as equal.
struct FieldLine: Hashable {
    var name: [UInt8]
    var value: [UInt8]
}

extension HeaderFields {
    var lines: [FieldLine] { fields.map { FieldLine(name: Array($0.name.utf8), value: $0.bytes) } }
}

extension HTTPFields {
    var lines: [FieldLine] {
        map { field in FieldLine(name: Array(field.name.rawName.utf8), value: field.withUnsafeBytesOfValue { Array($0) }) }
    }
}
