import Foundation
import NetworkSupport
import TestSupport
import Testing

@testable import NetworkEngine

/// Field sections without a dynamic table (RFC 9204), also compared with what ls-qpack makes of them
/// (`Scripts/qpack_vectors.py`).
struct QPACKTests {
    /// A section, and its fields; `nil` if it is invalid.
    private struct Vector: Decodable {
        let section: [UInt8]
        let fields: [ComparedField]?

        init(from decoder: any Decoder) throws {
            var values = try decoder.unkeyedContainer()
            section = Self.bytes(try values.decode(String.self))
            fields = try values.decodeIfPresent([[String]].self)?.map {
                ComparedField(name: Self.bytes($0[0]), value: Self.bytes($0[1]))
            }
        }

        private static func bytes(_ hexadecimal: String) -> [UInt8] {
            let digits = Array(hexadecimal)
            return stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) }
        }
    }

    private static func vectors(_ name: String) throws -> [Vector] {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Fixtures/qpack.json")
        let tables = try JSONDecoder().decode([String: [Vector]].self, from: try Data(contentsOf: file))
        return try #require(tables[name])
    }

    private static func decode(_ section: [UInt8]) throws -> [ComparedField] {
        var decoder = QPACKDecoder()
        var fields: [ComparedField] = []
        try section.withUnsafeBytes { section in
            try decoder.decode(section) { fields.append(ComparedField(name: Array($0), value: Array($1))) }
        }
        return fields
    }

    private static func encode(_ fields: [ComparedField], _ indexing: FieldIndexing = .added) -> [UInt8] {
        var encoder = QPACKEncoder()
        var section: [UInt8] = []
        encoder.begin(&section)
        for field in fields {
            field.name.withUnsafeBytes { name in
                field.value.withUnsafeBytes { encoder.append(name, $0, indexing, to: &section) }
            }
        }
        return section
    }

    private static func field(_ name: String, _ value: String) -> ComparedField {
        ComparedField(name: Array(name.utf8), value: Array(value.utf8))
    }

    @Test func `the static table is that of RFC 9204 Appendix A`() throws {
        let vectors = try Self.vectors("table")
        for (index, vector) in vectors.enumerated() {
            guard index < StaticFieldTable.qpack.count else {
                #expect(vector.fields == nil && (try? Self.decode(vector.section)) == nil)
                continue
            }
            #expect(try Self.decode(vector.section) == vector.fields)
            #expect(Self.encode(vector.fields ?? []) == vector.section, "\(index)")
        }
        #expect(vectors.count == 100)
    }

    @Test func `sections of another encoder are decoded, and are what this one writes`() throws {
        for vector in try Self.vectors("encoded") {
            #expect(try Self.decode(vector.section) == vector.fields)
            #expect(Self.encode(vector.fields ?? []) == vector.section)
        }
    }

    @Test func `changed sections are the same fields, or invalid, for another decoder`() throws {
        let vectors = try Self.vectors("changed")
        for vector in vectors where vector.section != [0, 0] {
            // ls-qpack refuses a section without fields, and ignores the sign of the base.
            if vector.section.count > 1, vector.section[0] == 0, vector.section[1] & 0x80 != 0 {
                #expect((try? Self.decode(vector.section)) == nil)
            } else {
                #expect((try? Self.decode(vector.section)) == vector.fields, "\(vector.section)")
            }
        }
        #expect(vectors.count { $0.fields != nil } > 50)
    }

    @Test func `the example of RFC 9204 Appendix B 1`() throws {
        let section: [UInt8] = [0, 0, 0x51, 0x0B] + Array("/index.html".utf8)
        #expect(try Self.decode(section) == [Self.field(":path", "/index.html")])
    }

    static let invalid: [(section: String, bytes: [UInt8])] = [
        ("4.5.1 no prefix", []),
        ("4.5.1 half a prefix", [0]),
        ("4.5.1.1 a number of insertions that are required", [1, 0]),
        ("4.5.1.2 a negative base", [0, 0x80]),
        ("4.5.2 an index of the dynamic table", [0, 0, 0x80]),
        ("4.5.2 an index beyond the static table", [0, 0, 0xFF, 0x24]),
        ("4.5.2 an index that is cut", [0, 0, 0xFF]),
        ("4.1.1 an index with leading zeros", [0, 0, 0xFF] + Array(repeating: 0x80, count: 5) + [0]),
        ("4.1.1 an index that is too large", [0, 0, 0xFF] + Array(repeating: 0xFF, count: 20)),
        ("4.5.3 an index after the base", [0, 0, 0x10]),
        ("4.5.4 a name of the dynamic table", [0, 0, 0x40, 0]),
        ("4.5.4 a name beyond the static table", [0, 0, 0x5F, 0x54, 0]),
        ("4.5.4 no value", [0, 0, 0x51]),
        ("4.5.4 a value that is cut", [0, 0, 0x51, 5, 0x2F]),
        ("4.5.5 a name after the base", [0, 0, 0, 0]),
        ("4.5.6 a name that is cut", [0, 0, 0x22, 0x61]),
        ("4.5.6 a length that is too large", [0, 0, 0x27] + Array(repeating: 0xFF, count: 20)),
        ("4.5.6 no value", [0, 0, 0x21, 0x61]),
        ("4.1.2 a string that is padded with zeros", [0, 0, 0x29, 0x18, 0]),
        ("4.1.2 a string with the symbol for the end", [0, 0, 0x51, 0x84, 0xFF, 0xFF, 0xFF, 0xFF]),
    ]

    @Test func `invalid sections are errors`() {
        for (name, bytes) in Self.invalid { #expect(throws: FieldCompressionError.self, "\(name)") { try Self.decode(bytes) } }
    }

    @Test func `a base of any size is ignored without a dynamic table (4.5.1.2)`() throws {
        #expect(try Self.decode([0, 0x7F, 0x20, 0xD1]) == [Self.field(":method", "GET")])
    }

    @Test func `secrets are never indexed, and are literals with their names even if the table has them (7.1.3)`() throws {
        let fields = [Self.field("authorization", "abc"), Self.field("x-key", "abc"), Self.field("age", "0")]
        let section = Self.encode(fields, .never)
        #expect(try Self.decode(section) == fields)
        for field in fields { #expect(Self.encode([field], .never)[2] & 0xF0 == 0x30) }
        #expect(Self.encode([fields[1]])[2] & 0xF0 == 0x20 && Self.encode([fields[0]])[2] & 0xF0 == 0x50)
    }

    @Test func `random fields are the same after encoding and decoding`() throws {
        let seed = UInt64.random(in: 0...(1 << 40))
        var random = SeededGenerator(seed: seed)
        for _ in 0..<runs(500, slow: 10_000) {
            let fields = (0..<random.below(8)).map { _ in
                let table = StaticFieldTable.qpack.fields
                let known = table[random.below(table.count)]
                let name =
                    random.chance(50) ? Array(known.nameBytes) : (0..<random.below(20)).map { _ in UInt8(random.below(256)) }
                let value =
                    random.chance(30) ? Array(known.valueBytes) : (0..<random.below(200)).map { _ in UInt8(random.below(256)) }
                return ComparedField(name: name, value: value)
            }
            let section = Self.encode(fields, random.pick([.added, .omitted, .never]))
            #expect(try Self.decode(section) == fields, "seed \(seed)")
        }
    }

    @Test func `instructions of any length are read in any pieces`() throws {
        for (sender, bytes, count) in [
            (QPACKInstructions.Sender.encoder, [0x20, 0x20, 0x20] as [UInt8], 3),
            (.decoder, [0x40, 0x7F, 0x80, 0x80, 0x01, 0x41, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x3F], 4),
        ] {
            for piece in 1...bytes.count {
                var instructions = QPACKInstructions(from: sender)
                var found = 0
                for start in stride(from: 0, to: bytes.count, by: piece) {
                    try Array(bytes[start..<min(start + piece, bytes.count)]).withUnsafeBytes { input in
                        var offset = 0
                        while try instructions.next(input, at: &offset) { found += 1 }
                        #expect(offset == input.count)
                    }
                }
                #expect(found == count)
            }
        }
    }
}

/// Integers of variable length (RFC 9000 §16).
struct QUICIntegerTests {
    @Test(arguments: [
        (0xC2_19_7C_5E_FF_14_E8_8C as UInt64, 8, 151_288_809_941_952_652 as UInt64), (0x9D_7F_3E_7D, 4, 494_878_333),
        (0x7B_BD, 2, 15_293), (0x40_25, 2, 37), (0x25, 1, 37),
    ]) func `the examples of RFC 9000 Appendix A 1`(encoded: UInt64, count: Int, number: UInt64) {
        let bytes = (0..<count).reversed().map { UInt8(truncatingIfNeeded: encoded >> UInt64(8 * $0)) }
        bytes.withUnsafeBytes { bytes in
            var offset = 0
            #expect(QUICInteger.read(bytes, at: &offset) == number && offset == count)
            offset = 0
            #expect(QUICInteger.read(UnsafeRawBufferPointer(rebasing: bytes.dropLast()), at: &offset) == nil && offset == 0)
        }
        var written: [UInt8] = []
        written.append(quic: number, byteCount: count)
        #expect(written == bytes)
    }

    @Test func `numbers have the smallest length by default`() {
        let numbers: [(UInt64, Int)] = [
            (0, 1), (63, 1), (64, 2), (16_383, 2), (16_384, 4), (1 << 30 - 1, 4), (1 << 30, 8), (QUICInteger.maximum, 8),
        ]
        for (number, count) in numbers {
            var bytes: [UInt8] = []
            bytes.append(quic: number)
            #expect(bytes.count == count && QUICInteger.byteCount(of: number) == count)
            var offset = 0
            #expect(bytes.withUnsafeBytes { QUICInteger.read($0, at: &offset) } == number)
        }
    }
}
