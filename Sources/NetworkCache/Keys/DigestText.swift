import NetworkCore

/// Texts one after another, kept apart by their lengths, and their SHA-256 in hexadecimal.
struct DigestText {
    private var bytes: [UInt8] = []

    mutating func add(_ text: String) {
        var text = text
        withUnsafeBytes(of: UInt64(text.utf8.count).littleEndian) { bytes.append(contentsOf: $0) }
        text.withUTF8 { bytes.append(contentsOf: $0) }
    }

    var hexadecimal: String {
        let digest = SHA256.digest(of: bytes)
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
