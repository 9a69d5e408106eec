import NetworkJSON
import NetworkSupport

/// A search for secret values in a text, both directly and after decoding the encodings that the text may have.
struct SecretSearch {
    private let table: SecretTable

    init(_ table: SecretTable) {
        self.table = table
    }

    /// Returns the ranges of the secret values, in any order.
    func ranges(in text: TextStart) -> [Range<Int>] {
        var found: [Range<Int>] = []
        DecodedText(text).forEachView(hasSpaces: table.hasSpaces, isDeep: true) { view in
            let ranges = view.bytes.withUnsafeBufferPointer { table.index.ranges(in: $0, isCut: text.isCut) }
            found += ranges.map(view.originalRange)
        }
        return found
    }
}

/// A decoded text with the position of each byte in the original text.
struct DecodedText {
    enum Encoding: CaseIterable {
        /// Percent-encoding (RFC 3986 §2.1), including `+` for a space as in forms.
        case percent
        /// The escapes in a JSON string (RFC 8259 §7).
        case json
        /// The character references of XML and HTML: `&amp;`, `&#38;`, `&#x26;`.
        case xml
    }

    let bytes: [UInt8]
    private let isCut: Bool
    /// The start of each byte in the original text, and the end of that text; `nil` if nothing was decoded.
    private let starts: [Int]?

    init(_ text: TextStart) {
        bytes = text.bytes
        isCut = text.isCut
        starts = nil
    }

    private init(_ bytes: [UInt8], isCut: Bool, starts: [Int]) {
        self.bytes = bytes
        self.isCut = isCut
        self.starts = starts
    }

    /// Whether something was decoded.
    var isDecoded: Bool { starts != nil }

    /// Calls a closure with the text and with each text that decoding yields.
    ///
    /// - Parameters:
    ///   - hasSpaces: Whether `+` is decoded to a space in percent-encoded text.
    ///   - isDeep: Whether two different encodings, one within the other, are decoded. Percent-encoding is decoded up to three times in any case.
    func forEachView(hasSpaces: Bool, isDeep: Bool, _ body: (DecodedText) -> Void) {
        body(self)
        // Encodings can be nested, such as a percent-encoded URL in JSON.
        for outer in Encoding.allCases {
            guard let once = decoded(outer, hasSpaces: hasSpaces) else { continue }
            body(once)
            for inner in Encoding.allCases where isDeep || (inner == .percent && outer == .percent) {
                guard let twice = once.decoded(inner, hasSpaces: hasSpaces) else { continue }
                body(twice)
                if outer == .percent, inner == .percent, let thrice = twice.decoded(.percent, hasSpaces: hasSpaces) {
                    body(thrice)
                }
            }
        }
    }

    /// Returns the range in the original text of a range of bytes.
    func originalRange(of range: Range<Int>) -> Range<Int> {
        guard let starts else { return range }
        return starts[range.lowerBound]..<starts[range.upperBound]
    }

    /// Returns the text with an encoding decoded, or `nil` if there is nothing to decode.
    ///
    /// - Parameter hasSpaces: Whether `+` is decoded to a space in percent-encoded text.
    func decoded(_ encoding: Encoding, hasSpaces: Bool) -> DecodedText? {
        let mark: UInt8 =
            switch encoding {
            case .percent: .percent
            case .json: .backslash
            case .xml: .ampersand
            }
        guard bytes.contains(mark) || (encoding == .percent && hasSpaces && bytes.contains(.plus)) else { return nil }
        var decoded: [UInt8] = []
        var starts: [Int] = []
        decoded.reserveCapacity(bytes.count)
        starts.reserveCapacity(bytes.count + 1)
        var index = 0
        var hasChanged = false
        while index < bytes.count {
            let start = self.starts?[index] ?? index
            if encoding == .percent, hasSpaces, bytes[index] == .plus {
                decoded.append(.space)
                starts.append(start)
                index += 1
                hasChanged = true
            } else if bytes[index] == mark, isCut, isIncomplete(encoding, at: index) {
                // What comes before a cut character must not differ from the beginning of a secret because of it.
                hasChanged = true
                break
            } else if bytes[index] == mark, let length = append(encoding, at: index, to: &decoded) {
                starts += repeatElement(start, count: decoded.count - starts.count)
                index += length
                hasChanged = true
            } else {
                decoded.append(bytes[index])
                starts.append(start)
                index += 1
            }
        }
        starts.append(self.starts?[bytes.count] ?? bytes.count)
        return hasChanged ? DecodedText(decoded, isCut: isCut, starts: starts) : nil
    }

    /// Whether an encoded character may begin at an index, and its end was cut off.
    private func isIncomplete(_ encoding: Encoding, at index: Int) -> Bool {
        let rest = bytes[(index + 1)...]
        return switch encoding {
        case .percent: rest.count < 2
        case .json: rest.count < 5 && (rest.isEmpty || rest.first == UInt8(ascii: "u"))
        case .xml: rest.count < Self.longestReference && !rest.contains(.semicolon)
        }
    }

    /// The maximum length of a character reference, such as `&#x00000074;`, from its `&` to its semicolon.
    private static let longestReference = 24

    /// Decodes the encoded character at an index, and appends it.
    ///
    /// - Returns: The length of the encoded character; `nil` without an encoded character, in which case nothing is appended.
    private func append(_ encoding: Encoding, at index: Int, to decoded: inout [UInt8]) -> Int? {
        switch encoding {
        case .percent:
            guard index + 2 < bytes.count, let high = bytes[index + 1].hexValue, let low = bytes[index + 2].hexValue else {
                return nil
            }
            decoded.append(high << 4 | low)
            return 3
        case .json:
            guard index + 1 < bytes.count else { return nil }
            return JSONEscapes.append(escapeIn: bytes, at: index, to: &decoded)
        case .xml:
            guard let end = bytes[index..<min(index + Self.longestReference, bytes.count)].firstIndex(of: .semicolon) else {
                return nil
            }
            let name = Array(bytes[(index + 1)..<end]).text
            let length = end + 1 - index
            if let byte = Self.references[name] {
                decoded.append(byte)
                return length
            }
            guard name.hasPrefix("#") else { return nil }
            let number = name.dropFirst()
            let isHexadecimal = number.first == "x" || number.first == "X"
            guard let value = UInt32(isHexadecimal ? number.dropFirst() : number, radix: isHexadecimal ? 16 : 10),
                let scalar = Unicode.Scalar(value)
            else { return nil }
            decoded += String(Character(scalar)).utf8
            return length
        }
    }

    private static let references: [String: UInt8] = [
        "amp": .ampersand, "lt": .less, "gt": .greater, "quot": .quote, "apos": .apostrophe,
    ]
}
