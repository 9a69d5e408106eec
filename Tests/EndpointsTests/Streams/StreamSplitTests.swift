import Foundation
import Testing
import TestSupport

@testable import Endpoints

/// The elements, the errors and their positions do not depend on how a stream is split into chunks.
@Suite struct StreamSplitTests {
    private func expectSame<Parser: StreamParser>(
        _ bytes: [UInt8], _ random: inout SeededGenerator, _ make: () -> Parser
    ) where Parser.Element: Equatable {
        let whole = StreamOutcome(make(), bytes)
        for chunks in StreamSplits.all(of: bytes, &random) {
            let split = StreamOutcome(make(), chunks)
            #expect(split == whole, "\(String(decoding: bytes, as: UTF8.self).debugDescription) in \(chunks.map(\.count))")
        }
    }

    @Test(arguments: 0..<4 as Range<UInt64>)
    func `line, NDJSON, sequence and event parsers do not depend on how a stream is split`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let pieces: [[UInt8]] =
            [
                "\n", "\r", "\r\n", "\n\n", "\u{1E}", " ", "data: a", "data", "id: 1", "event:b", "retry: 20", ": c",
                "{\"a\":[1,\"é\\ud83d\\ude00\"]}", "12",
                "true", "\u{FEFF}", "é", "日本", "\\u12", "\"", "x", "\u{1E}[1]\n", "data: longer than the rest",
            ].map { Array($0.utf8) } + [[0xFF], [0xE2, 0x82], [0]]
        for _ in 0..<runs(35, slow: 120) {
            let count = Int.random(in: 0...14, using: &random)
            var bytes = (0..<count).flatMap { _ in pieces.randomElement(using: &random) ?? [] }
            if Bool.random(using: &random) { bytes = [0x1E] + bytes }
            let limit = [4, 12, 1000].randomElement(using: &random) ?? 4
            expectSame(bytes, &random) { LineParser(maximumLineBytes: limit) }
            expectSame(bytes, &random) { NDJSONParser(maximumLineBytes: limit) }
            expectSame(bytes, &random) { JSONSequenceParser(maximumElementBytes: limit) }
            expectSame(bytes, &random) { ServerSentEventParser(maximumEventBytes: limit) }
        }
    }

    @Test(arguments: 0..<4 as Range<UInt64>)
    func `the element parser does not depend on splits and finds the same elements as the slicer`(seed: UInt64) throws {
        var random = RandomJSON(seed: seed)
        for _ in 0..<runs(35, slow: 120) {
            var bytes = Array(random.document().utf8)
            if Int.random(in: 0..<3, using: &random.random) == 0, !bytes.isEmpty {
                bytes[Int.random(in: bytes.indices, using: &random.random)] = UInt8.random(in: 0...255, using: &random.random)
            }
            for path in [JSONKeyPath(""), random.path()] {
                expectSame(bytes, &random.random) { JSONElementParser(at: path) }
                expectSame(bytes, &random.random) { JSONElementParser(at: path, maximumElementBytes: 5) }
                try expectSameAsSlicer(bytes, path)
            }
        }
    }

    private func expectSameAsSlicer(_ bytes: [UInt8], _ path: JSONKeyPath) throws {
        let outcome = StreamOutcome(JSONElementParser(at: path), bytes)
        let text = "\(path) in \(String(decoding: bytes, as: UTF8.self).debugDescription)"
        guard let slice = try? JSONSlicer().slice(of: Data(bytes), at: path), slice.first == UInt8(ascii: "[") else {
            #expect(outcome.error != nil, "\(text)")
            return
        }
        #expect(outcome.error == nil, "\(text)")
        for (index, element) in outcome.elements.enumerated() {
            let expected = try JSONSlicer().slice(of: slice, at: JSONKeyPath(components: [.index(index)]))
            #expect(element == expected, "\(text)")
        }
        #expect(throws: JSONSliceError.self) {
            try JSONSlicer().slice(of: slice, at: JSONKeyPath(components: [.index(outcome.elements.count)]))
        }
    }
}
