import Endpoints
import Foundation

/// All that a parser makes of a stream: the elements, and the error that ended it, place included.
struct StreamOutcome<Element: Equatable>: Equatable {
    var elements: [Element] = []
    var error: String?

    /// Hands the chunks over one by one, and takes all elements in between.
    init(_ parser: some StreamParser<Element>, _ chunks: [Data]) {
        var parser = parser
        do throws(StreamParsingError) {
            for chunk in chunks {
                parser.receive(chunk)
                while let element = try parser.next() { elements.append(element) }
            }
            parser.finish()
            while let element = try parser.next() { elements.append(element) }
        } catch {
            self.error = error.description
        }
    }

    init(_ parser: some StreamParser<Element>, _ bytes: some Sequence<UInt8>) {
        self.init(parser, [Data(bytes)])
    }
}

/// Every parser has to make the same of a stream, however it is cut.
enum Cuts {
    /// Single bytes, halves at every place, and random pieces; a piece may be empty, and does not start at index 0.
    static func all(of bytes: [UInt8], _ random: inout SplitMix64) -> [[Data]] {
        var ways = [bytes.map { Data([$0]) }]
        if bytes.count < 200 {
            for middle in bytes.indices { ways.append([Data(bytes[..<middle]), Data(bytes[middle...])]) }
        }
        for _ in 0..<4 { ways.append(pieces(of: bytes, upTo: [2, 3, 9, 40].randomElement(using: &random) ?? 2, &random)) }
        return ways
    }

    /// The error that ends a stream, after all elements before it have been taken.
    static func failure(of parser: some StreamParser, in chunks: some Sequence<Data>) -> StreamParsingError? {
        var parser = parser
        do throws(StreamParsingError) {
            for chunk in chunks {
                parser.receive(chunk)
                while try parser.next() != nil {}
            }
            parser.finish()
            while try parser.next() != nil {}
            return nil
        } catch {
            return error
        }
    }

    static func pieces(of bytes: [UInt8], upTo longest: Int, _ random: inout SplitMix64) -> [Data] {
        // Slices, whose indices start anywhere.
        let whole = Data([0xFF, 0xFF, 0xFF] + bytes).dropFirst(3)
        var pieces: [Data] = []
        var rest = whole
        while !rest.isEmpty {
            let count = min(rest.count, Int.random(in: 0...longest, using: &random))
            pieces.append(rest.prefix(count))
            rest = rest.dropFirst(count)
        }
        return pieces
    }
}
