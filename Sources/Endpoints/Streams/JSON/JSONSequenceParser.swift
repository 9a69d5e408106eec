import Foundation

/// A JSON text that ``JSONSequenceParser`` returns, which may be invalid.
package struct JSONSequenceText: Sendable, Equatable {
    /// The text without the white space around it.
    ///
    /// Of a truncated text, the part that was received; of a malformed text, at most the first 1,024 bytes.
    package var data: Data
    /// The reason why the text must not be used; `nil` for a valid text.
    package var error: SyntaxError?

    /// The reasons why a text is invalid.
    package enum SyntaxError: Sendable, Equatable {
        /// The text is truncated (RFC 7464 §2.4).
        case truncated
        /// The text is not valid JSON (RFC 7464 §2.3).
        case malformed(reason: String)
    }
}

/// A parser of JSON text sequences, `application/json-seq` (RFC 7464), in which each text follows a record separator, 0x1E.
///
/// A text is returned as soon as it is complete, before the next separator is received. A number, `true`, `false` or `null` is complete only
/// if white space follows; otherwise it may be truncated, and is returned as truncated (§2.4). A malformed text does not end the sequence
/// (§2.3). Consecutive separators count as one.
package struct JSONSequenceParser: StreamParser, JSONRecordParser {
    private enum Phase: Sendable {
        /// Before the first separator.
        case start
        /// Before a text.
        case before
        /// In a text, which is at the start of the reader's bytes.
        case text
        /// After a number or literal of this many bytes: the next byte determines whether it is complete.
        case scalar(Int)
        /// After a text that was returned: only white space may follow.
        case after
        /// In a malformed text, which is skipped up to the next separator.
        case malformed(ScanFailure.Reason)
    }

    private static let separator: UInt8 = 0x1E
    /// The number of bytes that are kept of a malformed text.
    private static let sampleBytes = 1024

    let reader: JSONStreamReader
    var failure: StreamParsingError?
    private let maximumBytes: Int
    private var phase = Phase.start
    /// Bytes without a separator.
    private var searched = 0
    /// The beginning of a malformed text.
    private var sample = Data()
    private var index = 0

    /// Creates a parser with a limit on the length of a text.
    ///
    /// - Parameters:
    ///   - maximumElementBytes: The maximum length of a text in bytes. A longer text is an error that ends the stream. Default: 16 MiB.
    ///   - reader: A new reader. Default: one that decodes with the default strategies.
    package init(maximumElementBytes: Int = 16 << 20, reader: JSONStreamReader = JSONStreamReader()) {
        maximumBytes = min(max(0, maximumElementBytes), .max - 1)
        self.reader = reader
    }

    /// Adds the next bytes of the stream.
    package mutating func receive(_ chunk: Data) {
        if failure == nil { reader.append(chunk) }
    }

    /// Marks the end of the stream: no bytes follow.
    package mutating func finish() { reader.finish() }

    /// Returns the next text, which may be truncated or malformed, or `nil` if more bytes are needed or the stream has ended.
    ///
    /// - Throws: ``StreamParsingError`` for bytes before the first separator, and for a text that exceeds the limit.
    package mutating func next() throws(StreamParsingError) -> JSONSequenceText? {
        guard let (data, problem) = try nextCopy() else { return nil }
        return switch problem {
        case nil: JSONSequenceText(data: data)
        case .malformedText(let reason): JSONSequenceText(data: data, error: .malformed(reason: reason))
        default: JSONSequenceText(data: data, error: .truncated)
        }
    }

    mutating func find() throws(StreamParsingError) -> JSONRecord? {
        while true {
            let separator = reader.firstIndex(of: Self.separator, from: searched)
            let end = separator ?? reader.count
            searched = end
            // Whether the text ends at `end`.
            let isWhole = separator != nil || reader.isFinished
            switch phase {
            case .start:
                guard reader.count > 0 else { return nil }
                guard separator == 0 else {
                    throw StreamParsingError(.noRecordSeparator, index: index, byteOffset: reader.position)
                }
                phase = .before
                consume(1)
            case .before, .after:
                let next = reader.endOfWhiteSpace(to: end)
                consume(next)
                if next < end {
                    if case .before = phase { phase = .text } else { phase = .malformed(.afterTopLevelValue) }
                    continue
                }
                guard separator != nil else { return nil }
                phase = .before
                consume(1)
            case .text:
                if let record = try readText(to: end, isWhole: isWhole) { return record }
                if case .text = phase { return nil }
            case .scalar(let length):
                if length < end {
                    let isComplete = reader.endOfWhiteSpace(from: length, to: end) > length
                    phase = isComplete ? .after : .malformed(.afterTopLevelValue)
                    if isComplete { return record(length) }
                } else {
                    guard isWhole else { return nil }
                    return record(end, .truncatedText)
                }
            case .malformed(let reason):
                sample.append(reader.data(min(end, Self.sampleBytes - sample.count)))
                consume(end)
                guard isWhole else { return nil }
                defer { sample = Data() }
                return record(0, .malformedText(reason: reason.clause), sample: sample)
            }
        }
    }

    /// Goes on with a text.
    ///
    /// - Returns: A text that is complete or truncated; `nil` if more bytes are needed, or if another phase has begun.
    private mutating func readText(to end: Int, isWhole: Bool) throws(StreamParsingError) -> JSONRecord? {
        switch reader.scan(upTo: end, isWhole: isWhole) {
        case .complete(let length):
            guard length <= maximumBytes else { throw tooLong() }
            phase = Self.isDelimited(reader[0]) ? .after : .scalar(length)
            if case .after = phase { return record(length) }
        case .needsMore:
            guard end <= maximumBytes else { throw tooLong() }
        case .failed(let failure):
            guard fails(within: maximumBytes, of: end) else { throw tooLong() }
            let isCut = failure.reason == .unexpectedEnd || failure.reason.mayBeCut && end - failure.offset < 12
            if isCut, isWhole { return record(end, .truncatedText) }
            phase = .malformed(failure.reason)
        }
        return nil
    }

    private mutating func record(_ length: Int, _ problem: StreamParsingError.Kind? = nil, sample: Data? = nil) -> JSONRecord {
        if problem != nil { phase = .after }
        index += 1
        searched -= length
        return JSONRecord(length: length, problem: problem, sample: sample)
    }

    private mutating func consume(_ count: Int) {
        reader.consume(count)
        searched -= count
        searched = max(searched, 0)
    }

    /// Whether the end of a value that starts with the byte is marked by its last byte.
    private static func isDelimited(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") || byte == UInt8(ascii: "\"")
    }

    private func tooLong() -> StreamParsingError {
        StreamParsingError(
            .limitExceeded(.element, maximumBytes: maximumBytes), index: index, byteOffset: reader.position,
            record: reader.data(min(reader.count, 1024)))
    }
}
