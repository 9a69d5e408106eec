import Foundation
import NetworkLogging

/// The expected digest of a file's bytes.
///
/// ```swift
/// DownloadOptions(digest: .sha256("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"))
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

    package init(_ text: String) {
        var parser = DictionaryParser(bytes: Array(text.utf8))
        digests = parser.byteSequences() ?? [:]
    }
}

/// A parser of structured field dictionaries (RFC 9651 §4.2.2) that returns their byte sequences.
private struct DictionaryParser {
    let bytes: [UInt8]
    var index = 0

    /// Returns the members that are byte sequences; `nil` if the text is not a dictionary.
    mutating func byteSequences() -> [String: Data]? {
        var found: [String: Data] = [:]
        skip(" ")
        while index < bytes.count {
            guard let key = key() else { return nil }
            // The last of several members with the same key is used, even if it is not a byte sequence.
            found[key] = nil
            if take("=") {
                guard let value = value() else { return nil }
                if case .bytes(let data) = value { found[key] = data }
            }
            guard skipParameters() else { return nil }
            skip(" \t")
            if index == bytes.count { return found }
            guard take(",") else { return nil }
            skip(" \t")
            if index == bytes.count { return nil }
        }
        return found
    }

    private enum Value {
        case bytes(Data)
        case other
    }

    private mutating func value() -> Value? {
        guard take("(") else { return item() }
        while true {
            skip(" ")
            if take(")") { return .other }
            guard item() != nil, skipParameters(), index < bytes.count else { return nil }
        }
    }

    private mutating func item() -> Value? {
        guard let first = current else { return nil }
        switch first {
        case UInt8(ascii: ":"): return byteSequence()
        case UInt8(ascii: "\""): return string() ? .other : nil
        default:
            // Of numbers, tokens, booleans, dates and display strings, only the end matters.
            let start = index
            while let byte = current, !" \t,;()\"".utf8.contains(byte), byte > 0x20, byte < 0x7F { index += 1 }
            return index > start ? .other : nil
        }
    }

    private mutating func byteSequence() -> Value? {
        index += 1
        guard let end = bytes[index...].firstIndex(of: UInt8(ascii: ":")) else { return nil }
        defer { index = end + 1 }
        return Data(base64Encoded: Data(bytes[index..<end])).map(Value.bytes)
    }

    private mutating func string() -> Bool {
        index += 1
        while let byte = current {
            index += 1
            if byte == UInt8(ascii: "\"") { return true }
            if byte == UInt8(ascii: "\\") { index += 1 }
        }
        return false
    }

    private mutating func key() -> String? {
        let start = index
        while let byte = current {
            let isFirst = byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z") || byte == UInt8(ascii: "*")
            let isNext = byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") || "_-.".utf8.contains(byte)
            guard isFirst || (isNext && index > start) else { break }
            index += 1
        }
        return index > start ? String(decoding: bytes[start..<index], as: UTF8.self) : nil
    }

    private mutating func skipParameters() -> Bool {
        while take(";") {
            skip(" ")
            guard key() != nil else { return false }
            if take("="), item() == nil { return false }
        }
        return true
    }

    private var current: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard current == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    private mutating func skip(_ characters: String) {
        while let byte = current, characters.utf8.contains(byte) { index += 1 }
    }
}
