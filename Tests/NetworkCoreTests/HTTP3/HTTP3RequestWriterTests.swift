#if os(Linux)
    import Endpoints
    import Foundation
    import TestSupport
    import Testing
    import TransferTestSupport

    @testable import NetworkEngine
    @testable import NetworkTransport

    /// The field sections of requests over HTTP/3 (RFC 9114 §4.3.1): the fields are those of HTTP/2.
    struct HTTP3RequestWriterTests {
        @Test func `for random requests, the fields are those of HTTP 2`() throws {
            let first = UInt64.random(in: 0...1 << 40)
            let names = [
                "A", "x-B", "ACCEPT", "Host", "Cookie", "TE", "Connection", "Expect", "User-Agent", "Authorization", "Age",
                "Range",
            ]
            var writer = RequestFieldWriter<QPACKEncoder>(userAgent: "agent", acceptEncoding: "gzip")
            var other = RequestFieldWriter<HPACKEncoder>(userAgent: "agent", acceptEncoding: "gzip")
            var (encoder, decoder) = (QPACKEncoder(), QPACKDecoder())
            var (otherEncoder, otherDecoder) = (HPACKEncoder(), HPACKDecoder())
            for seed in first..<first + UInt64(runs(300, slow: 6_000)) {
                var random = SeededGenerator(seed: seed)
                var headers: HeaderFields = [:]
                for _ in 0..<random.below(6) {
                    headers.add(random.hostileText(of: ["a", "1", "trailers"]), for: random.pick(names))
                }
                let url = URL(string: "http\(random.chance(50) ? "s" : "")://h/" + random.pick(["", "a?b", "é"]))
                let method = random.pick([RequestMethod.get, .head, .post, .delete, RequestMethod("X-OTHER")])
                let body: NetworkBody? = random.chance(50) ? nil : .data(Data("body".utf8))
                let request = NetworkRequest(method: method, url: try #require(url), headers: headers, body: body)
                let isWebSocket = random.chance(10)
                var (section, block): ([UInt8], [UInt8]) = ([], [])
                encoder.begin(&section)
                let expects = writer.write(
                    request, bodyLength: body == nil ? 0 : 4, cookie: "stored=1", isWebSocket: isWebSocket, with: &encoder,
                    to: &section)
                otherEncoder.begin(&block)
                let otherExpects = other.write(
                    request, bodyLength: body == nil ? 0 : 4, cookie: "stored=1", isWebSocket: isWebSocket, with: &otherEncoder,
                    to: &block)
                var (fields, otherFields): ([ComparedField], [ComparedField]) = ([], [])
                try section.withUnsafeBytes { bytes in
                    try decoder.decode(bytes) { fields.append(ComparedField(name: Array($0), value: Array($1))) }
                }
                try block.withUnsafeBytes { bytes in
                    try otherDecoder.decode(bytes) { otherFields.append(ComparedField(name: Array($0), value: Array($1))) }
                }
                #expect(fields == otherFields && expects == otherExpects, "seed \(seed)")
            }
        }

        @Test func `a usual request is mostly indices of the static table`() throws {
            var writer = RequestFieldWriter<QPACKEncoder>(userAgent: "agent", acceptEncoding: "gzip, deflate, br")
            var encoder = QPACKEncoder()
            var section: [UInt8] = []
            let request = NetworkRequest(url: try #require(URL(string: "https://h/")))
            encoder.begin(&section)
            _ = writer.write(request, bodyLength: 0, cookie: nil, with: &encoder, to: &section)
            // GET, https, the authority, /, the user agent, */*, and the codings.
            #expect(section.starts(with: [0, 0, 0xD1, 0xD7, 0x50, 1, 0x68, 0xC1]) && section.suffix(2) == [0xDD, 0xDF])
        }
    }
#endif
