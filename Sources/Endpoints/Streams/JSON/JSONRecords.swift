import Foundation

/// A parser that finds the records of a stream of JSON texts, each at the start of a reader's bytes.
///
/// Copies of a parser share the reader, so only one of them may be used.
protocol JSONRecordParser: StreamParser {
    /// The bytes of the stream. A parser consumes those before a record.
    var reader: JSONStreamReader { get }
    /// The error that ended the stream.
    var failure: StreamParsingError? { get set }
    /// The steps from the document to the array whose elements the records are.
    var steps: [JSONKeyPath.Component] { get }

    /// Finds the next record, after the one that was returned last.
    ///
    /// - Returns: `nil` if more bytes are needed or the stream has ended.
    /// - Throws: An error that ends the stream.
    mutating func find() throws(StreamParsingError) -> JSONRecord?
}

/// A record at the start of a reader's bytes.
struct JSONRecord {
    /// The number of its bytes. They have to be consumed before the next record is found.
    var length: Int
    /// Whether the reader has scanned it, so that it can be decoded at once.
    var isScanned = true
    /// The error of a record that is not JSON.
    var problem: StreamParsingError.Kind?
    /// The beginning of a record whose bytes are gone.
    var sample: Data?
}

extension JSONRecordParser {
    /// The steps from the document to the array; none for records that are documents.
    var steps: [JSONKeyPath.Component] { [] }

    /// Finds the next record, and remembers an error that ends the stream.
    mutating func nextRecord() throws(StreamParsingError) -> JSONRecord? {
        if let failure { throw failure }
        do throws(StreamParsingError) {
            return try find()
        } catch {
            failure = error
            throw error
        }
    }

    /// Finds the next record and copies its bytes.
    mutating func nextCopy() throws(StreamParsingError) -> (data: Data, problem: StreamParsingError.Kind?)? {
        guard let record = try nextRecord() else { return nil }
        defer { reader.consume(record.length) }
        return (record.sample ?? reader.data(record.length), record.problem)
    }

    /// Whether a value that is not JSON is shorter than `maximum` bytes up to the error.
    ///
    /// The result does not depend on how many bytes have been received.
    func fails(within maximum: Int, of length: Int) -> Bool {
        length <= maximum || reader.fails(within: maximum + 1)
    }
}

/// A parser that decodes the records of a stream of JSON texts.
struct JSONDecodingParser<Records: JSONRecordParser, Element: Decodable & Sendable>: StreamParser {
    private var records: Records
    /// The decoder that is used instead of the reader's; `nil` if values are decoded in place.
    private let other: (any JSONDataDecoder)?
    private let failureRule: ElementFailureRule
    private var index = 0

    /// - Parameter make: Creates the parser of records.
    init(_ decoder: any JSONDataDecoder, onFailure failureRule: ElementFailureRule, make: (JSONStreamReader) -> Records) {
        if let inPlace = decoder.inPlace {
            other = nil
            records = make(JSONStreamReader(decoder: inPlace))
        } else {
            other = decoder
            records = make(JSONStreamReader())
        }
        self.failureRule = failureRule
    }

    mutating func receive(_ chunk: Data) { records.receive(chunk) }

    mutating func finish() { records.finish() }

    mutating func next() throws(StreamParsingError) -> Element? {
        while let record = try records.nextRecord() {
            defer {
                records.reader.consume(record.length)
                index += 1
            }
            do throws(StreamParsingError) {
                return try decode(record)
            } catch {
                guard let report = failureRule.report else { throw error }
                report(index, error)
            }
        }
        return nil
    }

    private func decode(_ record: JSONRecord) throws(StreamParsingError) -> Element {
        if let problem = record.problem { throw failed(problem, record) }
        let reader = records.reader
        do {
            if let other { return try other.decodeWithDetails(Element.self, from: reader.data(record.length)) }
            if record.isScanned { return try reader.decodeScanned(Element.self, length: record.length) }
            return try reader.decode(Element.self, length: record.length)
        } catch let error as DecodingError {
            throw failed(.undecodable(error.prefixed(by: JSONKeyPath(components: records.steps + [.index(index)]))), record)
        } catch {
            throw failed(.undecodable(error), record)
        }
    }

    private func failed(_ kind: StreamParsingError.Kind, _ record: JSONRecord) -> StreamParsingError {
        StreamParsingError(kind, index: index, record: record.sample ?? records.reader.data(min(record.length, 1024)))
    }
}
