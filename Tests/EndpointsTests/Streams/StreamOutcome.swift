import Endpoints
import Foundation
import TestSupport

/// The result of parsing a stream: the elements, and the error that ended it with its position.
struct StreamOutcome<Element: Equatable>: Equatable {
    var elements: [Element] = []
    var error: String?

    /// Passes the chunks to the parser one by one, and reads all available elements after each.
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

/// Ways to split a stream into chunks. Each parser must return the same result for all of them.
enum StreamSplits {
    /// Returns single bytes, halves split at every position, and random pieces. Pieces can be empty, and the indices of random
    /// pieces do not start at 0.
    static func all(of bytes: [UInt8], _ random: inout SeededGenerator) -> [[Data]] {
        var ways = [bytes.map { Data([$0]) }]
        if bytes.count < 200 {
            for middle in bytes.indices { ways.append([Data(bytes[..<middle]), Data(bytes[middle...])]) }
        }
        for _ in 0..<4 { ways.append(pieces(of: bytes, upTo: [2, 3, 9, 40].randomElement(using: &random) ?? 2, &random)) }
        return ways
    }

    /// Returns the error that ends a stream, after all elements before it were read.
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

    static func pieces(of bytes: [UInt8], upTo longest: Int, _ random: inout SeededGenerator) -> [Data] {
        // Slices of a larger buffer, so that their indices do not start at 0.
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
