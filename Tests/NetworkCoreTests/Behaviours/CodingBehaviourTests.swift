#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkCore
    import Testing

    /// Content codings on the wire (RFC 9110 §8.4).
    @Suite(.timeLimit(.minutes(10)))
    struct CodingBehaviourTests {
        @Test(arguments: whole + asSent + broken)
        func `encoded content is decoded as in other HTTP clients`(row: ResponseRow) async throws {
            try await row.check()
        }

        private static let text = Data("text".utf8)
        private static let gzip = StoredCoding.gzip.encoded(text)
        private static let deflate = StoredCoding.deflate.encoded(text)

        private static func head(_ coding: String, _ length: Int, status: String = "200 OK") -> String {
            "HTTP/1.1 \(status)\r\nContent-Encoding: \(coding)\r\nContent-Length: \(length)\r\n\r\n"
        }

        /// Returns the data in chunks of this number of bytes.
        private static func chunked(_ data: Data, by count: Int) -> Data {
            var body = Data()
            for start in stride(from: 0, to: data.count, by: count) {
                let piece = data.dropFirst(start).prefix(count)
                body += Data("\(String(piece.count, radix: 16))\r\n".utf8) + piece + Data("\r\n".utf8)
            }
            return body + Data("0\r\n\r\n".utf8)
        }

        /// A gzip header with an extra field, a name, a comment and no header checksum, followed by the rest of ``gzip``.
        private static var gzipWithFields: Data {
            let comment = Data(repeating: 0x63, count: 5000)
            let head = Data([0x1F, 0x8B, 8, 0x1C, 0, 0, 0, 0, 0, 3, 4, 0]) + Data("ABCD".utf8)
            return head + Data("name\u{0}".utf8) + comment + Data([0]) + gzip.dropFirst(10)
        }

        private static var badChecksum: Data {
            var data = gzip
            data[data.count - 5] ^= 1
            return data
        }

        private static var badLength: Data {
            var data = gzip
            data[data.count - 1] ^= 1
            return data
        }

        private static let whole: [ResponseRow] = [
            .row(
                "gzip is decoded, and the connection is reused", "OkHttp gzipAndConnectionReuseWithFixedLength",
                head("gzip", gzip.count), body: gzip, gives: "200 text", keeps: true, fields: [("Content-Encoding", ["gzip"])]),
            .row(
                "gzip in chunks of one byte is decoded, and the connection is reused",
                "OkHttp gzipAndConnectionReuseWithChunkedEncoding",
                "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n", body: chunked(gzip, by: 1),
                gives: "200 text", keeps: true),
            .row(
                "gzip with name, comment and extra field is decoded", "curl test224", head("gzip", gzipWithFields.count),
                body: gzipWithFields, gives: "200 text", keeps: true),
            .row(
                "raw deflate is decoded", "curl test232", head("deflate", deflate.count - 6),
                body: deflate.dropFirst(2).dropLast(4), gives: "200 text", keeps: true),
            .row(
                "two codings are decoded, the last one first", "curl test230",
                head("deflate, gzip", StoredCoding.gzip.encoded(deflate).count), body: StoredCoding.gzip.encoded(deflate),
                gives: "200 text", keeps: true),
            .row(
                "codings in two lines are one list", "RFC 9110 §5.3",
                "HTTP/1.1 200 OK\r\nContent-Encoding: deflate\r\n"
                    + "Content-Encoding: gzip\r\nContent-Length: \(StoredCoding.gzip.encoded(deflate).count)\r\n\r\n",
                body: StoredCoding.gzip.encoded(deflate), gives: "200 text", keeps: true),
            .row(
                "zeros after gzip are padding", "gzip(1)", head("gzip", gzip.count + 8), body: gzip + Data(count: 8),
                gives: "200 text", keeps: true),
        ]

        private static let asSent: [ResponseRow] = [
            .row(
                "a response to HEAD may name a coding", "OkHttp headResponseContentEncodingIsIgnored", head("gzip", 300),
                method: .head,
                gives: "200 ", keeps: true),
            .row(
                "a 304 may name a coding", "OkHttp noTransparentGzipFor304NotModified", head("gzip", 300, status: "304 Same"),
                gives: "304 ", keeps: true),
            .row(
                "a coding that the request itself accepts is not decoded", "OkHttp clientConfiguredGzipContentEncoding",
                head("gzip", 4),
                body: text, headers: ["Accept-Encoding": "gzip"], gives: "200 text", keeps: true),
        ]

        private static let broken: [ResponseRow] = [
            .row(
                "an invalid gzip header is an error", "curl test221", head("gzip", 4), body: text, gives: "undecodableContent"
            ),
            .row(
                "unrequested gzip in the transfer coding is malformed", "curl test1496",
                "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: gzip\r\n\r\n", body: gzip, closes: true,
                gives: "malformedResponse"),
        ]
    }
#endif
