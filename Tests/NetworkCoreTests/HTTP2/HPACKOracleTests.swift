import Foundation
import NetworkSupport
import TestSupport
import Testing

@testable import NetworkEngine

/// Header blocks, encoded and decoded here and by libnghttp2.
@Suite(.needs("libnghttp2, which libcurl brings with it", NGHTTP2Library.shared != nil)) struct HPACKOracleTests {
    private static let names = [
        ":status", ":path", "content-type", "date", "cookie", "etag", "server", "vary", "x-request-id", "set-cookie",
        "accept-encoding",
    ]

    private static func field(_ random: inout SeededGenerator) -> ComparedField {
        let name =
            Int.random(in: 0..<10, using: &random) < 8
            ? names.randomElement(using: &random) ?? "" : "x-\(Int.random(in: 0..<200, using: &random))"
        let value: [UInt8]
        switch Int.random(in: 0..<6, using: &random) {
        case 0: value = (0..<Int.random(in: 0..<40, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
        case 1: value = Array("gzip, deflate".utf8)
        case 2: value = Array("\(Int.random(in: 0..<30, using: &random))".utf8)
        case 3: value = Array("200".utf8)
        case 4 where Int.random(in: 0..<20, using: &random) == 0:
            value = Array(repeating: 0x61, count: Int.random(in: 3000..<6000, using: &random))
        default: value = (0..<Int.random(in: 0..<60, using: &random)).map { _ in UInt8.random(in: 0x20...0x7E, using: &random) }
        }
        return ComparedField(name: Array(name.utf8), value: value)
    }

    private static func decode(_ decoder: inout HPACKDecoder, _ block: [UInt8]) -> [ComparedField]? {
        var fields: [ComparedField] = []
        do throws(FieldCompressionError) {
            try block.withUnsafeBufferPointer { (block) throws(FieldCompressionError) in
                try decoder.decode(UnsafeRawBufferPointer(block)) {
                    fields.append(ComparedField(name: Array($0), value: Array($1)))
                }
            }
            return fields
        } catch {
            return nil
        }
    }

    @Test func `blocks of either side are read by the other one, also with changing sizes of the table`() throws {
        let library = try #require(NGHTTP2Library.shared)
        let seed = UInt64.random(in: 0...(1 << 40))
        var random = SeededGenerator(seed: seed)
        let (deflater, inflater) = (try #require(NGHTTP2Deflater(library)), try #require(NGHTTP2Inflater(library)))
        var (encoder, decoder) = (HPACKEncoder(), HPACKDecoder())
        for number in 0..<runs(3_000, slow: 60_000) {
            let fields = (0..<Int.random(in: 1...12, using: &random)).map { _ in
                (field: Self.field(&random), isSecret: Int.random(in: 0..<8, using: &random) == 0)
            }
            if Int.random(in: 0..<40, using: &random) == 0 {
                for _ in 0..<Int.random(in: 1...3, using: &random) {
                    deflater.resize(to: Int.random(in: 0...4096, using: &random))
                    encoder.limitTable(to: Int.random(in: 0...6000, using: &random))
                }
            }
            let expected = fields.map(\.field)
            var block: [UInt8] = []
            encoder.begin(&block)
            for (field, isSecret) in fields {
                let indexing = isSecret ? .never : Bool.random(using: &random) ? FieldIndexing.added : .omitted
                field.name.withUnsafeBytes { name in
                    field.value.withUnsafeBytes { encoder.append(name, $0, indexing, to: &block) }
                }
            }
            guard inflater.decode(block) == expected else {
                Issue.record("block \(number) of ours is read as something else, seed \(seed)")
                return
            }
            guard Self.decode(&decoder, deflater.encode(fields)) == expected else {
                Issue.record("block \(number) of libnghttp2 is read as something else, seed \(seed)")
                return
            }
        }
    }

    @Test func `mutated blocks are the same fields, or invalid, for both`() throws {
        let library = try #require(NGHTTP2Library.shared)
        let first = UInt64.random(in: 0...(1 << 40))
        var invalid = 0
        let count = runs(3_000, slow: 60_000)
        for seed in first..<first + UInt64(count) {
            var random = SeededGenerator(seed: seed)
            let (deflater, inflater) = (try #require(NGHTTP2Deflater(library)), try #require(NGHTTP2Inflater(library)))
            var decoder = HPACKDecoder()
            // The first blocks fill the table.
            for number in 0..<3 {
                if Int.random(in: 0..<4, using: &random) == 0 { deflater.resize(to: Int.random(in: 0...200, using: &random)) }
                var block = deflater.encode((0..<Int.random(in: 1...5, using: &random)).map { _ in (Self.field(&random), false) })
                if number > 0 {
                    for _ in 0..<Int.random(in: 0...3, using: &random) { Self.mutate(&block, &random) }
                }
                let (found, expected) = (Self.decode(&decoder, block), inflater.decode(block))
                guard found == expected else {
                    Issue.record(
                        "\(block): \(String(describing: found)), libnghttp2: \(String(describing: expected)), seed \(seed)")
                    return
                }
                guard expected != nil else {
                    invalid += 1
                    break
                }
            }
        }
        #expect(invalid > count / 20 && invalid < count)
    }

    private static func mutate(_ block: inout [UInt8], _ random: inout SeededGenerator) {
        let index = Int.random(in: 0...block.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0 where index < block.count: block[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1 where index < block.count: block.remove(at: index)
        case 2: block.insert(UInt8.random(in: 0...255, using: &random), at: index)
        default:
            block.insert(
                contentsOf: [[0x20], [0x3F, 0xE1, 0x1F], [0x80], [0xFF, 0x80, 0x00], [0x82], [0x00, 0x00, 0x00]].randomElement(
                    using: &random) ?? [], at: index)
        }
    }
}
