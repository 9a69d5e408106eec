/// Percent-encoding of the parts of a URL (RFC 3986 §2.1).
package enum PercentEncoding {
    /// Appends `text`, with all but the bytes of `kept` encoded.
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

    /// As the WHATWG URL standard's form serializer does: a space becomes `+`, and `*-._` stay.
    static func appendForm(_ text: String, to output: inout [UInt8]) {
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

    /// `nil` where a `%` is not followed by two hexadecimal digits, or the bytes are not UTF-8.
    package static func decoded(_ text: some StringProtocol) -> String? {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
        var bytes: [UInt8] = []
        var iterator = text.utf8.makeIterator()
        while let byte = iterator.next() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = iterator.next().flatMap(hexValue), let low = iterator.next().flatMap(hexValue) else { return nil }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
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
