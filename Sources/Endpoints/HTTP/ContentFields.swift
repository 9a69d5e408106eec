import Foundation
import NetworkSupport

/// The expected digest of a file's bytes.
///
/// ```swift
/// DownloadOptions(digest: .sha256("e3b0c44298fc1c149afb…495991b7852b855"))
/// ```
public struct ContentDigest: Sendable, Hashable {
    private let text: String

    /// A SHA-256 digest (FIPS 180-4) as 64 hexadecimal digits in upper or lower case, or as the base64 encoding of 32 bytes.
    ///
    /// Any other text is reported as an error when the digest is used.
    public static func sha256(_ text: String) -> ContentDigest {
        ContentDigest(text: text)
    }

    /// The 32 bytes of the digest; `nil` if the text is malformed.
    package var bytes: [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count == 64 else {
            return Data(base64Encoded: text).flatMap { $0.count == 32 ? Array($0) : nil }
        }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[index].hexValue, let low = digits[index + 1].hexValue else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return bytes
    }
}

/// The value of a `Content-Digest` or `Repr-Digest` header (RFC 9530 §2, §3): a dictionary of byte sequences (RFC 9651 §3.2).
///
/// A value that is not a dictionary is treated as one without digests, as RFC 9651 §4.2 requires. Members that are not byte sequences are
/// ignored.
package struct DigestField: Sendable, Hashable {
    /// The digests by the name of their algorithm, such as `sha-256`.
    package var digests: [String: Data]
    /// Whether the value is not a dictionary, or its `sha-256` is not one of 32 bytes, so that nothing can be checked with it.
    package var isMalformed: Bool

    package init(_ text: String) {
        let members = StructuredField.dictionary(text)
        digests = (members ?? [:]).compactMapValues { member in
            if case .bytes(let data) = member.value { data } else { nil }
        }
        isMalformed = members == nil
        if members?["sha-256"] != nil, sha256 == nil { isMalformed = true }
    }

    /// The 32 bytes of the SHA-256 digest; `nil` if the field has no such digest, or one of another length.
    package var sha256: [UInt8]? {
        digests["sha-256"].flatMap { $0.count == 32 ? Array($0) : nil }
    }

    /// The names of the fields with digests, in the order in which they are checked.
    package static let names = ["Content-Digest", "Repr-Digest"]
}

/// The value of a `Content-Range` header (RFC 9110 §14.4), in bytes.
package struct ContentRange: Sendable, Hashable {
    /// The position of the part in the complete content; never empty. `nil` if no part was sent (`bytes */1000`).
    package var range: Range<Int64>?
    /// The length of the complete content; `nil` if the server does not state it (`bytes 0-99/*`).
    package var total: Int64?

    package init(_ range: Range<Int64>?, of total: Int64?) {
        self.range = range
        self.total = total
    }

    /// Parses the header's value.
    ///
    /// Returns `nil` for any other text: another unit, an end before the start or not below the total length, or a number that does not
    /// fit in an `Int64`.
    package init?(_ text: String) {
        guard let (unit, rest) = text.trimmed.divided(at: " "), unit.asciiLowercased == "bytes",
            let (part, length) = Substring(rest.utf8.drop { $0 == UInt8(ascii: " ") }).divided(at: "/")
        else { return nil }
        if length != "*" {
            guard let total = length.utf8.decimal else { return nil }
            self.total = total
        }
        guard part != "*" else {
            // Without a range, the length is required.
            if total == nil { return nil }
            return
        }
        guard let (start, end) = part.divided(at: "-"), let first = start.utf8.decimal, let last = end.utf8.decimal,
            last >= first, last < .max
        else { return nil }
        if let total, last >= total { return nil }
        range = first..<(last + 1)
    }
}
