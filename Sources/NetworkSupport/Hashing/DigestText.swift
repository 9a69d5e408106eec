import Foundation

/// A SHA-256 digest of a sequence of texts and data, each preceded by its length so that different sequences have different digests.
package struct DigestText {
    private var bytes: [UInt8] = []

    package init() {}

    package mutating func add(_ text: String) {
        var text = text
        withUnsafeBytes(of: UInt64(text.utf8.count).littleEndian) { bytes.append(contentsOf: $0) }
        text.withUTF8 { bytes.append(contentsOf: $0) }
    }

    package mutating func add(_ data: Data) {
        withUnsafeBytes(of: UInt64(data.count).littleEndian) { bytes.append(contentsOf: $0) }
        bytes.append(contentsOf: data)
    }

    /// The SHA-256 digest of the texts, in hexadecimal.
    package var hexadecimal: String { SHA256.digest(of: bytes).hexadecimal }
}

extension String {
    /// 16 random bytes from the system's generator, as 32 hexadecimal digits.
    package static var randomHexadecimal: String {
        withUnsafeBytes(of: (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))) { Array($0) }.hexadecimal
    }
}
