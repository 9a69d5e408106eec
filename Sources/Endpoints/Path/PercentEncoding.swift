import NetworkSupport

/// Functions that percent-encode and decode the parts of a URL (RFC 3986 §2.1).
package enum PercentEncoding {
    /// Appends `text` and percent-encodes all bytes that are not in `kept`.
    static func append(_ text: String, keeping kept: ByteSet, to output: inout [UInt8]) {
        text.withBytes { append($0, keeping: kept, to: &output) }
    }

    static func append(_ bytes: UnsafeBufferPointer<UInt8>, keeping kept: ByteSet, to output: inout [UInt8]) {
        guard let first = bytes.firstIndex(where: { !kept.contains($0) }) else { return output.append(contentsOf: bytes) }
        output.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[..<first]))
        for byte in bytes[first...] {
            if kept.contains(byte) { output.append(byte) } else { append(byte, to: &output) }
        }
    }

    /// Appends `text` encoded like the WHATWG URL standard's form serializer: a space becomes `+`, and `*-._` are not encoded.
    package static func appendForm(_ text: String, to output: inout [UInt8]) {
        for byte in text.utf8 {
            if byte == UInt8(ascii: " ") {
                output.append(UInt8(ascii: "+"))
            } else if ByteSet.form.contains(byte) {
                output.append(byte)
            } else {
                append(byte, to: &output)
            }
        }
    }

    /// Returns the decoded text, or `nil` if a `%` is not followed by two hexadecimal digits or the bytes are not UTF-8.
    package static func decoded(_ text: some StringProtocol) -> String? {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
        var bytes: [UInt8] = []
        var iterator = text.utf8.makeIterator()
        while let byte = iterator.next() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = iterator.next().flatMap(\.hexValue), let low = iterator.next().flatMap(\.hexValue) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return String(valid: bytes)
    }

    /// Returns the decoded bytes, which need not be UTF-8. A `%` that is not followed by two hexadecimal digits is kept.
    package static func decodedBytes(_ text: some StringProtocol) -> [UInt8] {
        text.withBytes { bytes in
            var decoded: [UInt8] = []
            decoded.reserveCapacity(bytes.count)
            var index = 0
            while index < bytes.count {
                if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count, let high = bytes[index + 1].hexValue,
                    let low = bytes[index + 2].hexValue
                {
                    decoded.append(high << 4 | low)
                    index += 3
                } else {
                    decoded.append(bytes[index])
                    index += 1
                }
            }
            return decoded
        }
    }

    /// Returns the bytes with all but unreserved characters percent-encoded (RFC 3986 §2.3).
    ///
    /// - Parameter kept: Another character that is not encoded. Default: none.
    package static func encoded(_ bytes: some Sequence<UInt8>, keeping kept: Unicode.Scalar? = nil) -> String {
        var output: [UInt8] = []
        for byte in bytes {
            if ByteSet.unreserved.contains(byte) || kept.map({ UInt8(ascii: $0) == byte }) ?? false {
                output.append(byte)
            } else {
                append(byte, to: &output)
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    private static func append(_ byte: UInt8, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "%"))
        output.append(hexDigit(byte >> 4))
        output.append(hexDigit(byte & 0xF))
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}

/// A set of ASCII characters, stored as 128 bits because it is checked for each byte of every request.
struct ByteSet: Sendable {
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    init(_ characters: String, and other: ByteSet? = nil) {
        if let other { (low, high) = (other.low, other.high) }
        for byte in characters.utf8 where byte < 128 {
            if byte < 64 { low |= 1 << UInt64(byte) } else { high |= 1 << UInt64(byte - 64) }
        }
    }

    @inline(__always)
    func contains(_ byte: UInt8) -> Bool {
        switch byte {
        case ..<64: low >> UInt64(byte) & 1 == 1
        case ..<128: high >> UInt64(byte - 64) & 1 == 1
        default: false
        }
    }
}

extension ByteSet {
    private static let alphanumerics = ByteSet("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")

    /// The unreserved characters (RFC 3986 §2.3).
    static let unreserved = ByteSet("-._~", and: alphanumerics)
    /// The characters of a path: pchar and `/` (RFC 3986 §3.3), and the percent sign, which is validated elsewhere.
    static let path = ByteSet("!$&'()*+,;=:@/%", and: unreserved)
    /// The characters of a query (RFC 3986 §3.4), and the percent sign.
    static let query = ByteSet("?", and: path)
    /// The characters that the WHATWG URL standard's form serializer does not encode (§1.3).
    static let form = ByteSet("*-._", and: alphanumerics)
    /// The characters of a multipart boundary, except the space (RFC 2046 §5.1.1).
    static let boundary = ByteSet("'()+_,-./:=?", and: alphanumerics)
}

extension StringProtocol {
    /// Calls `body` with the UTF-8 bytes of this text. They are copied only if the text is not stored as contiguous UTF-8.
    func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Result) rethrows -> Result {
        if let result = try utf8.withContiguousStorageIfAvailable(body) { return result }
        return try Array(utf8).withUnsafeBufferPointer(body)
    }

    func consists(of set: ByteSet) -> Bool {
        withBytes { bytes in
            for byte in bytes where !set.contains(byte) { return false }
            return true
        }
    }
}
