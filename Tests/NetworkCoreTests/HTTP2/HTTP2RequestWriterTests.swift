#if os(Linux)
    import Endpoints
    import Foundation
    import TestSupport
    import Testing
    import TransferTestSupport

    @testable import NetworkEngine
    @testable import NetworkTransport

    /// The header blocks of requests (RFC 9113 §8.3), also compared with the heads that HTTP/1.1 has for the same requests.
    struct HTTP2RequestWriterTests {
        private typealias Field = HeaderFields.Field

        private struct Written {
            var writer = RequestFieldWriter<HPACKEncoder>(userAgent: "agent", acceptEncoding: "gzip")
            var encoder = HPACKEncoder()
            var decoder = HPACKDecoder()
            var blockBytes = 0

            mutating func fields(of request: NetworkRequest, bodyLength: Int64? = 0, cookie: String? = nil) throws -> [Field] {
                var block: [UInt8] = []
                encoder.begin(&block)
                _ = writer.write(request, bodyLength: bodyLength, cookie: cookie, with: &encoder, to: &block)
                blockBytes = block.count
                var fields: [Field] = []
                try block.withUnsafeBytes { block in
                    try decoder.decode(block) {
                        fields.append(
                            Field(name: String(decoding: $0, as: UTF8.self), value: String(decoding: $1, as: UTF8.self)))
                    }
                }
                return fields
            }
        }

        @Test func `the pseudo-fields come first, and the names are in lower case`() throws {
            var written = Written()
            let url = try #require(URL(string: "https://u:p@h.example:8443/a/../b?c"))
            let fields = try written.fields(of: NetworkRequest(url: url, headers: ["X-Upper": " v ", "Host": "virtual"]))
            #expect(
                fields.map { "\($0.name): \($0.value)" } == [
                    ":method: GET", ":scheme: https", ":authority: virtual", ":path: /a/../b?c", "x-upper: v",
                    "user-agent: agent", "accept: */*", "accept-encoding: gzip",
                ])
        }

        @Test func `credentials are not in the table, however often they are sent`() throws {
            var written = Written()
            let url = try #require(URL(string: "https://h/"))
            let secret = String(repeating: "s3cr3t", count: 20)
            let names = ["Authorization", "Cookie", "X-Api-Key", "X-Session-Token", "X-Marked"]
            var request = NetworkRequest(url: url)
            for name in names { request.headers[name] = secret }
            request.setCredential(secret, for: "X-Marked")
            var plain = NetworkRequest(url: url)
            plain.headers["X-Plain"] = secret
            for _ in 0..<3 {
                let fields = try written.fields(of: request, cookie: "stored=1")
                for name in names { #expect(fields.contains { $0.name == name.lowercased() && $0.value.hasPrefix(secret) }) }
                #expect(fields.contains { $0.name == "cookie" && $0.value == "\(secret); stored=1" })
                #expect(written.blockBytes > 60 * names.count, "each is sent as a literal")
            }
            for name in names {
                var single = NetworkRequest(url: url)
                single.headers[name] = secret
                if name == "X-Marked" { single.setCredential(secret, for: name) }
                _ = try written.fields(of: single)
                #expect(written.blockBytes > 60, "\(name) is sent as a literal")
            }
            _ = try written.fields(of: plain)
            _ = try written.fields(of: plain)
            #expect(written.blockBytes < 20, "another field is sent as an index")
        }

        private func trimmed(_ text: String) -> String { text.trimmingCharacters(in: CharacterSet(charactersIn: " \t")) }

        @Test func `for random requests, the fields are those of HTTP 1 without those of its connection`() throws {
            let first = UInt64.random(in: 0...1 << 40)
            let names = [
                "A", "x-B", "ACCEPT", "Host", "Cookie", "Range", "TE", "Connection", "Upgrade", "Keep-Alive", "Proxy-Connection",
                "Transfer-Encoding", "Content-Length", "Expect", "User-Agent", "Accept-Encoding", "Trailer",
                "Proxy-Authorization",
                "bad name", "HTTP2-Settings", "é",
            ]
            let onlyHTTP1: Set = [
                "connection", "upgrade", "keep-alive", "proxy-connection", "transfer-encoding", "host", "http2-settings", "te",
            ]
            let lineWriter = HTTP1RequestWriter(userAgent: "agent", acceptEncoding: "gzip")
            var written = Written()
            for seed in first..<first + UInt64(runs(500, slow: 10_000)) {
                var random = SeededGenerator(seed: seed)
                var headers: HeaderFields = [:]
                for _ in 0..<random.below(6) {
                    headers.add(random.hostileText(of: ["a", "1", "100-continue", "close"]), for: random.pick(names))
                }
                let path = random.hostileText(of: ["a", "b"])
                let url = URL(string: "https://h:81/" + path) ?? URL(string: "https://h:81/?é")
                let method = random.pick([RequestMethod.get, .head, .post, .delete, RequestMethod("X-OTHER")])
                let body: NetworkBody? = random.chance(50) ? nil : .data(Data("body".utf8))
                let request = NetworkRequest(method: method, url: try #require(url), headers: headers, body: body)
                let cookie = random.chance(30) ? "stored=1" : nil
                let length: Int64? = body == nil ? 0 : 4
                let fields = try written.fields(of: request, bodyLength: length, cookie: cookie)

                var buffer: [UInt8] = []
                lineWriter.appendHead(of: request, bodyLength: length, cookie: cookie, to: &buffer)
                let lines = String(decoding: buffer, as: UTF8.self).split(separator: "\r\n", omittingEmptySubsequences: true)
                let start = lines[0].split(separator: " ")
                let expected: [String] = lines.dropFirst().compactMap { line in
                    let colon = line.firstIndex(of: ":") ?? line.startIndex
                    let name = line[..<colon].lowercased()
                    if onlyHTTP1.contains(name) { return nil }
                    return "\(name): \(trimmed(String(line[line.index(after: colon)...])))"
                }
                let host = String(decoding: lines[1].utf8.dropFirst(6), as: UTF8.self)
                let pseudo = [":method: \(start[0])", ":scheme: https", ":authority: \(trimmed(host))", ":path: \(start[1])"]
                let all = fields.map { "\($0.name): \($0.value)" }
                #expect(Array(all.prefix(4)) == pseudo, "seed \(seed)")
                #expect(all.dropFirst(4).filter { !$0.hasPrefix("te: ") }.sorted() == expected.sorted(), "seed \(seed)")
                for field in all { #expect(!field.utf8.contains { $0 < 0x20 && $0 != 9 }) }
            }
        }
    }
#endif
