/// Compares the names of a document's members with the one that is looked for.
///
/// Names are equal when they are equal as Swift strings, by canonical equivalence, as in the dictionaries of JSONDecoder:
/// a composed "é" finds a decomposed one. Where both are ASCII, which is nearly always, that is equality of bytes.
struct JSONNameMatcher {
    private let name: String
    private let bytes: [UInt8]
    private let isASCII: Bool

    init(_ name: String) {
        self.name = name
        self.bytes = Array(name.utf8)
        self.isASCII = bytes.allSatisfy { $0 < 0x80 }
    }

    /// - Parameter body: What stands between the quotes, found well-formed.
    func matches(_ body: UnsafeBufferPointer<UInt8>, _ traits: JSONScanner.StringTraits) -> Bool {
        if traits.isEmpty, isASCII { return isSame(body) }
        return Self.name(body, traits) == name
    }

    private func isSame(_ body: UnsafeBufferPointer<UInt8>) -> Bool {
        guard body.count == bytes.count else { return false }
        for index in bytes.indices where body[index] != bytes[index] { return false }
        return true
    }

    /// The name that a body stands for.
    static func name(_ body: UnsafeBufferPointer<UInt8>, _ traits: JSONScanner.StringTraits) -> String {
        guard traits.contains(.escapes) else { return String(decoding: body, as: UTF8.self) }
        var units: [UInt16] = []
        var name = ""
        var index = 0
        var plain = 0
        // Escaped code units are collected, because two of them can be one scalar.
        func flush(to end: Int) {
            name += String(decoding: units, as: UTF16.self)
            units.removeAll()
            name += String(decoding: UnsafeBufferPointer(rebasing: body[plain..<end]), as: UTF8.self)
        }
        while index < body.count {
            guard body[index] == UInt8(ascii: "\\") else {
                index += 1
                continue
            }
            if plain < index { flush(to: index) }
            let (unit, length) = codeUnit(of: body, at: index)
            units.append(unit)
            index += length
            plain = index
        }
        flush(to: index)
        return name
    }

    private static func codeUnit(of body: UnsafeBufferPointer<UInt8>, at index: Int) -> (UInt16, length: Int) {
        switch body[index + 1] {
        case UInt8(ascii: "b"): (0x08, 2)
        case UInt8(ascii: "f"): (0x0C, 2)
        case UInt8(ascii: "n"): (0x0A, 2)
        case UInt8(ascii: "r"): (0x0D, 2)
        case UInt8(ascii: "t"): (0x09, 2)
        case UInt8(ascii: "u"): (UInt16(String(decoding: body[index + 2..<index + 6], as: UTF8.self), radix: 16) ?? 0xFFFD, 6)
        case let character: (UInt16(character), 2)
        }
    }
}
