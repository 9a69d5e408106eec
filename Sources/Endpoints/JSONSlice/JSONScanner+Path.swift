/// The result of a search for the value at a path.
struct JSONLocation {
    /// The reason why there is no value at the path.
    enum Miss {
        case name(String, available: [String])
        case index(Int, count: Int)
        case leadingZero
        case type(expected: JSONSliceError.ValueType, found: JSONSliceError.ValueType)
    }

    /// The steps that were found, with every token resolved.
    var steps: [JSONKeyPath.Component] = []
    /// The start of the value, or of the one at which the search ended.
    var start: UnsafePointer<UInt8>
    var end: UnsafePointer<UInt8>
    var miss: Miss?
}

extension JSONScanner {
    /// Finds the value at a path and reads the document to its end.
    ///
    /// - Throws: The first syntax error in the document, also if there is no value at the path.
    mutating func locate(_ components: [JSONKeyPath.Component]) throws(JSONSyntaxError) -> JSONLocation {
        Self.skipWhitespace(&position, end)
        guard position < end else { throw JSONSyntaxError(.empty, position) }
        var location = JSONLocation(start: position, end: position)
        for component in components {
            location.start = position
            location.miss = try step(to: component, &location.steps)
            if location.miss != nil { break }
        }
        if location.miss == nil {
            location.start = position
            try skipValue()
        }
        location.end = position
        try skip(untilDepth: 0, startingAtValue: false)
        Self.skipWhitespace(&position, end)
        guard position == end else { throw JSONSyntaxError(.textAfterDocument, position) }
        return location
    }

    /// Moves from the start of a value to the member or element that the component selects.
    ///
    /// - Returns: `nil` if it exists. Otherwise the reason; the value has been skipped then.
    private mutating func step(
        to component: JSONKeyPath.Component, _ steps: inout [JSONKeyPath.Component]
    ) throws(JSONSyntaxError) -> JSONLocation.Miss? {
        guard position < end else { throw JSONSyntaxError(.unexpectedEnd, position) }
        switch (position.pointee, component) {
        case (UInt8(ascii: "{"), .key(let name)), (UInt8(ascii: "{"), .token(let name)):
            if let available = try seekMember(JSONNameMatcher(name)) { return .name(name, available: available) }
            steps.append(.key(name))
        case (UInt8(ascii: "["), .index(let index)):
            if let count = try seekElement(index) { return .index(index, count: count) }
            steps.append(.index(index))
        case (UInt8(ascii: "["), .token("-")):
            let count = try seekElement(.max) ?? .max
            return .index(count, count: count)
        case (UInt8(ascii: "["), .token(let digits)):
            guard let index = JSONKeyPath.index(ofDigits: digits.utf8) else {
                try skipValue()
                return .leadingZero
            }
            return try step(to: .index(index), &steps)
        case (let byte, _):
            try skipValue()
            let expected: JSONSliceError.ValueType = if case .index = component { .array } else { .object }
            return .type(expected: expected, found: Self.type(startingWith: byte))
        }
        return nil
    }

    /// Moves to the value of a member. If a name occurs twice, the first member is used, as in JSONDecoder's containers.
    ///
    /// - Returns: `nil` if the member was found, otherwise at most five names of the object's first members.
    private mutating func seekMember(_ matcher: JSONNameMatcher) throws(JSONSyntaxError) -> [String]? {
        var first: [(name: UnsafeBufferPointer<UInt8>, traits: StringTraits)] = []
        guard try enter(isObject: true) else { return [] }
        repeat {
            Self.skipWhitespace(&position, end)
            let start = position + 1
            let traits = try Self.skipName(&position, end)
            let name = UnsafeBufferPointer(start: start, count: position - 1 - start)
            try Self.skipColon(&position, end)
            if matcher.matches(name, traits) {
                Self.skipWhitespace(&position, end)
                return nil
            }
            if first.count < 5 { first.append((name, traits)) }
            try skipValue()
        } while try hasNext()
        return first.map { JSONSliceError.bounded(JSONNameMatcher.name($0.name, $0.traits), to: 40) }
    }

    /// Moves to an element of an array.
    ///
    /// - Returns: `nil` if the element was found, otherwise the number of elements.
    private mutating func seekElement(_ index: Int) throws(JSONSyntaxError) -> Int? {
        guard try enter(isObject: false) else { return 0 }
        var count = 0
        while count < index {
            try skipValue()
            count += 1
            guard try hasNext() else { return count }
        }
        Self.skipWhitespace(&position, end)
        return nil
    }

    /// Opens a container. Returns `false` if it is empty, in which case it is closed again.
    private mutating func enter(isObject: Bool) throws(JSONSyntaxError) -> Bool {
        guard containers.depth < JSONContainerStack.limit else { throw JSONSyntaxError(.tooDeep, position) }
        containers.push(isObject: isObject)
        position += 1
        Self.skipWhitespace(&position, end)
        return try !leaveAtBracket()
    }

    /// Skips a comma or the closing bracket. Returns whether another value follows.
    private mutating func hasNext() throws(JSONSyntaxError) -> Bool {
        Self.skipWhitespace(&position, end)
        if try leaveAtBracket() { return false }
        guard position.pointee == UInt8(ascii: ",") else { throw JSONSyntaxError(.noSeparator, position) }
        position += 1
        return true
    }

    private mutating func leaveAtBracket() throws(JSONSyntaxError) -> Bool {
        guard position < end else { throw JSONSyntaxError(.unexpectedEnd, position) }
        guard position.pointee == (containers.isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else { return false }
        position += 1
        containers.pop()
        return true
    }

    /// Returns the type of a well-formed value from its first byte.
    static func type(startingWith byte: UInt8) -> JSONSliceError.ValueType {
        switch byte {
        case UInt8(ascii: "{"): .object
        case UInt8(ascii: "["): .array
        case UInt8(ascii: "\""): .string
        case UInt8(ascii: "t"), UInt8(ascii: "f"): .bool
        case UInt8(ascii: "n"): .null
        default: .number
        }
    }
}

/// A matcher that compares the member names of a document with the name in a path.
///
/// Names are equal if they are equal as Swift strings, by canonical equivalence, as in the dictionaries of JSONDecoder:
/// a composed "é" matches a decomposed one. If both names are ASCII, which is nearly always so, their bytes are compared.
struct JSONNameMatcher {
    private let name: String
    private let bytes: [UInt8]
    private let isASCII: Bool

    init(_ name: String) {
        self.name = name
        self.bytes = Array(name.utf8)
        self.isASCII = bytes.allSatisfy { $0 < 0x80 }
    }

    /// - Parameter body: The well-formed text between the quotes.
    func matches(_ body: UnsafeBufferPointer<UInt8>, _ traits: JSONScanner.StringTraits) -> Bool {
        if traits.isEmpty, isASCII { return isSame(body) }
        return Self.name(body, traits) == name
    }

    private func isSame(_ body: UnsafeBufferPointer<UInt8>) -> Bool {
        guard body.count == bytes.count else { return false }
        for index in bytes.indices where body[index] != bytes[index] { return false }
        return true
    }

    /// Returns the name that the text between the quotes represents, with escapes resolved.
    static func name(_ body: UnsafeBufferPointer<UInt8>, _ traits: JSONScanner.StringTraits) -> String {
        guard traits.contains(.escapes) else { return String(decoding: body, as: UTF8.self) }
        var units: [UInt16] = []
        var name = ""
        var index = 0
        var plain = 0
        // Escaped code units are collected, because a scalar can consist of two of them.
        func flush(to end: Int) {
            name += String(decoding: units, as: UTF16.self)
            units.removeAll()
            name += String(decoding: UnsafeBufferPointer(rebasing: body[plain..<end]), as: UTF8.self)
        }
        while index < body.count {
            guard body[index] == UInt8(ascii: "\\") else {
                index += 1
                continue
            }
            if plain < index { flush(to: index) }
            let (unit, length) = codeUnit(of: body, at: index)
            units.append(unit)
            index += length
            plain = index
        }
        flush(to: index)
        return name
    }

    private static func codeUnit(of body: UnsafeBufferPointer<UInt8>, at index: Int) -> (UInt16, length: Int) {
        switch body[index + 1] {
        case UInt8(ascii: "b"): (0x08, 2)
        case UInt8(ascii: "f"): (0x0C, 2)
        case UInt8(ascii: "n"): (0x0A, 2)
        case UInt8(ascii: "r"): (0x0D, 2)
        case UInt8(ascii: "t"): (0x09, 2)
        case UInt8(ascii: "u"): (UInt16(String(decoding: body[index + 2..<index + 6], as: UTF8.self), radix: 16) ?? 0xFFFD, 6)
        case let character: (UInt16(character), 2)
        }
    }
}
