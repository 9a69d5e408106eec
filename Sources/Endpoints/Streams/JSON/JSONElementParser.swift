import Foundation

/// The elements of a JSON array, as bytes, one by one while the document arrives.
///
/// ```swift
/// var parser = JSONElementParser(at: "data.items")
/// ```
///
/// The whole document is checked to be RFC 8259, in front of the array and behind it too, and read once; only the element that is arriving
/// is kept. Nesting ends at 512. The text is UTF-8, and a byte order mark is skipped; UTF-16 and UTF-32 are an error. Names are compared,
/// and the first of two members with one name counts, as in ``JSONSlicer``. A path that does not lead to an array is an error as soon as
/// that is known, also where the document turns out to be malformed later on.
public struct JSONElementParser: StreamParser {
    private enum Phase: Sendable {
        case encoding, seeking, inside, behind
    }

    private let path: JSONKeyPath
    private let maximumBytes: Int
    private var buffer = ChunkBuffer()
    private var scanner = JSONPieceScanner()
    private var phase = Phase.encoding
    private var failure: StreamParsingError?
    /// Elements handed out.
    private var index = 0

    // On the way to the array: what is looked for in the container that is read, and what it held so far.
    private var matcher: JSONNameMatcher?
    private var wantedIndex = 0
    private var passed = 0
    private var isNameFound = false
    private var names: [String] = []
    private var isCapturing = false

    /// The way to the array, with every pointer token resolved; whole once there are elements.
    private(set) var steps: [JSONKeyPath.Component] = []

    /// - Parameters:
    ///   - path: Where the array is; the empty path, which is the default, is the document itself. A malformed one is reported by ``next()``.
    ///   - maximumElementBytes: The longest element, in bytes; also the longest name of a member on the way to the array.
    public init(at path: JSONKeyPath = "", maximumElementBytes: Int = 16 << 20) {
        self.path = path
        maximumBytes = max(0, maximumElementBytes)
    }

    /// Takes the next bytes.
    public mutating func receive(_ chunk: Data) { buffer.receive(chunk) }

    /// Says that nothing follows.
    public mutating func finish() { buffer.isFinished = true }

    /// The next element without the white space around it; `nil` when it takes more bytes, and at the end.
    ///
    /// It shares the chunk's storage where it came whole.
    ///
    /// - Throws: ``StreamParsingError`` with a ``JSONSliceError``, or for an element past the limit.
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

    /// - Returns: `false` while there are too few bytes to tell.
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

    /// Up to the end of an element, or of the chunk.
    private mutating func scan() throws(StreamParsingError) -> Data? {
        // A copy of the reference, so that the parser can change while the bytes are looked at.
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
            do throws(JSONFlaw) {
                event = try scanner.scan(&position, end)
            } catch {
                let flaw = error.offset(from: base)
                // What is too long is that, however it goes on.
                if isCapturing, buffer.kept.count + flaw - captured > maximumBytes {
                    throw tooLong(from: buffer.position(ofElementFrom: captured))
                }
                throw failed(JSONSliceError(error, at: buffer.base + flaw, path: path))
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
        if buffer.isFinished, let reason = scanner.flawAtEnd {
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

// MARK: - The way to the array

extension JSONElementParser {
    /// A member's name in the object that is searched.
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

    /// The first byte of a value in the container that is searched, or of the document.
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

    /// The watched container is closed: the array itself, or one in which the path does not go on.
    private mutating func endContainer() throws(StreamParsingError) {
        if phase == .inside {
            phase = .behind
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

    /// Whether a value can begin so; where not, the scanner says what is wrong.
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
    /// What it is in an object.
    fileprivate var asKey: JSONKeyPath.Component {
        if case .token(let name) = self { .key(name) } else { self }
    }
}

extension JSONSliceError {
    fileprivate init(_ reason: JSONFlaw.Reason, at offset: Int, path: JSONKeyPath) {
        let kind: Kind = reason == .empty ? .emptyDocument : .malformedDocument(byteOffset: offset, reason: reason.text)
        self.init(kind: kind, path: path, byteOffset: offset)
    }
}
