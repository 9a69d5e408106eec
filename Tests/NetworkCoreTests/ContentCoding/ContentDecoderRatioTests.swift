#if os(Linux)
    import Testing
    import TransferTestSupport

    @testable import NetworkTransport

    /// Contents that are much longer than their encoded form.
    struct ContentDecoderRatioTests {
        private typealias Content = CodedContent

        @Test(
            arguments: [
                ("br", CodedContent.brotliBomb), ("gzip, gzip", CodedContent.gzipGzipBomb),
                ("zstd", CodedContent.repeatingZstd(blocks: 800)),
                // Bytes that a layer ignores count too.
                ("gzip, br", CodedContent.brotliZeroPadding),
            ])
        func `a decompression bomb is detected early`(coding: String, bomb: [UInt8]) {
            for room in [1 << 16, 100] {
                let outcome = decode(bomb, coding, room: { room })
                #expect(outcome.failure == .ratio(limit: 1100))
                #expect(outcome.violation == nil)
                // The limit applies to the received bytes, counted in blocks of 1 KiB.
                #expect(outcome.output.count <= max(1 << 20, 1100 * 4096) + 1)
            }
        }

        @Test func `without a ratio limit, a decompression bomb is decoded completely`() {
            #expect(decode(Content.brotliBomb, "br", ratio: .max).output.count == 100 << 20)
        }

        @Test func `a single gzip coding never exceeds the default ratio`() {
            let gzip = decode(Content.gzipGzipBomb, "gzip").output
            #expect(gzip.count > 100_000 && 100 << 20 > gzip.count * 1000)
            let outcome = decode(gzip, "gzip")
            #expect(outcome.failure == nil && outcome.output.count == 100 << 20)
        }

        @Test func `up to 1 MiB of output, the ratio is not limited`() {
            #expect(
                decode(Content.repeatingZstd(blocks: 8), "zstd", ratio: 1)
                    == DecodingOutcome(output: [UInt8](repeating: 0x61, count: 1 << 20)))
            #expect(decode(Content.repeatingZstd(blocks: 9), "zstd", ratio: 1).failure == .ratio(limit: 1))
            #expect(decode(Content.repeatingZstd(blocks: 9), "zstd", ratio: -5).failure == .ratio(limit: -5))
        }

        /// The ratio is too high at first, and low at the end.
        @Test(arguments: [(5, false), (7, false), (8, true), (12, true)], ["zstd", "zstd, gzip"])
        func `the ratio limit does not depend on how the content is split`(blocks: (count: Int, areBomb: Bool), coding: String) {
            let content = Content.repeatingZstd(blocks: blocks.count) + Content.storedZstd(Content.noise(300_000))
            let coded = coding == "zstd" ? content : Content.storedGzip(content)
            let whole = decode(coded, coding, ratio: 10)
            #expect(whole.failure == (blocks.areBomb ? .ratio(limit: 10) : nil))
            for seed in 0..<6 as Range<UInt64> {
                var generator = SeededGenerator(seed: seed)
                let longest = seed % 2 == 0 ? 50 : 5000
                let cut = decode(
                    coded, coding, ratio: 10, pieces: { Int.random(in: 1...longest, using: &generator) },
                    room: { seed % 3 == 0 ? 777 : 1 << 16 })
                #expect(cut == whole)
            }
        }
    }
#endif
