#if os(Linux)
    import Testing

    @testable import NetworkCore

    struct ContentDecoderTests {
        private typealias Content = CodedContent

        @Test(arguments: CodedContent.samples) func `a content is decoded`(coding: String, content: [UInt8]) {
            #expect(decode(content, coding) == DecodingOutcome(output: Content.sample))
        }

        @Test(arguments: [1, 5_000, 300_000, 3_000_000]) func `a long content is decoded`(count: Int) {
            let content = Content.noise(count)
            #expect(decode(Content.storedGzip(content), "gzip") == DecodingOutcome(output: content))
            #expect(decode(Content.storedZstd(content), "zstd") == DecodingOutcome(output: content))
            #expect(decode(Content.storedZstd(Content.storedGzip(content)), "gzip, zstd") == DecodingOutcome(output: content))
        }

        @Test(arguments: ["gzip", "deflate", "br", "zstd", "gzip, br", "zstd, deflate, br"])
        func `a body without a byte is complete`(coding: String) {
            #expect(decode([], coding) == DecodingOutcome())
        }

        @Test(
            arguments: [
                ("gzip", CodedContent.emptyGzip), ("deflate", CodedContent.emptyZlib), ("deflate", CodedContent.emptyRawDeflate),
                ("br", CodedContent.emptyBrotli), ("zstd", CodedContent.emptyZstd), ("gzip, br", CodedContent.emptyBrotli),
            ])
        func `an empty content is complete`(coding: String, content: [UInt8]) {
            #expect(decode(content, coding, pieces: { 1 }) == DecodingOutcome())
        }

        // RFC 1952 §2.2.
        @Test func `members of gzip follow one another`() {
            let members = Content.gzipHello + Content.emptyGzip + Content.gzip + Content.gzipWithAllFields
            #expect(decode(members, "gzip") == DecodingOutcome(output: Content.hello + Content.sample + Content.sample))
        }

        // As gzip(1) and browsers do.
        @Test(
            arguments: [
                [0], [UInt8](repeating: 0, count: 100_000), [0x1F], [0x1F, 0], [0x8B], Array("trailing".utf8),
                [0] + CodedContent.gzipHello,
                [0x1F, 0x1F, 0x8B],
            ])
        func `bytes behind a member that begin no other are ignored`(bytes: [UInt8]) {
            #expect(decode(Content.gzipHello + bytes, "gzip") == DecodingOutcome(output: Content.hello))
        }

        @Test func `what begins like a member has to be one`() {
            #expect(
                decode(Content.gzipHello + [0x1F, 0x8B], "gzip") == DecodingOutcome(output: Content.hello, failure: .truncated))
            #expect(
                decode(Content.gzipHello + [0x1F, 0x8B, 7, 0], "gzip")
                    == DecodingOutcome(output: Content.hello, failure: .damaged("gzip: unknown compression method")))
        }

        @Test(
            arguments: [
                ("deflate", CodedContent.zlibHello), ("deflate", CodedContent.rawDeflateHello), ("br", CodedContent.brotliHello),
                ("gzip, br", CodedContent.brotliGzip),
            ])
        func `bytes behind deflate and brotli are ignored`(coding: String, content: [UInt8]) {
            let whole = decode(content, coding)
            #expect(whole.failure == nil && !whole.output.isEmpty)
            for trailer in [[0], [0x1F, 0x8B, 8], content, [UInt8](repeating: 255, count: 40_000)] {
                #expect(decode(content + trailer, coding) == whole)
            }
        }

        // RFC 8878 §3.1 and §3.1.2.
        @Test func `frames of zstd follow one another, skippable ones among them`() {
            let first = Content.skippable([]) + Content.zstdHello + Content.skippable(Content.noise(70_000))
            let second = Content.zstdStream + Content.emptyZstd + Content.zstdHello + Content.skippable([1, 2, 3])
            #expect(decode(first + second, "zstd") == DecodingOutcome(output: Content.hello + Content.sample + Content.hello))
            #expect(decode(Content.skippable([1]), "zstd") == DecodingOutcome())
        }

        @Test func `bytes behind a frame of zstd that begin no other are damage`() {
            let outcome = decode(Content.zstdHello + [UInt8](repeating: 0, count: 20), "zstd")
            #expect(outcome == DecodingOutcome(output: Content.hello, failure: .damaged("zstd: Unknown frame descriptor")))
            #expect(decode(Content.zstdHello + [0x28], "zstd") == DecodingOutcome(output: Content.hello, failure: .truncated))
        }

        // RFC 9659 §3: however the content arrives, and though it is short.
        @Test(arguments: [1, 5, 17, 18, .max]) func `a window of more than 8 MiB is refused`(piece: Int) {
            let outcome = decode(Content.zstdWith16MiBWindow, "zstd", pieces: { piece })
            #expect(outcome == DecodingOutcome(failure: .damaged("zstd: Frame requires too much memory for decoding")))
        }

        // A single segment: its size is its window.
        @Test(arguments: [1, .max], [(8 << 20, true), (8 << 20 | 1, false)])
        func `a window of 8 MiB is accepted`(piece: Int, window: (bytes: Int, isAccepted: Bool)) {
            var content: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0b1010_0000] + Content.little(UInt32(window.bytes))
            for block in 0..<64 { content += Content.zstdBlock(128 << 10, type: 1, isLast: block == 63) + [0x61] }
            let outcome = decode(content, "zstd", ratio: .max, pieces: { piece })
            #expect((outcome.failure == nil) == window.isAccepted)
            #expect(outcome.output.count == (window.isAccepted ? 8 << 20 : 0))
        }

        @Test(
            arguments: [
                ("gzip", CodedContent.hello, "gzip: incorrect header check"),
                ("gzip", CodedContent.zlib, "gzip: incorrect header check"),
                ("deflate", CodedContent.gzip, "deflate: invalid block type"),
                ("deflate", [0x78, 0x9C, 7], "deflate: invalid block type"),
                ("deflate", CodedContent.zlibWithDictionary, "deflate: a preset dictionary is needed"),
                ("zstd", CodedContent.gzip, "zstd: Unknown frame descriptor"),
                ("zstd", CodedContent.zstdWithDictionary, "zstd: Dictionary mismatch"),
            ])
        func `what is wrong is said in the library's words`(coding: String, content: [UInt8], words: String) {
            #expect(decode(content, coding).failure == .damaged(words))
        }

        @Test func `damage of brotli names its kind`() {
            guard case .damaged(let words)? = decode([UInt8](repeating: 0xFF, count: 64), "br").failure else {
                Issue.record("no damage")
                return
            }
            #expect(words.hasPrefix("br: ") && words.count > 8)
        }

        @Test(
            arguments: [
                // The length follows the checksum.
                ("gzip", CodedContent.gzip, 8, "gzip: incorrect data check"),
                ("gzip", CodedContent.gzip, 1, "gzip: incorrect length check"),
                ("deflate", CodedContent.zlib, 1, "deflate: incorrect data check"),
                ("zstd", CodedContent.zstd, 1, "zstd: Restored data doesn't match checksum"),
            ])
        func `a checksum that is wrong is damage, behind the content`(
            coding: String, content: [UInt8], fromEnd: Int, words: String
        ) {
            var damaged = content
            damaged[content.count - fromEnd] ^= 1
            #expect(decode(damaged, coding) == DecodingOutcome(output: Content.sample, failure: .damaged(words)))
        }

        @Test func `without room nothing happens`() throws {
            let decoder = try #require(ContentDecoder(contentEncoding: "gzip", maximumRatio: 1100))
            let (consumed, produced) = try Content.gzip.withUnsafeBytes {
                try decoder.decode($0, into: UnsafeMutableRawBufferPointer(start: nil, count: 0))
            }
            #expect(consumed == 0 && produced == 0)
        }

        @Test func `memory that cannot be allocated is named`() throws {
            let library = try #require(CodingLibraries.current.library(of: .zstd))
            #expect(ZstdLayer(library: library).failure(-64) == .outOfMemory)
            #expect(ZstdLayer(library: library).failure(-10) == .damaged("zstd: Unknown frame descriptor"))
            let brotli = try #require(CodingLibraries.current.library(of: .brotli))
            for code in [-21, -22, -25, -26, -27, -30] as [CInt] {
                #expect(BrotliLayer(library: brotli).failure(code) == .outOfMemory)
            }
            for code in [-20, -31, -1] as [CInt] { #expect(BrotliLayer(library: brotli).failure(code) != .outOfMemory) }
        }
    }
#endif
