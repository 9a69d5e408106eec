extension DecodingSession {
    /// Finds the value at a path, and notes the steps to it for coding paths.
    ///
    /// - Returns: The value's tape index.
    func locate(_ path: JSONKeyPath, _ source: Source) throws(JSONPathFailure) -> Int {
        var index = Scanner.root
        for (depth, component) in path.components.enumerated() {
            let container = index
            switch step(from: container, component) {
            case .member(let value):
                index = value
                frames[depth] = CodingFrame(JSONKey.self, container: container, value: index)
            case .element(let value, let position):
                index = value
                frames[depth] = CodingFrame(nil, container: container, value: index, ordinal: position)
            case .missing(let kind):
                throw JSONPathFailure(kind, steps: steps(depth), byteOffset: source.markLength + start(of: container))
            }
        }
        return index
    }

    /// Where a step of a path leads to.
    private enum Step {
        case member(Int)
        case element(Int, position: Int)
        case missing(JSONPathFailure.Kind)
    }

    private func step(from container: Int, _ component: JSONKeyPath.Component) -> Step {
        let entry = tape[container]
        switch (entry.kind, component) {
        case (.object, .key(let name)), (.object, .token(let name)):
            if let value = member(name, of: container) { return .member(value) }
            return .missing(.noMember(name, available: firstKeys(of: container)))
        case (.array, .index(let position)):
            return element(position, of: container)
        case (.array, .token("-")):
            // The element after the last (RFC 6901 §4).
            return element(entry.count, of: container)
        case (.array, .token(let digits)):
            guard let position = JSONKeyPath.index(ofDigits: digits.utf8) else { return .missing(.leadingZero) }
            return element(position, of: container)
        default:
            let expected: JSONValueType = if case .index = component { .array } else { .object }
            return .missing(.mismatch(expected: expected, found: JSONValueType(entry.kind)))
        }
    }

    private func element(_ position: Int, of array: Int) -> Step {
        let count = tape[array].count
        guard position < count else { return .missing(.noElement(position, count: count)) }
        var index = array + 1
        for _ in 0..<position { index = next(index) }
        return .element(index, position: position)
    }

    /// The value of the first member with this name.
    private func member(_ name: String, of object: Int) -> Int? {
        var name = name
        let copy = name
        return name.withUTF8 { bytes in
            let isASCII = bytes.allSatisfy { $0 < 0x80 }
            var index = object + 1
            let end = tape[object].next
            while index < end {
                if has(tape[index], bytes, isASCII: isASCII, copy) { return index + 1 }
                index = next(index + 1)
            }
            return nil
        }
    }

    /// Whether a key is equal to a name. Names are compared as Swift strings, by canonical equivalence; those in ASCII as bytes.
    private func has(_ key: TapeEntry, _ bytes: UnsafeBufferPointer<UInt8>, isASCII: Bool, _ name: String) -> Bool {
        guard key.flags == 0, isASCII else { return string(key) == name }
        guard key.length == bytes.count else { return false }
        for i in 0..<bytes.count where text[key.offset + i] != bytes[i] { return false }
        return true
    }

    private func firstKeys(of object: Int) -> [String] {
        var keys: [String] = []
        var index = object + 1
        while index < tape[object].next, keys.count < 5 {
            keys.append(string(tape[index]))
            index = next(index + 1)
        }
        return keys
    }

    /// The first steps to the value that was found last.
    func steps(_ count: Int) -> [JSONKeyPath.Component] {
        (0..<count).map { depth in
            let frame = frames[depth]
            return frame.keyType == nil ? .index(frame.ordinal) : .key(string(tape[Int(frame.value) - 1]))
        }
    }

    /// The offset of a value's first byte.
    func start(of index: Int) -> Int {
        let entry = tape[index]
        return entry.is(.string) ? entry.offset - 1 : entry.offset
    }

    /// The offset after a value's last byte.
    func end(of index: Int) -> Int {
        let last = tape[index].next(index) - 1
        var end: Int
        switch tape[last].kind {
        case .string: end = tape[last].offset + tape[last].length + 1
        case .null, .yes: end = tape[last].offset + 4
        case .no: end = tape[last].offset + 5
        case .integer, .unsigned, .real:
            end = tape[last].offset + 1
            while JSONValueType.isInNumber(text[end]) { end += 1 }
        case .array, .object: end = tape[last].offset + 1
        }
        // The tape has no entry for a closing bracket: one follows for each container that ends here.
        var place = index
        while place <= last {
            let entry = tape[place]
            if entry.kind.rawValue >= TapeEntry.Kind.array.rawValue, entry.next == last + 1 {
                while Bytes.isWhiteSpace(text[end]) { end += 1 }
                end += 1
            }
            place += 1
        }
        return end
    }
}

extension TapeEntry {
    fileprivate func next(_ index: Int) -> Int { kind.rawValue >= Kind.array.rawValue ? next : index + 1 }
}

extension JSONValueType {
    fileprivate static func isInNumber(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "e"),
            UInt8(ascii: "E"):
            true
        default: false
        }
    }
}

/// Why there is no value at a path in a document, and where in the document that was found.
package struct JSONPathFailure: Error, Sendable {
    /// The kinds of failure.
    package enum Kind: Sendable {
        /// The document is empty or contains only white space.
        case emptyDocument
        /// The document is not JSON, whether or not the path leads to a value.
        case notJSON(ScanFailure.Reason)
        /// The object has no such member. `available` are the names of its first five.
        case noMember(String, available: [String])
        /// The array has only `count` elements.
        case noElement(Int, count: Int)
        /// A pointer token that is an index has leading zeros (RFC 6901 §4).
        case leadingZero
        /// The path requires an object or an array, and the value is of another type.
        case mismatch(expected: JSONValueType, found: JSONValueType)
    }

    /// The kind of failure, with its details.
    package let kind: Kind
    /// The steps that were found, with every pointer token resolved.
    package let steps: [JSONKeyPath.Component]
    /// The start of the value at which the search ended, or the byte at which the document is malformed.
    package let byteOffset: Int

    /// Creates a failure.
    package init(_ kind: Kind, steps: [JSONKeyPath.Component] = [], byteOffset: Int) {
        self.kind = kind
        self.steps = steps
        self.byteOffset = byteOffset
    }

    /// Creates the failure of a text that is not JSON.
    package init(_ failure: ScanFailure, isBlank: Bool, offset: Int = 0) {
        let isEmpty = failure.reason == .unexpectedEnd && isBlank
        self.init(isEmpty ? .emptyDocument : .notJSON(failure.reason), byteOffset: failure.offset + offset)
    }
}

/// The types of a JSON value (RFC 8259 §3).
package enum JSONValueType: String, Sendable {
    /// A type as the RFC names it; `bool` is `true` or `false`.
    case object, array, string, number, bool, null

    /// The type of a value from its first byte; `nil` if no value starts with it.
    package init?(firstByte: UInt8) {
        switch firstByte {
        case UInt8(ascii: "{"): self = .object
        case UInt8(ascii: "["): self = .array
        case UInt8(ascii: "\""): self = .string
        case UInt8(ascii: "t"), UInt8(ascii: "f"): self = .bool
        case UInt8(ascii: "n"): self = .null
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): self = .number
        default: return nil
        }
    }

    init(_ kind: TapeEntry.Kind) {
        switch kind {
        case .object: self = .object
        case .array: self = .array
        case .string: self = .string
        case .no, .yes: self = .bool
        case .null: self = .null
        case .integer, .unsigned, .real: self = .number
        }
    }
}
