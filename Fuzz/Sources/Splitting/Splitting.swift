@testable import Endpoints
import Foundation

/// What a parser makes of a stream: each element in words, and the error that ended it.
public func outcome<Parser: StreamParser>(_ parser: Parser, _ chunks: [Data], _ text: (Parser.Element) -> String) -> [String] {
    var parser = parser
    var outcome: [String] = []
    do throws(StreamParsingError) {
        for chunk in chunks {
            parser.receive(chunk)
            while let element = try parser.next() { outcome.append(text(element)) }
        }
        parser.finish()
        while let element = try parser.next() { outcome.append(text(element)) }
        let afterEnd = try parser.next()
        precondition(afterEnd == nil, "an element behind the end")
    } catch {
        outcome.append("error: \(error)")
        // It stays.
        parser.receive(Data("\n\n1\n".utf8))
        let afterError = try? parser.next()
        precondition(afterError == nil, "an element behind an error")
    }
    return outcome
}

/// The first two bytes of an input say how the others are cut.
public struct FuzzedStream {
    /// The stream.
    public let bytes: Data
    /// A limit that is now and then hit.
    public let limit: Int
    private let seed: UInt8

    /// `nil` for an input that is too short.
    public init?(_ start: UnsafePointer<UInt8>, _ count: Int) {
        guard count >= 2 else { return nil }
        seed = start[0]
        limit = start[1] < 128 ? 1 << 20 : Int(start[1]) - 127
        bytes = Data(UnsafeBufferPointer(start: start + 2, count: count - 2))
    }

    /// In pieces, some of them empty.
    public var pieces: [Data] {
        var state = UInt32(seed) &* 2_654_435_761 | 1
        var pieces: [Data] = []
        var rest = bytes
        while !rest.isEmpty {
            state = state &* 1_664_525 &+ 1_013_904_223
            let count = seed == 0 ? 1 : min(rest.count, Int(state >> 24) % (Int(seed) % 30 + 2))
            pieces.append(rest.prefix(count))
            rest = rest.dropFirst(count)
        }
        return pieces
    }

    /// Whether the parser makes the same of the stream, cut or whole. Gives what it makes of the whole.
    public func check<Parser: StreamParser>(_ parser: @autoclosure () -> Parser, _ text: (Parser.Element) -> String) -> [String] {
        let whole = outcome(parser(), [bytes], text)
        let cut = outcome(parser(), pieces, text)
        precondition(whole == cut, "whole: \(whole)\ncut: \(cut)")
        return whole
    }
}
