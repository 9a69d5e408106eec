import Foundation
import NetworkSupport

/// A charset as named in a `Content-Type` header (RFC 9110 §8.3.2).
package struct TextCharset: Sendable, Hashable {
    /// The charset's name in a `Content-Type` header, in lower case.
    package let name: String
    private let coding: Coding

    private enum Coding: Sendable, Hashable {
        /// An encoding of Foundation.
        case foundation(String.Encoding)
        /// The characters of the bytes from 128 on.
        case singleByte([UInt16])
        /// EUC-JP, which Foundation on Linux does not have. It contains the same characters as ISO-2022-JP-2.
        case eucJP
    }

    /// The UTF-8 charset (RFC 3629), written without a byte order mark.
    package static let utf8 = TextCharset(name: "utf-8", coding: .foundation(.utf8))

    /// The charsets of several bytes per character, by their names in the WHATWG Encoding Standard. The numbers are those of Core Foundation: GB 18030, which
    /// includes GBK; Big5-HKSCS; and code page 949, which is the standard's EUC-KR.
    private static let encodings: [String: String.Encoding] = [
        "utf-8": .utf8, "utf-16le": .utf16LittleEndian, "utf-16be": .utf16BigEndian,
        "utf-32": .utf32, "utf-32le": .utf32LittleEndian, "utf-32be": .utf32BigEndian,
        "gbk": core(0x632), "gb18030": core(0x632), "big5": core(0xA06), "euc-kr": core(0x422),
        "shift_jis": .shiftJIS, "iso-2022-jp": .iso2022JP,
    ]

    private static let names: [String.Encoding: String] = [
        .ascii: "us-ascii", .isoLatin1: "iso-8859-1", .isoLatin2: "iso-8859-2",
        .windowsCP1250: "windows-1250", .windowsCP1251: "windows-1251", .windowsCP1252: "windows-1252",
        .windowsCP1253: "windows-1253", .windowsCP1254: "windows-1254",
        .utf16: "utf-16", .utf16LittleEndian: "utf-16le", .utf16BigEndian: "utf-16be",
        .utf32: "utf-32", .utf32LittleEndian: "utf-32le", .utf32BigEndian: "utf-32be",
        .shiftJIS: "shift_jis", .iso2022JP: "iso-2022-jp", .macOSRoman: "macintosh",
    ]

    private static func core(_ number: UInt) -> String.Encoding { String.Encoding(rawValue: 0x8000_0000 | number) }

    private init(name: String, coding: Coding) {
        self.name = name
        self.coding = coding
    }

    /// Creates the charset to read text with a label, or returns `nil` if the label is unknown.
    ///
    /// Supported: the labels of the WHATWG Encoding Standard except for `replacement`, and UTF-32 (``CharsetLabels``). As there, `iso-8859-1` and `us-ascii` are
    /// windows-1252, and `utf-16` without a byte order mark is little-endian.
    ///
    /// - Parameter name: The label, compared by its letters and digits, without case.
    package init?(name: String) {
        guard let known = CharsetLabels.name(of: name) else { return nil }
        if let encoding = Self.encodings[known] {
            self.init(name: known, coding: .foundation(encoding))
        } else if let characters = SingleByteCharsets.characters(of: known) {
            self.init(name: known, coding: .singleByte(characters))
        } else {
            self.init(name: known, coding: .eucJP)
        }
    }

    /// Creates the charset to write text in an encoding, or returns `nil` if it has no name here.
    package init?(_ encoding: String.Encoding) {
        guard encoding != .utf8 else {
            self = .utf8
            return
        }
        guard let name = Self.names[encoding] else { return nil }
        self.init(name: name, coding: .foundation(encoding))
    }

    /// Returns the `charset` parameter of a `Content-Type` value without quotes (RFC 9110 §5.6.6), or `nil` if it has none.
    package static func parameter(in contentType: String) -> String? {
        let parameters = FieldParameters(contentType[...]).parameters
        guard let value = parameters.first(where: { $0.name == "charset" && $0.value?.isEmpty == false })?.value else {
            return nil
        }
        return FieldParameters.unquoted(value).trimmingCharacters(in: CharacterSet(charactersIn: " \t\"'"))
    }

    /// Returns the text in this charset, or `nil` if the charset cannot represent one of its characters. The charset is one of an encoding.
    func encode(_ text: String) -> Data? {
        guard case .foundation(let encoding) = coding else { return nil }
        return encoding == .utf8 ? Data(text.utf8) : text.data(using: encoding, allowLossyConversion: false)
    }

    /// Returns the text without a byte order mark, or `nil` if the bytes are not valid in this charset. A mark is more precise than the charset: that of UTF-8 in
    /// any charset, and that of UTF-16 in charsets of UTF-16 (WHATWG Encoding Standard §6).
    package func decode(_ data: Data) -> String? {
        let text =
            if data.starts(with: [0xEF, 0xBB, 0xBF]) {
                String(valid: data)
            } else {
                switch coding {
                case .foundation(let encoding): Self.decode(data, encoding)
                case .singleByte(let characters): SingleByteCharsets.decode(data, characters)
                case .eucJP: Self.escaped(data).flatMap { String(data: $0, encoding: Self.core(0x821)) }
                }
            }
        guard let text, text.unicodeScalars.first == "\u{FEFF}" else { return text }
        return String(text.unicodeScalars.dropFirst())
    }

    private static func decode(_ data: Data, _ encoding: String.Encoding) -> String? {
        switch encoding {
        case .utf8: return String(valid: data)
        case .utf16LittleEndian, .utf16BigEndian:
            // Foundation ignores an incomplete code unit at the end.
            guard data.count % 2 == 0 else { return nil }
            let (isBig, isLittle) = (data.starts(with: [0xFE, 0xFF]), data.starts(with: [0xFF, 0xFE]))
            return String(data: data, encoding: isBig ? .utf16BigEndian : isLittle ? .utf16LittleEndian : encoding)
        case .utf32, .utf32LittleEndian, .utf32BigEndian:
            return data.count % 4 == 0 ? String(data: data, encoding: encoding) : nil
        default: return String(data: data, encoding: encoding)
        }
    }

    /// Converts EUC-JP to ISO-2022-JP-2, which has the same two tables and the same half-width katakana, after escape sequences instead of with high bits.
    ///
    /// - Returns: `nil` for an incomplete character, and for a control character that ISO-2022 gives a meaning.
    private static func escaped(_ data: Data) -> Data? {
        var out = Data()
        out.reserveCapacity(data.count * 2)
        var current: [UInt8] = ascii
        func begin(_ set: [UInt8]) {
            if set != current { out += set }
            current = set
        }
        let bytes = [UInt8](data)
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            if byte < 0x80 {
                guard byte != 0x0E, byte != 0x0F, byte != 0x1B else { return nil }
                begin(ascii)
                out.append(byte)
                index += 1
                continue
            }
            let length = byte == 0x8E ? 1 : 2
            let start = byte == 0x8E || byte == 0x8F ? index + 1 : index
            guard start + length <= bytes.count, bytes[start..<start + length].allSatisfy({ (0xA1...0xFE).contains($0) }) else {
                return nil
            }
            begin(byte == 0x8E ? katakana : byte == 0x8F ? supplement : kanji)
            out += bytes[start..<start + length].map { $0 & 0x7F }
            index = start + length
        }
        begin(ascii)
        return out
    }

    // ESC ( B, ESC $ B, ESC $ ( D and ESC ( I.
    private static let ascii: [UInt8] = [0x1B, 0x28, 0x42]
    private static let kanji: [UInt8] = [0x1B, 0x24, 0x42]
    private static let supplement: [UInt8] = [0x1B, 0x24, 0x28, 0x44]
    private static let katakana: [UInt8] = [0x1B, 0x28, 0x49]
}
