/// Converts a text of JSON5 (https://spec.json5.org) to JSON, which the scanner then validates: it alone decides what is a document.
///
/// Tokens are validated here by their grammar, and written as those of RFC 8259. The places of brackets, colons and commas are left to the scanner, except
/// for the comma before a closing bracket, which is dropped. Each byte is read at most twice.
///
/// A number that is infinite or not a number is written as one that no Double can hold (``NonFinite``), and a hexadecimal one of more than 64 bits as the
/// nearest Double.
struct JSON5Converter {
    /// Followed by ``NetworkSupport/PaddedBytes/padding`` zeros.
    let bytes: Bytes.Pointer
    let count: Int
    var index = 0
    /// The text in JSON.
    var out: [UInt8]
    private(set) var offsets = TextOffsets()
    /// The last token, and whether a comma after it was not written yet.
    private var last = Token.opening
    private var owesComma = false

    private enum Token { case opening, value, colon, comma }

    init(_ bytes: Bytes.Pointer, count: Int) {
        self.bytes = bytes
        self.count = count
        // Room for the brace of an assumed object.
        out = [0x20]
        out.reserveCapacity(count + 8)
    }

    /// Converts the text.
    ///
    /// - Parameter assumesObject: Whether the text may be an object without its braces.
    /// - Throws: ``ScanFailure`` with the offset in the text.
    mutating func convert(assumesObject: Bool) throws(ScanFailure) {
        var first: UInt8?
        while try skipSpace(writes: true), let c = byte {
            if first == nil { first = c }
            if owesComma, !(last == .value && (c == 0x5D || c == 0x7D)) {
                out.append(0x2C)
                last = .comma
            }
            owesComma = false
            note()
            switch c {
            case 0x5B, 0x7B: put(.opening)
            case 0x5D, 0x7D: put(.value)
            case 0x3A: put(.colon)
            case 0x2C:
                owesComma = true
                index += 1
            case 0x22, 0x27:
                try string(c)
                last = .value
            case 0x2B, 0x2D, 0x2E, 0x30...0x39:
                try number()
                last = .value
            default:
                try word()
                last = .value
            }
        }
        note()
        let isAssumed = assumesObject && first != 0x7B
        if owesComma, !(isAssumed && last == .value) { out.append(0x2C) }
        if isAssumed {
            out[0] = 0x7B
            out.append(0x7D)
        }
    }

    var byte: UInt8? { index < count ? bytes[index] : nil }

    private mutating func put(_ token: Token) {
        out.append(bytes[index])
        index += 1
        last = token
    }

    /// Notes that the next byte of the JSON comes from the next byte of the text.
    mutating func note() { offsets.add(index, at: out.count) }

    func failure(_ reason: ScanFailure.Reason) -> ScanFailure {
        ScanFailure(reason: index >= count ? .unexpectedEnd : reason, offset: min(index, count))
    }

    /// Skips white space and comments.
    ///
    /// - Parameter writes: Whether one space is written for them.
    /// - Returns: True.
    @discardableResult
    mutating func skipSpace(writes: Bool) throws(ScanFailure) -> Bool {
        let start = index
        while let c = byte {
            if c == 0x2F {
                try skipComment()
            } else if c <= 0x20 {
                guard Bytes.isWhiteSpace(c) || c == 0x0B || c == 0x0C else { break }
                index += 1
            } else if c >= 0x80, let (scalar, length) = self.scalar(at: index), Self.isSpace(scalar) {
                index += length
            } else {
                break
            }
        }
        if writes, index > start { out.append(0x20) }
        return true
    }

    private mutating func skipComment() throws(ScanFailure) {
        switch bytes[index + 1] {
        case 0x2F:
            index += 2
            while index < count, !isLineEnd(index) { index += 1 }
        case 0x2A:
            index += 2
            while !(index < count && bytes[index] == 0x2A && bytes[index + 1] == 0x2F) {
                guard index < count else { throw failure(.unexpectedEnd) }
                index += 1
            }
            index += 2
        default: throw failure(.unexpectedCharacter)
        }
    }

    /// Whether a line feed, a carriage return, U+2028 or U+2029 is at an index.
    func isLineEnd(_ i: Int) -> Bool {
        bytes[i] == 0x0A || bytes[i] == 0x0D || bytes[i] == 0xE2 && bytes[i + 1] == 0x80 && bytes[i + 2] & 0xFE == 0xA8
    }

    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09...0x0D, 0x20, 0xA0, 0x2028, 0x2029, 0xFEFF: true
        default: scalar.properties.generalCategory == .spaceSeparator
        }
    }

    /// The character that is not ASCII at an index, and its length; nil if it is not UTF-8.
    func scalar(at i: Int) -> (Unicode.Scalar, Int)? {
        guard let end = Bytes.endOfSequence(bytes + i) else { return nil }
        let length = end - (bytes + i)
        guard i + length <= count else { return nil }
        return String(decoding: UnsafeBufferPointer(start: bytes + i, count: length), as: UTF8.self).unicodeScalars.first.map {
            ($0, length)
        }
    }
}

/// The numbers of JSON5 that JSON has not. Their text in JSON has a longer exponent than ``JSON5Converter`` writes for any other number.
enum NonFinite: String {
    case infinity = "1e9999999999"
    case nan = "2e9999999999"

    private static let exponent = "e9999999999"

    /// The text of a number in JSON5: `Infinity`, `-Infinity` or `NaN`, if it is one of these.
    static func text(of number: String) -> String {
        guard number.hasSuffix(exponent) else { return number }
        return number.first == "-" ? "-Infinity" : number.first == "2" ? "NaN" : "Infinity"
    }
}
