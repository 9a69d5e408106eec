import Foundation

/// A JSON text that ``JSONSequenceParser`` returns, which may be invalid.
public struct JSONSequenceText: Sendable, Equatable {
    /// The text without the white space around it.
    ///
    /// Of a truncated text, the part that was received; of a malformed text, at most the first 1,024 bytes.
    public var data: Data
    /// The reason why the text must not be used; `nil` for a valid text.
    public var error: SyntaxError?

    /// The reasons why a text is invalid.
    public enum SyntaxError: Sendable, Equatable {
        /// The text is truncated (RFC 7464 §2.4).
        case truncated
        /// The text is not valid JSON (RFC 7464 §2.3).
        case malformed(reason: String)
    }

    init(_ data: Data, error: SyntaxError? = nil) {
        self.data = data
        self.error = error
    }
}

/// A parser of JSON text sequences, `application/json-seq` (RFC 7464), in which each text follows a record separator, 0x1E.
///
/// A text is returned as soon as it is complete, before the next separator is received. A number, `true`, `false` or `null` is complete only
/// if white space follows; otherwise it may be truncated, and is returned as truncated (§2.4). A malformed text does not end the sequence
/// (§2.3). Consecutive separators count as one.
public struct JSONSequenceParser: StreamParser {
    private enum Phase: Sendable {
        /// Before the first separator.
        case start
        case text
        /// After a number or literal: the next byte determines whether it is complete.
        case scalar
        /// After a text that was returned: only white space may follow.
        case after
        /// In a malformed text, which is skipped up to the next separator.
        case malformed(JSONSyntaxError.Reason)
    }

    private enum Outcome {
        case needsBytes, whole
        case malformed(JSONSyntaxError.Reason)
    }

    private static let separator: UInt8 = 0x1E
    /// The number of bytes that are kept of a malformed text.
    private static let sampleBytes = 1024

    private let maximumBytes: Int
    private var buffer = ChunkBuffer()
    private var scanner = JSONPieceScanner()
    private var phase = Phase.start
    private var isCapturing = false
    private var isScalar = false
    private var failure: StreamParsingError?
    private var index = 0

    /// Creates a parser with a limit on the length of a text.
    ///
    /// - Parameter maximumElementBytes: The maximum length of a text in bytes. A longer text is an error that ends the stream. Default: 16 MiB.
    public init(maximumElementBytes: Int = 16 << 20) {
        maximumBytes = max(0, maximumElementBytes)
    }

    /// Adds the next bytes of the stream.
    public mutating func receive(_ chunk: Data) { buffer.receive(chunk) }

    /// Marks the end of the stream: no bytes follow.
    public mutating func finish() { buffer.isFinished = true }

    /// Returns the next text, which may be truncated or malformed, or `nil` if more bytes are needed or the stream has ended.
    ///
    /// A valid text shares the chunk's storage if it is contained in one chunk.
    ///
    /// - Throws: ``StreamParsingError`` for bytes before the first separator, and for a text that exceeds the limit.
    public mutating func next() throws(StreamParsingError) -> JSONSequenceText? {
        if let failure { throw failure }
        do throws(StreamParsingError) {
            while true {
                let separator = separatorOffset()
                let end = separator ?? buffer.chunk.count
                while buffer.offset < end {
                    if let text = try read(to: end) { return text }
                }
                if separator == nil, !buffer.isFinished { return nil }
                let text = endOfText()
                guard separator != nil else { return text }
                buffer.offset += 1
                phase = .text
                scanner = JSONPieceScanner()
                if let text { return text }
            }
        } catch {
            failure = error
            buffer.drop()
            throw error
        }
    }

    private func separatorOffset() -> Int? {
        let start = buffer.offset
        return buffer.chunk.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, start < bytes.count else { return nil }
            return memchr(base + start, Int32(Self.separator), bytes.count - start).map { UnsafeRawPointer($0) - base }
        }
    }

    /// Reads bytes up to `end` at most. At least one byte must be available, and no separator before `end`.
    ///
    /// - Returns: A text that is complete.
    private mutating func read(to end: Int) throws(StreamParsingError) -> JSONSequenceText? {
        switch phase {
        case .start:
            throw StreamParsingError(.noRecordSeparator, index: index, byteOffset: buffer.position)
        case .text:
            return try readText(to: end)
        case .scalar where isSpaceNext:
            return handOut(buffer.take(from: buffer.offset, to: buffer.offset))
        case .after where isSpaceNext:
            buffer.offset += 1
        case .scalar, .after:
            phase = .malformed(.textAfterDocument)
            isCapturing = true
        case .malformed:
            let sampled = min(end, buffer.offset + max(0, Self.sampleBytes - buffer.kept.count))
            buffer.keep(from: buffer.offset, to: sampled)
            buffer.offset = end
        }
        return nil
    }

    private mutating func readText(to end: Int) throws(StreamParsingError) -> JSONSequenceText? {
        var start = buffer.offset
        let outcome = scan(to: end, &start)
        let position = buffer.position(ofElementFrom: start)
        switch outcome {
        case .needsBytes:
            if isCapturing { buffer.keep(from: start, to: end) }
            buffer.offset = end
            guard buffer.kept.count <= maximumBytes else { throw tooLong(at: position) }
        case .whole where isScalar:
            buffer.keep(from: start, to: buffer.offset)
            guard buffer.kept.count <= maximumBytes else { throw tooLong(at: position) }
            phase = .scalar
        case .whole:
            let data = buffer.take(from: start, to: buffer.offset)
            guard data.count <= maximumBytes else { throw tooLong(at: position) }
            return handOut(data)
        case .malformed(let reason):
            buffer.keep(from: start, to: buffer.offset)
            guard buffer.kept.count <= maximumBytes else { throw tooLong(at: position) }
            phase = .malformed(reason)
        }
        return nil
    }

    /// - Parameter start: Set to the offset at which the text starts, if it starts in this chunk.
    private mutating func scan(to end: Int, _ start: inout Int) -> Outcome {
        // A copy of the reference, so that the parser can be mutated while the bytes are accessed.
        let chunk = buffer.chunk
        return chunk.withUnsafeBytes { bytes in
            guard let base = bytes.bindMemory(to: UInt8.self).baseAddress else { return .needsBytes }
            var position = base + buffer.offset
            do throws(JSONSyntaxError) {
                while true {
                    switch try scanner.scan(&position, base + end) {
                    case .valueStart:
                        isCapturing = true
                        start = position - base
                        isScalar = !Self.isDelimited(position.pointee)
                    case .valueEnd:
                        buffer.offset = position - base
                        return .whole
                    default:
                        return .needsBytes
                    }
                }
            } catch {
                buffer.offset = error.offset(from: base)
                return .malformed(error.reason)
            }
        }
    }

    private mutating func handOut(_ data: Data) -> JSONSequenceText {
        phase = .after
        isCapturing = false
        index += 1
        return JSONSequenceText(data)
    }

    /// Handles a separator or the end of the stream. Returns the text before it if that is truncated or malformed.
    private mutating func endOfText() -> JSONSequenceText? {
        guard isCapturing else { return nil }
        let error: JSONSequenceText.SyntaxError =
            if case .malformed(let reason) = phase { .malformed(reason: reason.text) } else { .truncated }
        var text = handOut(buffer.take(from: buffer.offset, to: buffer.offset))
        text.error = error
        if error != .truncated { text.data = text.data.prefix(Self.sampleBytes) }
        return text
    }

    /// Whether the end of a value that starts with the byte is marked by its last byte.
    private static func isDelimited(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") || byte == UInt8(ascii: "\"")
    }

    private var isSpaceNext: Bool {
        [0x20, 0x09, 0x0A, 0x0D].contains(buffer.chunk[buffer.chunk.startIndex + buffer.offset])
    }

    private func tooLong(at position: Int) -> StreamParsingError {
        StreamParsingError(
            .limitExceeded(.element, maximumBytes: maximumBytes), index: index, byteOffset: position, record: buffer.kept)
    }
}
