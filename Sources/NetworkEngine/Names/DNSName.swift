/// A domain name in the form that messages have: labels, each after its length, and an empty one at the end (RFC 1035 §3.1).
///
/// Names are compared without case, so letters are lowercase here (RFC 4343 §3).
struct DNSName: Equatable, Sendable {
    /// The maximum number of bytes of a name, with lengths (RFC 1035 §2.3.4).
    static let maximumBytes = 255
    /// The maximum number of compression pointers in a name. A name has 127 labels at most, and a pointer usually replaces
    /// several.
    static let maximumPointers = 64

    private(set) var bytes: [UInt8]

    /// Creates a name from its text; `nil` if it contains an empty label, one of more than 63 bytes, more than 253 bytes in all,
    /// or other characters than ASCII.
    ///
    /// - Parameter text: Labels between dots. A final dot is permitted; escapes do not exist.
    init?(_ text: String) {
        var text = Array(text.utf8)
        if text.last == UInt8(ascii: ".") { text.removeLast() }
        guard text.count <= 253, text.allSatisfy({ $0 < 0x80 }) else { return nil }
        bytes = []
        for label in text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
            guard (1...63).contains(label.count) else { return nil }
            bytes.append(UInt8(label.count))
            bytes += label.map(Self.lowercased)
        }
        bytes.append(0)
    }

    /// Reads a name, which may be compressed (RFC 1035 §4.1.4).
    ///
    /// A pointer leads to an earlier place than the part of the name that it ends, so pointers form no loop.
    ///
    /// - Parameters:
    ///   - message: A whole message.
    ///   - offset: The place of the name. Afterwards the place that follows it.
    /// - Returns: `nil` if the name is malformed: the offset is undefined then.
    init?(of message: [UInt8], at offset: inout Int) {
        bytes = []
        // Where the current part of the name begins, and the next byte to read.
        var (start, place) = (offset, offset)
        var pointers = 0
        while place < message.count {
            let length = Int(message[place])
            place += 1
            if length >= 0xC0 {
                guard place < message.count else { return nil }
                let target = (length & 0x3F) << 8 | Int(message[place])
                if pointers == 0 { offset = place + 1 }
                pointers += 1
                guard pointers <= Self.maximumPointers, target >= DNSMessage.headerBytes, target < start else { return nil }
                (start, place) = (target, target)
                continue
            }
            // The other two kinds of labels are not in use (RFC 6891 §5).
            guard length <= 63, length <= message.count - place, bytes.count + length + 1 <= Self.maximumBytes else { return nil }
            bytes.append(UInt8(length))
            if length == 0 {
                if pointers == 0 { offset = place }
                return
            }
            bytes += message[place..<place + length].lazy.map(Self.lowercased)
            place += length
        }
        return nil
    }

    /// Returns whether the name is that of a zone, or a name below it.
    func isIn(_ zone: DNSName) -> Bool {
        var start = 0
        while bytes.count - start > zone.bytes.count { start += Int(bytes[start]) + 1 }
        return bytes[start...].elementsEqual(zone.bytes)
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
