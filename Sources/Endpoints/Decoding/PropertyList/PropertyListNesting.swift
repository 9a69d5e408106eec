/// A check of the nesting of elements in an XML property list.
///
/// It reads tags, comments, CDATA sections and processing instructions as Foundation does. A document is rejected if two parsers could find
/// different tags in it: with a DOCTYPE that contains declarations (property lists have none, and they can define entities), and with angle
/// brackets inside a tag.
struct XMLNesting {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var index = 0
    private var depth = 0
    private let maximumDepth: Int

    init(_ bytes: UnsafeBufferPointer<UInt8>, maximumDepth: Int) {
        self.bytes = bytes
        self.maximumDepth = maximumDepth
    }

    mutating func check() throws(PropertyListError) {
        while let open = position(of: "<", from: index) {
            index = open + 1
            if begins(with: "!--") {
                try skip(past: "-->", from: index + 3, "comment")
            } else if begins(with: "![CDATA[") {
                try skip(past: "]]>", from: index + 8, "CDATA section")
            } else if begins(with: "?") {
                try skip(past: "?>", from: index + 1, "processing instruction")
            } else if begins(with: "!") {
                let end = try endOfTag()
                guard !bytes[index..<end].contains(UInt8(ascii: "[")) else {
                    throw .malformed("the property list has a document type with declarations")
                }
                index = end + 1
            } else if begins(with: "/") {
                let end = try endOfTag()
                depth -= 1
                guard depth >= 0 else { throw .malformed("the property list closes an element that is not open") }
                index = end + 1
            } else {
                let end = try endOfTag()
                index = end + 1
                if bytes[end - 1] == UInt8(ascii: "/") { continue }
                depth += 1
                // The root element and the innermost element with text are not containers.
                guard depth <= maximumDepth + 2 else {
                    throw .tooDeep(maximumDepth: maximumDepth)
                }
            }
        }
    }

    /// Returns the position of the `>` that ends the current tag, which must be the same whether or not quotes are interpreted.
    private func endOfTag() throws(PropertyListError) -> Int {
        var end = index
        var quotes = (single: 0, double: 0)
        while end < bytes.count {
            switch bytes[end] {
            case UInt8(ascii: ">"):
                guard quotes.single % 2 == 0, quotes.double % 2 == 0 else {
                    throw .malformed("the property list has an angle bracket within a tag")
                }
                return end
            case UInt8(ascii: "<"): throw .malformed("the property list has an angle bracket within a tag")
            case UInt8(ascii: "\""): quotes.double += 1
            case UInt8(ascii: "'"): quotes.single += 1
            default: break
            }
            end += 1
        }
        throw .malformed("the property list ends within a tag")
    }

    private mutating func skip(past end: StaticString, from start: Int, _ what: StaticString) throws(PropertyListError) {
        guard let found = position(of: end, from: start) else {
            throw .malformed("the property list ends within a \(what)")
        }
        index = found + end.utf8CodeUnitCount
    }

    private func begins(with text: StaticString) -> Bool { matches(text, at: index) }

    private func matches(_ text: StaticString, at start: Int) -> Bool {
        guard start + text.utf8CodeUnitCount <= bytes.count else { return false }
        for offset in 0..<text.utf8CodeUnitCount where bytes[start + offset] != text.utf8Start[offset] { return false }
        return true
    }

    private func position(of text: StaticString, from start: Int) -> Int? {
        let first = text.utf8Start[0]
        var place = start
        while place < bytes.count {
            if bytes[place] == first, matches(text, at: place) { return place }
            place += 1
        }
        return nil
    }
}

/// A check of the nesting of containers in an OpenStep property list, such as `{ name = (1, "two"); }`.
///
/// Comments and quotes are recognized only where a value could begin; within an unquoted word they are ordinary characters.
struct OpenStepNesting {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var index = 0
    private var depth = 0
    private let maximumDepth: Int

    init(_ bytes: UnsafeBufferPointer<UInt8>, maximumDepth: Int) {
        self.bytes = bytes
        self.maximumDepth = maximumDepth
    }

    mutating func check() throws(PropertyListError) {
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "("), UInt8(ascii: "{"):
                depth += 1
                guard depth <= maximumDepth else {
                    throw .tooDeep(maximumDepth: maximumDepth)
                }
                index += 1
            case UInt8(ascii: ")"), UInt8(ascii: "}"):
                depth -= 1
                guard depth >= 0 else { throw .malformed("the property list closes a container that is not open") }
                index += 1
            case UInt8(ascii: "\""), UInt8(ascii: "'"): skipQuoted()
            case UInt8(ascii: "/") where next == UInt8(ascii: "/"): skipLine()
            case UInt8(ascii: "/") where next == UInt8(ascii: "*"): skipComment()
            case let byte where Self.isWord(byte): while index < bytes.count, Self.isWord(bytes[index]) { index += 1 }
            default: index += 1
            }
        }
    }

    private var next: UInt8? { index + 1 < bytes.count ? bytes[index + 1] : nil }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        case UInt8(ascii: "_"), UInt8(ascii: "$"), UInt8(ascii: "/"), UInt8(ascii: ":"), UInt8(ascii: "."), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    private mutating func skipQuoted() {
        let quote = bytes[index]
        index += 1
        while index < bytes.count, bytes[index] != quote { index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1 }
        index += 1
    }

    private mutating func skipLine() {
        while index < bytes.count, bytes[index] != 0x0A, bytes[index] != 0x0D { index += 1 }
    }

    private mutating func skipComment() {
        index += 2
        while index < bytes.count, !(bytes[index] == UInt8(ascii: "*") && next == UInt8(ascii: "/")) { index += 1 }
        index += 2
    }
}
