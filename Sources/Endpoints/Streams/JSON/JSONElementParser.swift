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
public struct JSONElementParser: StreamParser {
    private enum Phase: Sendable {
        case encoding, seeking, inside, after
    }

    private let path: JSONKeyPath
    private let maximumBytes: Int
    private var buffer = ChunkBuffer()
    private var scanner = JSONPieceScanner()
    private var phase = Phase.encoding
    private var failure: StreamParsingError?
    /// The number of elements returned so far.
    private var index = 0

    // The search for the array: what the path selects in the current container, and what the container has contained so far.
    private var matcher: JSONNameMatcher?
    private var wantedIndex = 0
    private var passed = 0
    private var isNameFound = false
    private var names: [String] = []
    private var isCapturing = false

    /// The steps to the array found so far, with every pointer token resolved; complete when an element is returned.
    private(set) var steps: [JSONKeyPath.Component] = []

    /// Creates a parser for the array at a path.
    ///
    /// - Parameters:
    ///   - path: The path of the array. A malformed path is reported by ``next()``. Default: the empty path, which selects the document itself.
    ///   - maximumElementBytes: The maximum length of an element in bytes, and of a member name on the path to the array. Default: 16 MiB.
    public init(at path: JSONKeyPath = "", maximumElementBytes: Int = 16 << 20) {
        self.path = path
        maximumBytes = max(0, maximumElementBytes)
    }

    /// Adds the next bytes of the stream.
    public mutating func receive(_ chunk: Data) { buffer.receive(chunk) }

    /// Marks the end of the stream: no bytes follow.
    public mutating func finish() { buffer.isFinished = true }

    /// Returns the next element without the white space around it, or `nil` if more bytes are needed or the stream has ended.
    ///
    /// The element shares the chunk's storage if it is contained in one chunk.
    ///
    /// - Throws: ``StreamParsingError`` with a ``JSONSliceError``, or for an element that exceeds the limit.
    public mutating func next() throws(StreamParsingError) -> Data? {
        if let failure { throw failure }
        do throws(StreamParsingError) {
            if phase == .encoding, try !checkEncoding() { return nil }
            return try scan()
        } catch {
            failure = error
            buffer.drop()
            throw error
        }
    }

    /// Checks that the path is well-formed and the document is UTF-8.
    ///
    /// - Returns: `false` while there are too few bytes to detect the encoding.
    private mutating func checkEncoding() throws(StreamParsingError) -> Bool {
        do throws(JSONSliceError) {
            try path.validated()
        } catch {
            throw failed(error)
        }
        buffer.keep(from: buffer.offset)
        guard buffer.kept.count >= 4 || buffer.isFinished else { return false }
        let head = buffer.take(from: buffer.offset, to: buffer.offset)
        let (encoding, markLength) = head.withUnsafeBytes { JSONTextEncoding.detect($0.bindMemory(to: UInt8.self)) }
        guard case .utf8 = encoding else {
            let kind = JSONSliceError.Kind.malformedDocument(byteOffset: 0, reason: "the text of a stream has to be UTF-8")
            throw failed(JSONSliceError(kind: kind, path: path, byteOffset: 0))
        }
        buffer.restart(with: head, offset: markLength)
        phase = .seeking
        return true
    }

    /// Scans up to the end of an element, or of the chunk.
    private mutating func scan() throws(StreamParsingError) -> Data? {
        // A copy of the reference, so that the parser can be mutated while the bytes are accessed.
        let chunk = buffer.chunk
        let result = chunk.withUnsafeBytes { bytes in
            Result { () throws(StreamParsingError) in try scan(bytes.bindMemory(to: UInt8.self)) }
        }
        return try result.get()
    }

    private mutating func scan(_ bytes: UnsafeBufferPointer<UInt8>) throws(StreamParsingError) -> Data? {
        guard let base = bytes.baseAddress, buffer.offset < bytes.count else { return try endOfChunk(buffer.offset) }
        let end = base + bytes.count
        var position = base + buffer.offset
        var captured = isCapturing ? buffer.offset : 0
        while true {
            let event: JSONPieceScanner.Event
            do throws(JSONSyntaxError) {
                event = try scanner.scan(&position, end)
            } catch {
                let errorOffset = error.offset(from: base)
                // An element that is already too long is reported as too long, whatever follows.
                if isCapturing, buffer.kept.count + errorOffset - captured > maximumBytes {
                    throw tooLong(from: buffer.position(ofElementFrom: captured))
                }
                throw failed(JSONSliceError(error, at: buffer.base + errorOffset, path: path))
            }
            let offset = position - base
            switch event {
            case .needsBytes:
                return try endOfChunk(captured)
            case .nameStart:
                isCapturing = true
                captured = offset
            case .nameEnd:
                isCapturing = false
                buffer.offset = offset
                let start = buffer.position(ofElementFrom: captured)
                let name = buffer.takeName(from: captured, to: offset)
                guard name.count <= maximumBytes else { throw tooLong(from: start) }
                note(name)
            case .valueStart where phase == .inside:
                isCapturing = true
                captured = offset
            case .valueEnd where phase == .inside:
                isCapturing = false
                buffer.offset = offset
                let start = buffer.position(ofElementFrom: captured)
                let element = buffer.take(from: captured, to: offset)
                guard element.count <= maximumBytes else { throw tooLong(from: start) }
                index += 1
                return element
            case .valueStart:
                try beginValue(position.pointee, at: buffer.base + offset)
            case .valueEnd:
                passed += 1
            case .closed:
                buffer.offset = offset
                try endContainer()
            }
        }
    }

    private mutating func endOfChunk(_ captured: Int) throws(StreamParsingError) -> Data? {
        if isCapturing {
            let start = buffer.position(ofElementFrom: captured)
            buffer.keep(from: captured)
            guard buffer.kept.count <= maximumBytes else { throw tooLong(from: start) }
        } else {
            buffer.offset = buffer.chunk.count
        }
        if buffer.isFinished, let reason = scanner.errorAtEnd {
            throw failed(JSONSliceError(reason, at: buffer.position, path: path))
        }
        return nil
    }

    private func failed(_ error: JSONSliceError) -> StreamParsingError {
        StreamParsingError(.document(error), index: index, byteOffset: error.byteOffset)
    }

    private func tooLong(from position: Int) -> StreamParsingError {
        StreamParsingError(
            .limitExceeded(.element, maximumBytes: maximumBytes), index: index, byteOffset: position, record: buffer.kept)
    }
}

// MARK: - Search for the array

extension JSONElementParser {
    /// Compares a member's name in the current object with the name in the path.
    private mutating func note(_ name: Data) {
        guard let matcher else { return }
        name.withUnsafeBytes { bytes in
            let body = bytes.bindMemory(to: UInt8.self)
            isNameFound = matcher.matches(body, scanner.traits)
            if !isNameFound, names.count < 5 {
                names.append(JSONSliceError.bounded(JSONNameMatcher.name(body, scanner.traits), to: 40))
            }
        }
    }

    /// Handles the first byte of a value in the current container, or of the document.
    private mutating func beginValue(_ byte: UInt8, at offset: Int) throws(StreamParsingError) {
        guard phase == .seeking, Self.canBegin(byte) else { return }
        if scanner.watchedDepth > 0 {
            guard matcher == nil ? passed == wantedIndex : isNameFound else { return }
            steps.append(matcher == nil ? .index(wantedIndex) : path.components[steps.count].asKey)
        }
        guard steps.count < path.components.count else {
            guard byte == UInt8(ascii: "[") else {
                throw miss(.type(expected: .array, found: JSONScanner.type(startingWith: byte)), offset)
            }
            phase = .inside
            scanner.watchedDepth += 1
            return
        }
        try enter(byte, path.components[steps.count], at: offset)
    }

    private mutating func enter(_ byte: UInt8, _ component: JSONKeyPath.Component, at offset: Int) throws(StreamParsingError) {
        matcher = nil
        passed = 0
        names = []
        switch (byte, component) {
        case (UInt8(ascii: "{"), .key(let name)), (UInt8(ascii: "{"), .token(let name)): matcher = JSONNameMatcher(name)
        case (UInt8(ascii: "["), .index(let index)): wantedIndex = index
        case (UInt8(ascii: "["), .token("-")): wantedIndex = .max
        case (UInt8(ascii: "["), .token(let digits)):
            guard let index = JSONKeyPath.index(ofDigits: digits.utf8) else { throw miss(.leadingZero, offset) }
            wantedIndex = index
        default:
            let expected: JSONSliceError.ValueType = if case .index = component { .array } else { .object }
            throw miss(.type(expected: expected, found: JSONScanner.type(startingWith: byte)), offset)
        }
        scanner.watchedDepth += 1
    }

    /// Handles the end of the watched container: of the array, or of a container without the member or element in the path.
    private mutating func endContainer() throws(StreamParsingError) {
        if phase == .inside {
            phase = .after
            scanner.watchedDepth = -1
            return
        }
        if case .key(let name) = path.components[steps.count].asKey, matcher != nil {
            throw miss(.name(name, available: names), buffer.position)
        }
        // `-` is the element after the last (RFC 6901 §4).
        throw miss(.index(wantedIndex == .max ? passed : wantedIndex, count: passed), buffer.position)
    }

    private func miss(_ miss: JSONLocation.Miss, _ offset: Int) -> StreamParsingError {
        failed(JSONSliceError(miss, after: JSONKeyPath(components: steps), at: offset, path: path))
    }

    /// Whether a value can start with the byte. Otherwise the scanner reports the syntax error.
    private static func canBegin(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\""), UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"):
            true
        default: false
        }
    }
}

extension JSONKeyPath.Component {
    /// The component as a member name of an object.
    fileprivate var asKey: JSONKeyPath.Component {
        if case .token(let name) = self { .key(name) } else { self }
    }
}

extension JSONSliceError {
    fileprivate init(_ reason: JSONSyntaxError.Reason, at offset: Int, path: JSONKeyPath) {
        let kind: Kind = reason == .empty ? .emptyDocument : .malformedDocument(byteOffset: offset, reason: reason.text)
        self.init(kind: kind, path: path, byteOffset: offset)
    }
}
