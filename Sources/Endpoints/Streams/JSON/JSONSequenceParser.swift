import Foundation

/// One text of a JSON text sequence.
public struct JSONSequenceText: Sendable, Equatable {
    /// The text without the white space around it; where it is truncated, what came of it; where it is
    /// malformed, the first 1,024 bytes of that.
    public var data: Data
    /// Why the text must not be used; `nil` for a good one.
    public var flaw: Flaw?

    /// What can be wrong with a text.
    public enum Flaw: Sendable, Equatable {
        /// It was cut short (RFC 7464 §2.4).
        case truncated
        /// It is no JSON (RFC 7464 §2.3).
        case malformed(reason: String)
    }

    init(_ data: Data, flaw: Flaw? = nil) {
        self.data = data
        self.flaw = flaw
    }
}

/// The texts of a JSON text sequence, `application/json-seq` (RFC 7464): each behind a record separator, 0x1E.
///
/// A text is handed out as soon as it is whole, without waiting for the separator of the next one. A number, `true`, `false` and `null` are
/// whole only when white space follows; else they may have been cut short, and are told as truncated (§2.4). A malformed text does not
/// end the sequence (§2.3). Several separators in a row are one.
public struct JSONSequenceParser: StreamParser {
    private enum Phase: Sendable {
        /// Before the first separator.
        case start
        case text
        /// A number or literal has come; whether it is whole tells the next byte.
        case scalar
        /// The text was handed out; only white space may follow.
        case behind
        /// Passed over up to the next separator.
        case malformed(JSONFlaw.Reason)
    }

    private enum Outcome {
        case needsBytes, whole
        case flaw(JSONFlaw.Reason)
    }

    private static let separator: UInt8 = 0x1E
    /// What is kept of a malformed text.
    private static let sampleBytes = 1024

    private let maximumBytes: Int
    private var buffer = ChunkBuffer()
    private var scanner = JSONPieceScanner()
    private var phase = Phase.start
    private var isCapturing = false
    private var isScalar = false
    private var failure: StreamParsingError?
    private var index = 0

    /// - Parameter maximumElementBytes: The longest text, in bytes. A longer one is an error, and nothing follows it.
    public init(maximumElementBytes: Int = 16 << 20) {
        maximumBytes = max(0, maximumElementBytes)
    }

    /// Takes the next bytes.
    public mutating func receive(_ chunk: Data) { buffer.receive(chunk) }

    /// Says that nothing follows.
    public mutating func finish() { buffer.isFinished = true }

    /// The next text, the truncated and malformed ones among them; `nil` when it takes more bytes, and at the end. A good one shares the
    /// chunk's storage where it came whole.
    ///
    /// - Throws: ``StreamParsingError`` for bytes before the first separator, and for a text past the limit.
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

    /// Reads on, up to `end` at most, where something is and no separator.
    ///
    /// - Returns: A text that has become whole on the way.
    private mutating func read(to end: Int) throws(StreamParsingError) -> JSONSequenceText? {
        switch phase {
        case .start:
            throw StreamParsingError(.noRecordSeparator, index: index, byteOffset: buffer.position)
        case .text:
            return try readText(to: end)
        case .scalar where isSpaceNext:
            return handOut(buffer.take(from: buffer.offset, to: buffer.offset))
        case .behind where isSpaceNext:
            buffer.offset += 1
        case .scalar, .behind:
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
        case .flaw(let reason):
            buffer.keep(from: start, to: buffer.offset)
            guard buffer.kept.count <= maximumBytes else { throw tooLong(at: position) }
            phase = .malformed(reason)
        }
        return nil
    }

    /// - Parameter start: Moved to where the text starts in this chunk.
    private mutating func scan(to end: Int, _ start: inout Int) -> Outcome {
        // A copy of the reference, so that the parser can change while the bytes are looked at.
        let chunk = buffer.chunk
        return chunk.withUnsafeBytes { bytes in
            guard let base = bytes.bindMemory(to: UInt8.self).baseAddress else { return .needsBytes }
            var position = base + buffer.offset
            do throws(JSONFlaw) {
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
                return .flaw(error.reason)
            }
        }
    }

    private mutating func handOut(_ data: Data) -> JSONSequenceText {
        phase = .behind
        isCapturing = false
        index += 1
        return JSONSequenceText(data)
    }

    /// A separator, or the end of the stream.
    private mutating func endOfText() -> JSONSequenceText? {
        guard isCapturing else { return nil }
        let flaw: JSONSequenceText.Flaw =
            if case .malformed(let reason) = phase { .malformed(reason: reason.text) } else { .truncated }
        var text = handOut(buffer.take(from: buffer.offset, to: buffer.offset))
        text.flaw = flaw
        if flaw != .truncated { text.data = text.data.prefix(Self.sampleBytes) }
        return text
    }

    /// Whether a value that starts so tells its own end.
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
