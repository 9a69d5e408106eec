#if os(Linux)
    import Foundation
    import Testing
    import TransferTestSupport

    @testable import NetworkTransport

    /// The gzip format of RFC 1952; the oracle is the decoder of responses.
    @Suite(.timeLimit(.ofStorm))
    struct GzipEncoderTests {
        private func encode(_ chunks: [Data], level: Int = 6) throws -> [Data] {
            let encoder = try #require(GzipEncoder(level: level))
            var pieces: [Data] = []
            var areComplete = true
            for chunk in chunks {
                var offset = 0
                while let piece = try encoder.encode(chunk, from: &offset) { pieces.append(piece) }
                areComplete = areComplete && offset == chunk.count
            }
            #expect(areComplete)
            while let piece = try encoder.finish() { pieces.append(piece) }
            #expect(try encoder.finish() == nil)
            return pieces
        }

        @Test(arguments: 1...9) func `random contents are decoded to the same bytes, however they are split`(level: Int) throws {
            let random = SharedGenerator(UInt64(level))
            for _ in 0..<(isSlowRun ? 140 : isSanitized ? 5 : 7) {
                let content = Data.mixed(random)
                var rest = content
                var chunks: [Data] = []
                let size = [1, 300, 40_000, 1 << 20][random.next(below: 4)]
                while !rest.isEmpty, chunks.count < 3_000 {
                    // Slices, whose indices do not begin at 0.
                    chunks.append(rest.prefix(random.next(below: size) + 1))
                    rest = rest.dropFirst(chunks[chunks.count - 1].count)
                }
                chunks.append(rest)
                let pieces = try encode(chunks, level: level)
                #expect(pieces.dropLast().allSatisfy { $0.count == GzipEncoder.pieceBytes })
                #expect((1...GzipEncoder.pieceBytes).contains(pieces.last?.count ?? 0))
                let coded = pieces.joined()
                let outcome = decode(Array(coded), "gzip", pieces: { random.next(below: 50_000) + 1 })
                #expect(outcome == DecodingOutcome(output: Array(content)), "\(content.count) bytes in \(chunks.count) chunks")
                #expect(Array(coded) == Array(try encode([content], level: level).joined()))
            }
        }

        @Test func `no bytes are an empty content in gzip format`() throws {
            for chunks in [[], [Data()], [Data(), Data()]] {
                let coded = Data(try encode(chunks).joined())
                #expect(Array(coded.prefix(3)) == [0x1F, 0x8B, 8])
                #expect(decode(Array(coded), "gzip") == DecodingOutcome())
            }
        }

        // The time and the file name are not set, RFC 1952 §2.3.
        @Test func `the head contains neither a time nor a name`() throws {
            #expect(Array(try encode([Data("a".utf8)])[0].prefix(8)) == [0x1F, 0x8B, 8, 0, 0, 0, 0, 0])
        }

        @Test func `there is no encoder for an invalid level, or without zlib`() {
            for level in [Int.min, -1, 0, 10, 1 << 32 + 6, .max] { #expect(GzipEncoder(level: level) == nil) }
            #expect(GzipEncoder(level: 6, libraries: CodingLibraries(zlib: "libmissing.so")) == nil)
        }
    }

    extension Data {
        /// Returns a random number of bytes, below 400,000: runs of zeros, of text and of noise.
        fileprivate static func mixed(_ random: SharedGenerator) -> Data {
            var data = Data()
            let count = random.next(below: [2, 1_000, 400_000][random.next(below: 3)])
            while data.count < count {
                let length = random.next(below: Swift.min(100_000, count - data.count)) + 1
                switch random.next(below: 3) {
                case 0: data.append(Data(count: length))
                case 1:
                    data.append(Data(String(repeating: "{\"name\": \(random.next(below: 10))}, ", count: length / 14 + 1).utf8))
                default: data.append(.pattern(length, seed: random.next()))
                }
            }
            return data
        }
    }
#endif
