/// Reads the elements of one level of a DER encoding (X.690 §8, §10), one after the other.
///
/// Strict where it matters: one-byte tags, definite lengths in their shortest form, nothing beyond the end. Never traps.
struct DERReader {
    struct Element {
        var tag: UInt8
        var content: ArraySlice<UInt8>
        /// Tag and length included.
        var whole: ArraySlice<UInt8>
    }

    static let sequence: UInt8 = 0x30

    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    var isAtEnd: Bool { rest.isEmpty }

    /// The next element; `nil` at the end and where it is damaged.
    mutating func next() -> Element? {
        let start = rest.startIndex
        guard rest.count >= 2, rest[start] & 0x1F != 0x1F else { return nil }
        var position = start + 2
        var length = Int(rest[start + 1])
        if length >= 0x80 {
            let count = length & 0x7F
            guard (1...4).contains(count), rest.count >= 2 + count, rest[position] != 0 else { return nil }
            length = 0
            for _ in 0..<count {
                length = length << 8 | Int(rest[position])
                position += 1
            }
            guard length >= 0x80 else { return nil }
        }
        guard length <= rest.endIndex - position else { return nil }
        let end = position + length
        let element = Element(tag: rest[start], content: rest[position..<end], whole: rest[start..<end])
        rest = rest[end...]
        return element
    }

    /// The next element where it has this tag.
    mutating func next(_ tag: UInt8) -> Element? {
        guard let element = next(), element.tag == tag else { return nil }
        return element
    }
}
