import Foundation
import NetworkLogging

/// A charset as named in a `Content-Type` header (RFC 9110 §8.3.2), and the matching Foundation encoding.
package struct TextCharset: Sendable, Hashable {
    /// The charset's name in a `Content-Type` header, in lower case.
    package let name: String
    package let encoding: String.Encoding

    /// The UTF-8 charset (RFC 3629), written without a byte order mark.
    package static let utf8 = TextCharset(name: "utf-8", encoding: .utf8)

    private static let encodings: [String: String.Encoding] = [
        "utf-8": .utf8, "utf8": .utf8, "us-ascii": .ascii, "ascii": .ascii,
        "iso-8859-1": .isoLatin1, "latin1": .isoLatin1, "iso-8859-2": .isoLatin2, "latin2": .isoLatin2,
        "windows-1250": .windowsCP1250, "windows-1251": .windowsCP1251, "windows-1252": .windowsCP1252,
        "windows-1253": .windowsCP1253, "windows-1254": .windowsCP1254,
        "utf-16": .utf16, "utf-16le": .utf16LittleEndian, "utf-16be": .utf16BigEndian,
        "utf-32": .utf32, "utf-32le": .utf32LittleEndian, "utf-32be": .utf32BigEndian,
        "shift_jis": .shiftJIS, "iso-2022-jp": .iso2022JP, "macintosh": .macOSRoman,
    ]

    private static let names: [String.Encoding: String] = [
        .ascii: "us-ascii", .isoLatin1: "iso-8859-1", .isoLatin2: "iso-8859-2",
        .windowsCP1250: "windows-1250", .windowsCP1251: "windows-1251", .windowsCP1252: "windows-1252",
        .windowsCP1253: "windows-1253", .windowsCP1254: "windows-1254",
        .utf16: "utf-16", .utf16LittleEndian: "utf-16le", .utf16BigEndian: "utf-16be",
        .utf32: "utf-32", .utf32LittleEndian: "utf-32le", .utf32BigEndian: "utf-32be",
        .shiftJIS: "shift_jis", .iso2022JP: "iso-2022-jp", .macOSRoman: "macintosh",
    ]

    private init(name: String, encoding: String.Encoding) {
        self.name = name
        self.encoding = encoding
    }

    /// Creates a charset from its registered name, or returns `nil` if the name is not supported.
    ///
    /// Supported: UTF-8, UTF-16 and UTF-32 with and without byte order, US-ASCII, ISO-8859-1 and -2, windows-1250 to -1254,
    /// Shift_JIS, ISO-2022-JP, Macintosh.
    ///
    /// - Parameter name: The name, compared without case.
    package init?(name: String) {
        guard let encoding = Self.encodings[name.lowercased()] else { return nil }
        self.init(name: name.lowercased(), encoding: encoding)
    }

    /// Creates the charset of an encoding, or returns `nil` if it has no name that ``init(name:)`` supports.
    package init?(_ encoding: String.Encoding) {
        guard encoding != .utf8 else {
            self = .utf8
            return
        }
        guard let name = Self.names[encoding] else { return nil }
        self.init(name: name, encoding: encoding)
    }

    /// Returns the `charset` parameter of a `Content-Type` value without quotes (RFC 9110 §5.6.6), or `nil` if it has none.
    package static func parameter(in contentType: String) -> String? {
        let parameters = FieldParameters(contentType[...]).parameters
        guard let value = parameters.first(where: { $0.name == "charset" && $0.value?.isEmpty == false })?.value else {
            return nil
        }
        return FieldParameters.unquoted(value).trimmingCharacters(in: CharacterSet(charactersIn: " \t\"'"))
    }

    /// Returns the text in this charset, or `nil` if the charset cannot represent one of its characters.
    func encode(_ text: String) -> Data? {
        encoding == .utf8 ? Data(text.utf8) : text.data(using: encoding, allowLossyConversion: false)
    }

    /// Returns the text without a byte order mark, or `nil` if the bytes are not valid in this charset.
    func decode(_ data: Data) -> String? {
        guard isWhole(data.count), let text = decodeWithMark(data) else { return nil }
        guard text.unicodeScalars.first == "\u{FEFF}" else { return text }
        return String(text.unicodeScalars.dropFirst())
    }

    private func decodeWithMark(_ data: Data) -> String? {
        if encoding == .utf8 { return String(valid: data) }
        if encoding == .ascii && data.contains(where: { $0 > 0x7F }) { return nil }
        return String(data: data, encoding: encoding)
    }

    /// Whether the bytes form whole code units. Foundation ignores an incomplete code unit at the end.
    private func isWhole(_ count: Int) -> Bool {
        switch encoding {
        case .utf16, .utf16LittleEndian, .utf16BigEndian: count % 2 == 0
        case .utf32, .utf32LittleEndian, .utf32BigEndian: count % 4 == 0
        default: true
        }
    }
}
