import Foundation

/// Decodes what another parser cuts out.
struct DecodingStreamParser<Base: StreamParser, Element: Sendable>: StreamParser {
    private var base: Base
    private let failureRule: ElementFailureRule
    private let decode: @Sendable (Base.Element, Int, Base) throws(StreamParsingError) -> Element
    private var index = 0

    /// - Parameter decode: Makes the value of a record with this index.
    init(
        _ base: Base, onFailure failureRule: ElementFailureRule,
        decode: @escaping @Sendable (Base.Element, Int, Base) throws(StreamParsingError) -> Element
    ) {
        self.base = base
        self.failureRule = failureRule
        self.decode = decode
    }

    mutating func receive(_ chunk: Data) { base.receive(chunk) }

    mutating func finish() { base.finish() }

    mutating func next() throws(StreamParsingError) -> Element? {
        while let record = try base.next() {
            defer { index += 1 }
            do throws(StreamParsingError) {
                return try decode(record, index, base)
            } catch {
                guard let report = failureRule.report else { throw error }
                report(index, error)
            }
        }
        return nil
    }
}

extension JSONDecoder {
    /// - Parameter path: Where the document's root is in the stream.
    func decode<Value: Decodable>(
        _ type: Value.Type, from record: Data, index: Int, path: () -> [JSONKeyPath.Component]
    ) throws(StreamParsingError) -> Value {
        do {
            return try decode(type, from: record)
        } catch let error as DecodingError {
            let rooted = error.prefixed(by: JSONKeyPath(components: path() + [.index(index)]))
            throw StreamParsingError(.undecodable(rooted), index: index, record: record)
        } catch {
            throw StreamParsingError(.undecodable(error), index: index, record: record)
        }
    }
}
