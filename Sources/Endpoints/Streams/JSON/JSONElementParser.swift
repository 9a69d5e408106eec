import Foundation

/// A parser that returns the elements of a JSON array, as bytes, while the document is received.
///
/// ```swift
/// var parser = JSONElementParser(at: "data.items")
/// ```
///
/// The document is read once and validated against RFC 8259 as a whole, before and after the array too; only the element that is being
/// received is buffered. Nesting is limited to 512 levels. The text must be UTF-8, and a byte order mark is skipped; UTF-16 and UTF-32 are
/// errors. Names are compared as in ``JSONSlicer``, and the first of two members with the same name is used. A path that does not lead to an
/// array is reported as soon as that is certain, even if the document is malformed later on.
package struct JSONElementParser: StreamParser, JSONRecordParser {
    /// What the next bytes have to be.
    private enum Expected: Sendable {
        /// The first bytes of the document, which show its encoding.
        case encoding
        case value
        /// A member's name, or the end of the object if it has no members yet.
        case name(isFirst: Bool)
        case colon
        /// An element, or the end of the array if it has none yet.
        case element(isFirst: Bool)
        case separator
        /// Nothing but white space.
        case end
    }

    /// A container on the way to the array, or the array.
    private struct Container: Sendable {
        var isObject: Bool
        /// The step of the path from here: a name or an index. `nil` in the array.
        var step: JSONKeyPath.Component?
        /// The number of values so far.
        var count = 0
        /// The first names.
        var names: [String] = []
    }

    /// Bytes of a name or number outside the array, which has to be buffered.
    private static let maximumTokenBytes = 1 << 20

    let reader: JSONStreamReader
    var failure: StreamParsingError?
    private let path: JSONKeyPath
    private let maximumBytes: Int
    private var expected = Expected.encoding
    private var containers: [Container] = []
    private var isScanning = false
    /// Whether the next value is on the path.
    private var isOnPath = true
    private var isFound = false
    /// The number of elements returned so far.
    private var index = 0

    /// The steps to the array found so far, with every pointer token resolved; complete when an element is returned.
    private(set) var steps: [JSONKeyPath.Component] = []

    /// Creates a parser for the array at a path.
    ///
    /// - Parameters:
    ///   - path: The path of the array. A malformed path is reported by ``next()``. Default: the empty path, which selects the document itself.
    ///   - maximumElementBytes: The maximum length of an element in bytes, and of a member name on the path to the array. Default: 16 MiB.
    ///   - reader: A new reader. Default: one that decodes with the default strategies.
    package init(
        at path: JSONKeyPath = "", maximumElementBytes: Int = 16 << 20, reader: JSONStreamReader = JSONStreamReader()
    ) {
        self.path = path
        maximumBytes = min(max(0, maximumElementBytes), .max - 2)
        self.reader = reader
    }

    /// Adds the next bytes of the stream.
    package mutating func receive(_ chunk: Data) {
        if failure == nil { reader.append(chunk) }
    }

    /// Marks the end of the stream: no bytes follow.
    package mutating func finish() { reader.finish() }

    /// Returns the next element without the white space around it, or `nil` if more bytes are needed or the stream has ended.
    ///
    /// - Throws: ``StreamParsingError`` with a ``JSONSliceError``, or for an element that exceeds the limit.
    package mutating func next() throws(StreamParsingError) -> Data? { try nextCopy()?.data }

    mutating func find() throws(StreamParsingError) -> JSONRecord? {
        if case .encoding = expected, try !checkEncoding() { return nil }
        while true {
            if !isScanning {
                guard let byte = try nextByte() else { return nil }
                if try advance(at: byte) { continue }
                isScanning = true
            }
            switch reader.scan(upTo: reader.count, isWhole: reader.isFinished, depth: containers.count) {
            case .complete(let length):
                isScanning = false
                if let record = try endValue(length) { return record }
            case .needsMore:
                try checkLength(reader.count)
                return nil
            case .failed(let failure):
                if let (maximum, _) = limit, !fails(within: maximum, of: reader.count) { throw tooLong() }
                throw failed(failure.reason, offset: failure.offset)
            }
        }
    }

    /// Checks that the path is well-formed and the document is UTF-8.
    ///
    /// - Returns: `false` while there are too few bytes to detect the encoding.
    private mutating func checkEncoding() throws(StreamParsingError) -> Bool {
        do throws(JSONSliceError) {
            try path.validated()
        } catch {
            throw StreamParsingError(.document(error), index: index)
        }
        guard reader.count >= 4 || reader.isFinished else { return false }
        guard let markLength = reader.markLengthOfUTF8 else {
            let kind = JSONSliceError.Kind.malformedDocument(byteOffset: 0, reason: "the text of a stream has to be UTF-8")
            throw StreamParsingError(
                .document(JSONSliceError(kind: kind, path: path, byteOffset: 0)), index: index, byteOffset: 0)
        }
        reader.consume(markLength)
        expected = .value
        return true
    }

    /// Skips white space.
    ///
    /// - Returns: The next byte; `nil` if it has not arrived yet, or at the end of a complete document.
    private func nextByte() throws(StreamParsingError) -> UInt8? {
        reader.consume(reader.endOfWhiteSpace(to: reader.count))
        if reader.count > 0 { return reader[0] }
        guard reader.isFinished else { return nil }
        if case .end = expected { return nil }
        throw failed(.unexpectedEnd)
    }

    /// Reads a bracket, a comma or a colon.
    ///
    /// - Returns: `false` if a value or a name begins here, which is to be scanned.
    private mutating func advance(at byte: UInt8) throws(StreamParsingError) -> Bool {
        switch expected {
        case .encoding, .value:
            return try enter(byte)
        case .name(let isFirst):
            if byte == UInt8(ascii: "}"), isFirst { return try leave() }
            guard byte == UInt8(ascii: "\"") else { throw failed(.unexpectedCharacterInObject) }
            return false
        case .colon:
            guard byte == UInt8(ascii: ":") else { throw failed(.unexpectedCharacterInObject) }
            reader.consume(1)
            expected = .value
        case .element(let isFirst):
            if byte == UInt8(ascii: "]") {
                guard isFirst else { throw failed(.trailingComma) }
                return try leave()
            }
            let container = containers[containers.count - 1]
            if case .index(container.count)? = container.step { isOnPath = !isFound }
            expected = .value
        case .separator:
            guard let container = containers.last else {
                expected = .end
                return true
            }
            if byte == UInt8(ascii: container.isObject ? "}" : "]") { return try leave() }
            guard byte == UInt8(ascii: ",") else {
                throw failed(container.isObject ? .unexpectedCharacterInObject : .unexpectedCharacterInArray)
            }
            reader.consume(1)
            expected = container.isObject ? .name(isFirst: false) : .element(isFirst: false)
        case .end:
            throw failed(.afterTopLevelValue)
        }
        return true
    }

    /// Handles a value, a name, or an element that was scanned.
    private mutating func endValue(_ length: Int) throws(StreamParsingError) -> JSONRecord? {
        try checkLength(length)
        if case .name = expected {
            if !isFound { compare(reader.scannedString()) }
            expected = .colon
        } else {
            expected = .separator
            if !containers.isEmpty { containers[containers.count - 1].count += 1 }
            if isInside {
                index += 1
                return JSONRecord(length: length)
            }
        }
        reader.consume(length)
        return nil
    }

    // MARK: - Limits and errors

    /// Whether the next values are the array's elements.
    private var isInside: Bool { isFound && containers.last?.step == nil && !containers.isEmpty }

    /// The maximum length of what is being scanned, and the bytes of its opening and closing quotes; `nil` without a limit.
    private var limit: (maximum: Int, quotes: Int)? {
        if case .name = expected { return isFound ? nil : (maximumBytes + 1, 1) }
        return isInside ? (maximumBytes, 0) : nil
    }

    /// Checks the length of an element or of a compared name. Discards the bytes of other values.
    private func checkLength(_ length: Int) throws(StreamParsingError) {
        guard let (maximum, quotes) = limit else {
            guard isScanning else { return }
            reader.discardScanned()
            guard reader.count <= max(maximumBytes, Self.maximumTokenBytes) else { throw tooLong() }
            return
        }
        // The closing quote of a name that is complete does not count.
        guard length <= maximum + (isScanning ? 0 : quotes) else { throw tooLong() }
    }

    private func failed(_ reason: ScanFailure.Reason, offset: Int = 0) -> StreamParsingError {
        let isBlank = if case .value = expected { containers.isEmpty && reader.count == 0 } else { false }
        let reason = offset == reader.count && reader.isFinished ? .unexpectedEnd : reason
        return failed(JSONPathFailure(ScanFailure(reason: reason, offset: offset), isBlank: isBlank, offset: reader.position))
    }

    private func failed(_ failure: JSONPathFailure) -> StreamParsingError {
        let error = JSONSliceError(failure, path: path)
        return StreamParsingError(.document(error), index: index, byteOffset: error.byteOffset)
    }

    private func tooLong() -> StreamParsingError {
        StreamParsingError(
            .limitExceeded(.element, maximumBytes: maximumBytes), index: index, byteOffset: reader.position,
            record: reader.data(min(reader.count, 1024)))
    }
}

// MARK: - Search for the array

extension JSONElementParser {
    /// Enters the array, or a container on the way to it.
    ///
    /// - Returns: `false` for any other value.
    private mutating func enter(_ byte: UInt8) throws(StreamParsingError) -> Bool {
        // The scanner reports a byte that no value starts with.
        guard isOnPath, let found = JSONValueType(firstByte: byte) else { return false }
        isOnPath = false
        if let container = containers.last, let step = container.step { steps.append(step.resolved) }
        let isObject = found == .object
        guard steps.count < path.components.count else {
            guard found == .array else { throw miss(.mismatch(expected: .array, found: found), reader.position) }
            isFound = true
            return try open(Container(isObject: false))
        }
        let component = path.components[steps.count]
        switch (found, component) {
        case (.object, .key), (.object, .token), (.array, .index):
            return try open(Container(isObject: isObject, step: component))
        case (.array, .token("-")):
            return try open(Container(isObject: false, step: .index(.max)))
        case (.array, .token(let digits)):
            guard let index = JSONKeyPath.index(ofDigits: digits.utf8) else { throw miss(.leadingZero, reader.position) }
            return try open(Container(isObject: false, step: .index(index)))
        default:
            let expected: JSONValueType = if case .index = component { .array } else { .object }
            throw miss(.mismatch(expected: expected, found: found), reader.position)
        }
    }

    private mutating func open(_ container: Container) throws(StreamParsingError) -> Bool {
        guard containers.count < NestingLimit.maximumDepth else { throw failed(.tooDeep) }
        reader.consume(1)
        containers.append(container)
        expected = container.isObject ? .name(isFirst: true) : .element(isFirst: true)
        return true
    }

    /// Handles the end of the array, or of a container on the way to it.
    private mutating func leave() throws(StreamParsingError) -> Bool {
        reader.consume(1)
        let container = containers.removeLast()
        if !isFound { throw miss(container) }
        expected = containers.isEmpty ? .end : .separator
        if !containers.isEmpty { containers[containers.count - 1].count += 1 }
        return true
    }

    /// Compares a member's name in the current object with the name in the path.
    private mutating func compare(_ name: String) {
        let last = containers.count - 1
        switch containers[last].step {
        case .key(name)?, .token(name)?: isOnPath = true
        default: if containers[last].names.count < 5 { containers[last].names.append(name) }
        }
    }

    private func miss(_ container: Container) -> StreamParsingError {
        switch container.step?.resolved {
        case .key(let name)?: miss(.noMember(name, available: container.names), reader.position)
        // `-` is the element after the last (RFC 6901 §4).
        case .index(.max)? where path.components[steps.count] == .token("-"):
            miss(.noElement(container.count, count: container.count), reader.position)
        case .index(let index)?: miss(.noElement(index, count: container.count), reader.position)
        default: failed(.unexpectedCharacter)
        }
    }

    private func miss(_ kind: JSONPathFailure.Kind, _ position: Int) -> StreamParsingError {
        failed(JSONPathFailure(kind, steps: steps, byteOffset: position))
    }
}

extension JSONKeyPath.Component {
    /// The step in an object or array that was found.
    fileprivate var resolved: JSONKeyPath.Component {
        if case .token(let name) = self { .key(name) } else { self }
    }
}
