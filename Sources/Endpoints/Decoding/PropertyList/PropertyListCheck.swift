import Foundation

/// Looks at the nesting of a property list before Foundation gets it, whose parsers go down without a limit: a document of some hundred
/// kilobytes would overflow the stack, which stops the process.
///
/// Each look takes time linear in the document, and memory linear in it at most. What is malformed in other ways is left for Foundation
/// to report, but for what could hide nested elements from this look.
enum PropertyListCheck {
    /// Values within values; as many as JSON may have.
    static let maximumDepth = JSONContainerStack.limit
    /// What a binary document may hold when each reference to a value counts as a value of its own, which is how it is decoded.
    static let maximumValues = 10_000_000

    /// - Throws: ``PropertyListFlaw/tooDeep`` or ``PropertyListFlaw/malformed(_:)``.
    static func check(_ data: Data) throws(PropertyListFlaw) {
        let isBinary = data.starts(with: "bplist".utf8)
        let bytes = isBinary ? [UInt8](data) : try PropertyListText.ascii(of: data)
        try bytes.withUnsafeBufferPointer { (bytes) throws(PropertyListFlaw) in
            if isBinary {
                try BinaryPropertyList(bytes).check()
            } else if bytes.first(where: { !PropertyListText.isSpace($0) }) == UInt8(ascii: "<") {
                var scan = XMLNesting(bytes)
                try scan.check()
            } else {
                var scan = OpenStepNesting(bytes)
                try scan.check()
            }
        }
    }
}

/// Why a property list is not handed to Foundation.
enum PropertyListFlaw: Error {
    /// ``PropertyListCheck/maximumDepth``
    case tooDeep
    /// It breaks the format, or could be read in two ways; and how.
    case malformed(String)

    /// As decoders throw it.
    var asDecodingError: any Error {
        switch self {
        case .tooDeep: ResponseDecodingError.tooDeep(maximumDepth: PropertyListCheck.maximumDepth)
        case .malformed(let reason): DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: reason))
        }
    }
}

/// The text of a property list, with all that is not ASCII as one byte of its own, whatever its encoding.
enum PropertyListText {
    /// Encodings in which each byte below 128 is the ASCII character, also within other characters.
    private static let transparent: Set<String> = [
        "utf-8", "utf8", "us-ascii", "ascii", "iso-8859-1", "iso-8859-15", "latin1", "windows-1252", "macintosh",
    ]
    private static let wide: Set<String> = ["utf-16", "utf-16le", "utf-16be", "utf-32", "utf-32le", "utf-32be"]

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    /// - Throws: ``PropertyListFlaw/malformed(_:)`` where the document names an encoding that hides ASCII characters.
    static func ascii(of data: Data) throws(PropertyListFlaw) -> [UInt8] {
        let (width, isBigEndian, mark) = layout(of: [UInt8](data.prefix(4)))
        var text: [UInt8]
        if width == 1 {
            text = [UInt8](data.dropFirst(mark))
        } else {
            text = narrowed([UInt8](data.dropFirst(mark)), width: width, isBigEndian: isBigEndian)
        }
        if let name = declaredEncoding(text) {
            guard (width == 1 ? transparent : wide).contains(name) || (width > 1 && name == "utf-8") else {
                throw .malformed("the property list is in the encoding \"\(name.printable)\", which is not read here")
            }
        }
        // A zero ends the text for some readers.
        if let zero = text.firstIndex(of: 0), width == 1 {
            guard text[zero...].allSatisfy({ $0 == 0 }) else { throw .malformed("the property list holds a NUL character") }
            text.removeSubrange(zero...)
        }
        return text
    }

    /// By a byte order mark, or by the zeros around the first character, which is ASCII.
    private static func layout(of start: [UInt8]) -> (width: Int, isBigEndian: Bool, mark: Int) {
        if start.starts(with: [0xEF, 0xBB, 0xBF]) { return (1, false, 3) }
        if start == [0xFF, 0xFE, 0, 0] { return (4, false, 4) }
        if start == [0, 0, 0xFE, 0xFF] { return (4, true, 4) }
        if start.starts(with: [0xFF, 0xFE]) { return (2, false, 2) }
        if start.starts(with: [0xFE, 0xFF]) { return (2, true, 2) }
        guard start.count == 4 else { return (1, false, 0) }
        switch start.map({ $0 == 0 }) {
        case [false, true, true, true]: return (4, false, 0)
        case [true, true, true, false]: return (4, true, 0)
        case [false, true, false, true], [false, true, false, false], [false, true, true, false]: return (2, false, 0)
        case [true, false, true, false], [true, false, false, false]: return (2, true, 0)
        default: return (1, false, 0)
        }
    }

    private static func narrowed(_ bytes: [UInt8], width: Int, isBigEndian: Bool) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count / width)
        var index = 0
        while index + width <= bytes.count {
            var unit: UInt32 = 0
            for offset in 0..<width { unit = unit << 8 | UInt32(bytes[index + (isBigEndian ? offset : width - 1 - offset)]) }
            text.append(unit < 0x80 ? UInt8(unit) : 0xFF)
            index += width
        }
        return text
    }

    /// In lower case, of `<?xml version="1.0" encoding="UTF-8"?>`.
    private static func declaredEncoding(_ text: [UInt8]) -> String? {
        let start = text.drop(while: isSpace)
        guard start.starts(with: "<?xml".utf8), let end = start.firstIndex(of: UInt8(ascii: ">")) else { return nil }
        let declaration = String(decoding: start[..<end], as: UTF8.self).lowercased()
        guard let place = declaration.range(of: "encoding") else { return nil }
        let rest = declaration[place.upperBound...].drop { $0 == " " || $0 == "=" || $0.isWhitespace }
        guard let quote = rest.first, quote == "\"" || quote == "'" else { return "" }
        return String(rest.dropFirst().prefix { $0 != quote })
    }
}
