import Foundation

/// What the bytes of a file have to hash to.
///
/// ```swift
/// DownloadOptions(digest: .sha256("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"))
/// ```
public struct ContentDigest: Sendable, Hashable {
    private let text: String

    /// SHA-256 (FIPS 180-4): 64 hexadecimal digits in any case, or the base64 of 32 bytes. Another text is an error where it is used.
    public static func sha256(_ text: String) -> ContentDigest {
        ContentDigest(text: text)
    }

    /// The 32 bytes; `nil` where the text is neither form.
    package var bytes: [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count == 64 else {
            return Data(base64Encoded: text).flatMap { $0.count == 32 ? Array($0) : nil }
        }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = PercentEncoding.hexValue(digits[index]), let low = PercentEncoding.hexValue(digits[index + 1]) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return bytes
    }
}
