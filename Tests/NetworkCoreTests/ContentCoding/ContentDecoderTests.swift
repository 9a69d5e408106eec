#if os(Linux)
    import Testing

    @testable import NetworkTransport

    struct ContentDecoderTests {
        private typealias Content = CodedContent

        @Test(arguments: CodedContent.samples) func `content in any coding and format is decoded`(
            coding: String, content: [UInt8]
        ) {
            #expect(decode(content, coding) == DecodingOutcome(output: Content.sample))
        }

        @Test(arguments: [1, 5_000, 300_000, 3_000_000]) func `a long content is decoded`(count: Int) {
            let content = Content.noise(count)
            #expect(decode(Content.storedGzip(content), "gzip") == DecodingOutcome(output: content))
            #expect(decode(Content.storedZstd(content), "zstd") == DecodingOutcome(output: content))
            #expect(decode(Content.storedZstd(Content.storedGzip(content)), "gzip, zstd") == DecodingOutcome(output: content))
        }

        @Test(arguments: ["gzip", "deflate", "br", "zstd", "gzip, br", "zstd, deflate, br"])
        func `a body of zero bytes is complete in any coding`(coding: String) {
            #expect(decode([], coding) == DecodingOutcome())
        }

        @Test(
            arguments: [
                ("gzip", CodedContent.emptyGzip), ("deflate", CodedContent.emptyZlib), ("deflate", CodedContent.emptyRawDeflate),
                ("br", CodedContent.emptyBrotli), ("zstd", CodedContent.emptyZstd), ("gzip, br", CodedContent.emptyBrotli),
            ])
        func `an encoded empty content is decoded to zero bytes`(coding: String, content: [UInt8]) {
            #expect(decode(content, coding, pieces: { 1 }) == DecodingOutcome())
        }

        // RFC 1952 §2.2.
        @Test func `consecutive gzip members are decoded as one content`() {
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
        func `bytes after a gzip member that do not begin another one are ignored`(bytes: [UInt8]) {
            #expect(decode(Content.gzipHello + bytes, "gzip") == DecodingOutcome(output: Content.hello))
        }

        @Test func `bytes that begin like a gzip member have to be a valid one`() {
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
        func `bytes after deflate and brotli contents are ignored`(coding: String, content: [UInt8]) {
            let whole = decode(content, coding)
            #expect(whole.failure == nil && !whole.output.isEmpty)
            for trailer in [[0], [0x1F, 0x8B, 8], content, [UInt8](repeating: 255, count: 40_000)] {
                #expect(decode(content + trailer, coding) == whole)
            }
        }

        // RFC 8878 §3.1 and §3.1.2.
        @Test func `consecutive zstd frames, some of them skippable, are decoded as one content`() {
            let first = Content.skippable([]) + Content.zstdHello + Content.skippable(Content.noise(70_000))
            let second = Content.zstdStream + Content.emptyZstd + Content.zstdHello + Content.skippable([1, 2, 3])
            #expect(decode(first + second, "zstd") == DecodingOutcome(output: Content.hello + Content.sample + Content.hello))
            #expect(decode(Content.skippable([1]), "zstd") == DecodingOutcome())
        }

        @Test func `bytes after a zstd frame that do not begin another one are damage`() {
            let outcome = decode(Content.zstdHello + [UInt8](repeating: 0, count: 20), "zstd")
            #expect(outcome == DecodingOutcome(output: Content.hello, failure: .damaged("zstd: Unknown frame descriptor")))
            #expect(decode(Content.zstdHello + [0x28], "zstd") == DecodingOutcome(output: Content.hello, failure: .truncated))
        }

        // RFC 9659 §3. The result does not depend on the pieces, or on the length of the content.
        @Test(arguments: [1, 5, 17, 18, .max]) func `a zstd window of more than 8 MiB is refused`(piece: Int) {
            let outcome = decode(Content.zstdWith16MiBWindow, "zstd", pieces: { piece })
            #expect(outcome == DecodingOutcome(failure: .damaged("zstd: Frame requires too much memory for decoding")))
        }

        // The size of a single segment is also its window.
        @Test(arguments: [1, .max], [(8 << 20, true), (8 << 20 | 1, false)])
        func `a zstd window of 8 MiB is accepted`(piece: Int, window: (bytes: Int, isAccepted: Bool)) {
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
        func `a decoding error has the message of the library`(coding: String, content: [UInt8], words: String) {
            #expect(decode(content, coding).failure == .damaged(words))
        }

        @Test func `the error for damaged brotli content names the kind of damage`() {
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
        func `a wrong checksum is reported as damage after the whole content was decoded`(
            coding: String, content: [UInt8], fromEnd: Int, words: String
        ) {
            var damaged = content
            damaged[content.count - fromEnd] ^= 1
            #expect(decode(damaged, coding) == DecodingOutcome(output: Content.sample, failure: .damaged(words)))
        }

        @Test func `without room for output, nothing is consumed or produced`() throws {
            let decoder = try #require(ContentDecoder(contentEncoding: "gzip", maximumRatio: 1100))
            let (consumed, produced) = try Content.gzip.withUnsafeBytes {
                try decoder.decode($0, into: UnsafeMutableRawBufferPointer(start: nil, count: 0))
            }
            #expect(consumed == 0 && produced == 0)
        }

        @Test func `an allocation failure is reported as out of memory`() throws {
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
