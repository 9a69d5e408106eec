#if os(Linux)
    import Testing
    import TransferTestSupport

    @testable import NetworkTransport

    /// The outcome of decoding does not depend on how the content is split, or on the available room for output.
    struct ContentDecoderCuttingTests {
        private typealias Content = CodedContent

        private func randomly(_ content: [UInt8], _ coding: String, seed: UInt64, atLeast: Int = 0) -> DecodingOutcome {
            var cuts = SeededGenerator(seed: seed)
            var rooms = SeededGenerator(seed: ~seed)
            let longest = 1 << Int.random(in: atLeast...16, using: &cuts)
            let largest = 1 << Int.random(in: atLeast...16, using: &rooms)
            return decode(
                content, coding, pieces: { Int.random(in: 1...longest, using: &cuts) },
                room: { Int.random(in: 1...largest, using: &rooms) })
        }

        @Test(arguments: CodedContent.samples) func `a content that is split into pieces is decoded`(
            coding: String, content: [UInt8]
        ) {
            #expect(decode(content, coding, pieces: { 1 }, room: { 1 }).output == Content.sample)
            for seed in 0..<UInt64(runs(5, slow: 50)) {
                #expect(randomly(content, coding, seed: seed) == DecodingOutcome(output: Content.sample), "seed \(seed)")
            }
        }

        @Test func `long contents that are split into pieces are decoded`() {
            let content = Content.noise(70_000)
            let coded = [
                ("gzip", Content.storedGzip(content) + Content.storedGzip(content)),
                ("zstd", Content.storedZstd(content + content)),
                ("gzip, zstd", Content.storedZstd(Content.storedGzip(content) + Content.storedGzip(content))),
                ("zstd, gzip", Content.storedGzip(Content.storedZstd(content) + Content.storedZstd(content))),
            ]
            for (coding, coded) in coded {
                for seed in 0..<UInt64(runs(3, slow: 8)) {
                    #expect(
                        randomly(coded, coding, seed: seed, atLeast: 8) == DecodingOutcome(output: content + content),
                        "\(coding), seed \(seed)")
                }
            }
        }

        @Test(arguments: CodedContent.samples) func `a content that ends early at any byte is reported as truncated`(
            coding: String, content: [UInt8]
        ) {
            for count in 1..<content.count {
                let outcome = decode(Array(content.prefix(count)), coding)
                #expect(outcome.failure == .truncated, "after \(count) bytes")
                #expect(outcome.violation == nil)
                #expect(Content.sample.starts(with: outcome.output))
                guard isSlowRun || count % 8 == 0 else { continue }
                #expect(
                    decode(Array(content.prefix(count)), coding, pieces: { 1 + count % 7 }, room: { 1 + count % 50 }) == outcome)
            }
        }

        @Test func `the bytes before a truncation are decoded`() {
            #expect(decode(Content.gzip.dropLast(), "gzip").output == Content.sample)
            #expect(decode(Content.brotliGzip.dropLast(12), "gzip, br").output.count > 800)
        }

        /// Brotli discards its pending output when it finds damage, and reports the same damage with different messages.
        @Test(arguments: CodedContent.samples)
        func `decoding ends if a bit is flipped, with the same outcome if the content is split`(
            coding: String, content: [UInt8]
        ) {
            // Usually each fifth bit, which covers each bit position of a byte.
            for bit in stride(from: 0, to: content.count * 8, by: runs(5, slow: 1)) {
                var damaged = content
                damaged[bit / 8] ^= 1 << (bit % 8)
                let whole = decode(damaged, coding, maximumOutput: 1 << 22)
                #expect(whole.violation == nil, "bit \(bit)")
                // Every 25th bit, which covers each bit position too.
                guard bit % 25 == 0 else { continue }
                let cut = randomly(damaged, coding, seed: UInt64(bit))
                #expect(cut.violation == nil, "bit \(bit)")
                if coding.contains("br"), case .damaged? = whole.failure, case .damaged? = cut.failure { continue }
                #expect(whole == cut, "bit \(bit)")
            }
        }

        @Test(arguments: [1, 2, 3, 10, 11, 12])
        func `a zstd frame that is shorter than declared has the same outcome if it is split`(
            content: Int
        ) {
            // A single segment with a declared size. Its only block is stored.
            let frame: [UInt8] =
                [0x28, 0xB5, 0x2F, 0xFD, 0x20, UInt8(content + 2), UInt8(content << 3 | 1), 0, 0] + Content.noise(content)
            let whole = decode(frame, "zstd")
            #expect(whole.failure == .damaged("zstd: Data corruption detected"))
            for seed in 0..<50 as Range<UInt64> {
                #expect(randomly(frame, "zstd", seed: seed) == whole, "seed \(seed)")
            }
        }

        @Test(arguments: ["gzip", "deflate", "br", "zstd", "gzip, zstd", "deflate, br"])
        func `decoding random bytes ends, with the same outcome if they are split`(coding: String) {
            var generator = SeededGenerator(seed: 7)
            let magic: [[UInt8]] = [
                [], Array(Content.gzip.prefix(10)), Array(Content.zlib.prefix(2)), Array(Content.zstd.prefix(6)),
            ]
            for seed in 0..<UInt64(runs(100, slow: 500)) {
                let noise = (0..<Int.random(in: 1...200, using: &generator)).map { _ in
                    UInt8.random(in: 0...255, using: &generator)
                }
                let content = magic[Int(seed % 4)] + noise
                let whole = decode(content, coding)
                let cut = randomly(content, coding, seed: seed)
                #expect(whole.violation == nil && cut.violation == nil, "\(content)")
                if coding.contains("br"), case .damaged? = whole.failure, case .damaged? = cut.failure { continue }
                #expect(whole == cut, "\(content)")
            }
        }
    }
#endif
