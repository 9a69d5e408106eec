import NetworkCore

/// Texts one after another, kept apart by their lengths, and their SHA-256 in hexadecimal.
struct DigestText {
    private var hash = SHA256()

    mutating func add(_ text: String) {
        var text = text
        withUnsafeBytes(of: UInt64(text.utf8.count).littleEndian) { hash.update($0) }
        text.withUTF8 { hash.update(UnsafeRawBufferPointer($0)) }
    }

    var hexadecimal: String {
        let digest = hash.finalized()
        return String(unsafeUninitializedCapacity: digest.count * 2) { buffer in
            for (index, byte) in digest.enumerated() {
                buffer[index * 2] = Self.digit(byte >> 4)
                buffer[index * 2 + 1] = Self.digit(byte & 15)
            }
            return digest.count * 2
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x61 + value - 10 }
}
