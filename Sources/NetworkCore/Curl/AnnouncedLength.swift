/// What the `Content-Length` lines of a head say together (RFC 9112 §6.3).
///
/// libcurl believes the last of several that differ, and reads to the end of the connection where one is too large a number: either
/// way, what follows could be taken for another response.
struct AnnouncedLength: Sendable {
    private var value: UInt64?
    /// Whether a line is no number, or not that of the one before.
    private(set) var isContradictory = false

    private static let name = Array("content-length".utf8)

    /// Takes any line of a head.
    mutating func receive(_ line: UnsafeRawBufferPointer) {
        let name = Self.name
        guard line.count > name.count, line[0] | 0x20 == name[0], line[name.count] == UInt8(ascii: ":"),
            line.prefix(name.count).elementsEqual(name, by: { $0 | 0x20 == $1 })
        else { return }
        // Proxies fold equal lines into one.
        for part in line[(name.count + 1)...].split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            let digits = part.drop(while: Self.isSpace).reversed().drop(while: Self.isSpace).reversed()
            guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }),
                let number = UInt64(String(decoding: digits, as: UTF8.self)), number <= UInt64(Int64.max),
                number == value ?? number
            else {
                isContradictory = true
                return
            }
            value = number
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        [0x20, 0x09, 0x0D, 0x0A].contains(byte)
    }
}
