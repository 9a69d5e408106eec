import Foundation
import NetworkJSON

/// A check of the nesting of a property list before it is passed to Foundation.
///
/// Foundation's parsers recurse without a limit: a document of some hundred kilobytes would overflow the stack, which terminates the process.
/// The check takes time, and at most memory, that is linear in the size of the document. Other syntax errors are left for Foundation to
/// report, except for those that could hide nested elements from the check.
enum PropertyListCheck {
    /// The stack that a nested container needs while Foundation decodes it, in bytes, in a program without optimization.
    private static let bytesPerLevel = 4 << 10

    /// The maximum number of nested containers that can be decoded on this thread: that of JSON, or fewer on a small stack.
    static var maximumDepth: Int {
        var bounds = StackBounds()
        return min(NestingLimit.maximumDepth, bounds.levels(of: bytesPerLevel))
    }

    /// The maximum number of values in a binary document. Each reference to a value counts as a separate value, because it is decoded as one.
    static let maximumValues = 10_000_000

    /// Checks a document in any of the three formats.
    ///
    /// - Throws: ``PropertyListError/tooDeep(maximumDepth:)`` or ``PropertyListError/malformed(_:)``.
    static func check(_ data: Data) throws(PropertyListError) {
        let maximumDepth = Self.maximumDepth
        let isBinary = data.starts(with: "bplist".utf8)
        let bytes = isBinary ? [UInt8](data) : try PropertyListText.ascii(of: data)
        try bytes.withUnsafeBufferPointer { (bytes) throws(PropertyListError) in
            if isBinary {
                try BinaryPropertyList(bytes, maximumDepth: maximumDepth).check()
            } else if bytes.first(where: { !PropertyListText.isSpace($0) }) == UInt8(ascii: "<") {
                var scan = XMLNesting(bytes, maximumDepth: maximumDepth)
                try scan.check()
            } else {
                var scan = OpenStepNesting(bytes, maximumDepth: maximumDepth)
                try scan.check()
            }
        }
    }
}

/// The reason why a property list is not passed to Foundation.
enum PropertyListError: Error {
    /// The nesting exceeds ``PropertyListCheck/maximumDepth``.
    case tooDeep(maximumDepth: Int)
    /// The document is malformed or ambiguous, for the given reason.
    case malformed(String)

    /// The error that ``PropertyListResponseDecoder`` throws for it.
    var asDecodingError: any Error {
        switch self {
        case .tooDeep(let maximumDepth): ResponseDecodingError(.tooDeep(maximumDepth: maximumDepth))
        case .malformed(let reason): DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: reason))
        }
    }
}

/// Conversion of a property list's text to bytes in which every ASCII character is one byte, whatever the encoding.
enum PropertyListText {
    /// The encodings in which each byte below 128 is an ASCII character, and no other character contains such a byte.
    private static let transparent: Set<String> = [
        "utf-8", "utf8", "us-ascii", "ascii", "iso-8859-1", "iso-8859-15", "latin1", "windows-1252", "macintosh",
    ]
    private static let wide: Set<String> = ["utf-16", "utf-16le", "utf-16be", "utf-32", "utf-32le", "utf-32be"]

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    /// Returns the text with each ASCII character as one byte.
    ///
    /// - Throws: ``PropertyListError/malformed(_:)`` if the document names an encoding that can hide ASCII characters, or contains a NUL
    ///   before its end.
    static func ascii(of data: Data) throws(PropertyListError) -> [UInt8] {
        let (width, isBigEndian, mark) = layout(of: [UInt8](data.prefix(4)))
        var text: [UInt8]
        if width == 1 {
            text = [UInt8](data.dropFirst(mark))
        } else {
            text = narrowed([UInt8](data.dropFirst(mark)), width: width, isBigEndian: isBigEndian)
        }
        if let name = declaredEncoding(text) {
            guard (width == 1 ? transparent : wide).contains(name) || (width > 1 && name == "utf-8") else {
                throw .malformed("the property list is in the encoding \"\(name.printable)\", which is not supported")
            }
        }
        // Some parsers end the text at a NUL.
        if let zero = text.firstIndex(of: 0), width == 1 {
            guard text[zero...].allSatisfy({ $0 == 0 }) else { throw .malformed("the property list contains a NUL character") }
            text.removeSubrange(zero...)
        }
        return text
    }

    /// Detects the width of a character by a byte order mark, or by the zeros around the first character, which is ASCII.
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

    /// Returns the encoding in the XML declaration, such as `<?xml version="1.0" encoding="UTF-8"?>`, in lower case.
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
