import NetworkJSON

/// A search for secret values in a text, both directly and after decoding the encodings that the text may have.
struct SecretSearch {
    private let table: SecretTable
    private let isCut: Bool

    init(_ table: SecretTable, isCut: Bool) {
        self.table = table
        self.isCut = isCut
    }

    /// Returns the ranges of the secret values, sorted and merged so that they do not overlap or adjoin.
    func ranges(in bytes: [UInt8]) -> [Range<Int>] {
        var found: [Range<Int>] = []
        let text = DecodedText(bytes)
        search(text, &found)
        // Encodings can be nested, such as a percent-encoded URL in JSON. Percent-encoding is decoded up to three times.
        for outer in DecodedText.Encoding.allCases {
            guard let once = text.decoded(outer, hasSpaces: table.hasSpaces) else { continue }
            search(once, &found)
            for inner in DecodedText.Encoding.allCases {
                guard let twice = once.decoded(inner, hasSpaces: table.hasSpaces) else { continue }
                search(twice, &found)
                if outer == .percent, inner == .percent, let thrice = twice.decoded(.percent, hasSpaces: table.hasSpaces) {
                    search(thrice, &found)
                }
            }
        }
        guard found.count > 1 else { return found }
        return found.sorted { $0.lowerBound < $1.lowerBound }.reduce(into: []) { merged, range in
            if let last = merged.last, range.lowerBound <= last.upperBound {
                merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                merged.append(range)
            }
        }
    }

    private func search(_ text: DecodedText, _ found: inout [Range<Int>]) {
        text.bytes.withUnsafeBufferPointer { bytes in
            var index = 0
            while index + 4 <= bytes.count {
                if let end = end(ofMatchAt: index, in: bytes) {
                    found.append(text.originalRange(of: index..<end))
                    index = end
                } else {
                    index += 1
                }
            }
        }
    }

    private func end(ofMatchAt start: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        guard let candidates = table.candidates(bytes, at: start) else { return nil }
        var longest: Int?
        for pattern in candidates {
            let count = min(pattern.bytes.count, bytes.count - start)
            guard count == pattern.bytes.count || isCut, pattern.bytes.prefix(count).elementsEqual(bytes[start..<start + count])
            else { continue }
            var end = start + count
            if pattern.standsAlone {
                if start > 0, bytes[start - 1].isNameLetter { continue }
                if end < bytes.count, bytes[end].isNameLetter { continue }
            }
            if pattern.isBeginning { while end < bytes.count, Self.continues(bytes[end]) { end += 1 } }
            longest = max(longest ?? 0, end)
        }
        return longest
    }

    /// Returns whether a byte can continue a long value or a base64 text.
    private static func continues(_ byte: UInt8) -> Bool {
        switch byte {
        case .plus, .slash, .equals, .hyphen, .underscore, .dot: true
        default: byte.isAlphanumeric
        }
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
    /// The start of each byte in the original text, and the end of that text; `nil` if nothing was decoded.
    private let starts: [Int]?

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        starts = nil
    }

    private init(_ bytes: [UInt8], starts: [Int]) {
        self.bytes = bytes
        self.starts = starts
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
        return hasChanged ? DecodedText(decoded, starts: starts) : nil
    }

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
            guard let end = bytes[index..<min(index + 10, bytes.count)].firstIndex(of: .semicolon) else { return nil }
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
