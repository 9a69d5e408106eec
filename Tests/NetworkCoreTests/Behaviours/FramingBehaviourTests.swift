#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkCore
    import Testing

    /// Where a response ends, and whether its connection is reused (RFC 9112 §6, §7, §9).
    @Suite(.timeLimit(.minutes(10)))
    struct FramingBehaviourTests {
        @Test(arguments: lengths + chunks + bodiless + connections)
        func `the end of a response is determined as in other HTTP clients`(row: ResponseRow) async throws {
            try await row.check()
        }

        private static let ok = "HTTP/1.1 200 OK\r\n"
        private static let chunked = ok + "Transfer-Encoding: chunked\r\n\r\n"

        private static let lengths: [ResponseRow] = [
            .row(
                "HTTP/1.1 without a length: the body ends with the connection", "Go TestReadResponse, no Content-Length",
                ok + "\r\nuntil the end", closes: true, gives: "200 until the end"),
            .row(
                "HTTP/1.0 with a length: the connection is not used again", "OkHttp testPooledConnectionsDetectHttp10",
                "HTTP/1.0 200 OK\r\nContent-Length: 3\r\n\r\nabc", gives: "200 abc"),
            .row(
                "a body shorter than its length is an error", "OkHttp contentDisagreesWithContentLengthHeaderBodyTooShort",
                ok + "Content-Length: 5\r\n\r\nabc", closes: true, gives: "incompleteBody"),
            .row(
                "bytes after a body of known length are discarded", "OkHttp contentDisagreesWithContentLengthHeaderBodyTooLong",
                ok + "Content-Length: 3\r\n\r\nabcdef", gives: "200 abc"),
            .row(
                "two equal Content-Length lines count as one", "curl test767",
                ok + "Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc", gives: "200 abc", keeps: true),
            .row(
                "a list of equal lengths counts as one length", "hyper client_handles_contentlength_values_on_same_line",
                ok + "Content-Length: 3, 3\r\n\r\nabc", gives: "200 abc", keeps: true),
            .row(
                "two Content-Length lines that differ are malformed", "curl test771",
                ok + "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd", gives: "malformedResponse"),
            .row(
                "a 205 with a length is read to its end", "OkHttp http205WithBodyDisallowed",
                "HTTP/1.1 205 Reset\r\nContent-Length: 3\r\n\r\nabc", gives: "205 abc", keeps: true),
        ]

        private static let chunks: [ResponseRow] = [
            .row(
                "chunked overrides a length, and the connection is closed after it", "curl test365",
                ok + "Content-Length: 99\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", gives: "200 abc"),
            .row(
                "chunk extensions of more than 16 KiB are refused", "Go TestChunkReaderTooMuchOverhead",
                chunked + "3;" + String(repeating: "x", count: 17_000) + "\r\nabc\r\n0\r\n\r\n", gives: "malformedResponse"),
            .row(
                "chunks that end too early are an error", "curl test207", chunked + "3\r\nabc\r\n", closes: true,
                gives: "incompleteBody"),
            .row(
                "a last chunk without the empty line after it is an error", "RFC 9112 §7.1", chunked + "3\r\nabc\r\n0\r\n",
                closes: true, gives: "incompleteBody"),
            .row(
                "trailers need not be announced", "curl test1116", chunked + "3\r\nabc\r\n0\r\nX-Sum: 7\r\nX-B: \r\n\r\n",
                gives: "200 abc", keeps: true, fields: [("X-Sum", ["7"]), ("X-B", [""])]),
            .row(
                "a Content-Length among the trailers has no effect", "RFC 9110 §6.5.1",
                chunked + "3\r\nabc\r\n0\r\nContent-Length: 1\r\nConnection: close\r\n\r\n", gives: "200 abc", keeps: true),
            .row(
                "a NUL in a trailer is malformed", "curl test2106", chunked + "3\r\nabc\r\n0\r\nX: a\u{0}b\r\n\r\n",
                gives: "malformedResponse"),
            .row(
                "trailers whose lines end with LF alone are malformed", "curl test1417",
                chunked + "3\r\nabc\r\n0\r\nX-Sum: 7\n\n", gives: "malformedResponse"),
            .row(
                "a Trailer field without chunks has no effect", "Go TestReadResponse, Trailer without chunks",
                ok + "Trailer: X-Sum\r\nContent-Length: 3\r\n\r\nabc", gives: "200 abc", keeps: true),
            .row(
                "chunked named twice in a line is malformed", "Go TestParseTransferEncoding",
                ok + "Transfer-Encoding: chunked, chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", gives: "malformedResponse"),
            .row(
                "identity before chunked is ignored", "curl test1493",
                ok + "Transfer-Encoding: identity, chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", gives: "200 abc", keeps: true),
            .row(
                "a coding whose name begins like identity is malformed", "curl test2119",
                ok + "Content-Length: 3\r\nTransfer-Encoding: identityx\r\n\r\nabc", gives: "malformedResponse"),
            .row(
                "an unrequested transfer coding is malformed", "curl test1496",
                ok + "Transfer-Encoding: gzip, chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", gives: "malformedResponse"),
            .row(
                "an unknown transfer coding is not read to the end of the connection",
                "hyper client_response_transfer_encoding_not_chunked", ok + "Transfer-Encoding: yolo\r\n\r\nabc", closes: true,
                gives: "malformedResponse"),
            .row(
                "chunks in HTTP/1.0 are read, and the connection is closed after them", "RFC 9112 §6.1",
                "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
                gives: "200 abc"),
        ]

        private static let bodiless: [ResponseRow] = [
            .row(
                "a 204 that announces chunks is empty, and the connection is closed after it", "curl test334",
                "HTTP/1.1 204 None\r\nTransfer-Encoding: chunked\r\n\r\n", gives: "204 "),
            .row(
                "the body that a 204 must not have is discarded", "OkHttp http204WithBodyDisallowed",
                "HTTP/1.1 204 None\r\nContent-Length: 3\r\n\r\nabc", gives: "204 "),
            .row(
                "a 304 has no body, even with a length", "curl test249",
                "HTTP/1.1 304 Same\r\nContent-Length: 300\r\n\r\n", gives: "304 ", keeps: true),
            .row(
                "HEAD has no body, whatever length is announced", "OkHttp headResponseContentLengthIsIgnored",
                ok + "Content-Length: 300\r\n\r\n", method: .head, gives: "200 ", keeps: true,
                fields: [("Content-Length", ["300"])]),
            .row(
                "the connection is reused after HEAD without a length", "Go TestReadResponse, HEAD", ok + "\r\n", method: .head,
                gives: "200 ", keeps: true),
            .row(
                "a body that is sent in response to HEAD is discarded", "curl test1484", ok + "Content-Length: 3\r\n\r\nabc",
                method: .head, gives: "200 "),
        ]

        private static let connections: [ResponseRow] = [
            .row(
                "keep-alive and close in one line mean close", "Go TestReadResponse, both in a line",
                ok + "Connection: keep-alive, close\r\nContent-Length: 3\r\n\r\nabc", gives: "200 abc"),
            .row(
                "Connection: close with a length does not wait for the end", "Go TestIssue3644",
                ok + "Connection: close\r\nContent-Length: 3\r\n\r\nabc", gives: "200 abc"),
        ]
    }
#endif
