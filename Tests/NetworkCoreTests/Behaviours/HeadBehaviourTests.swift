#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkCore
    import Testing

    /// Status lines, interim responses and field lines (RFC 9112 §4, §5; RFC 9110 §15.2).
    @Suite(.timeLimit(.minutes(10)))
    struct HeadBehaviourTests {
        @Test(arguments: statusLines + interim + fieldLines)
        func `a response head is accepted or refused as in other HTTP clients`(row: ResponseRow) async throws {
            try await row.check()
        }

        private static let rest = "\r\nContent-Length: 3\r\n\r\nabc"
        private static let ok = "HTTP/1.1 200 OK\r\n"
        private static let end = "Content-Length: 3\r\n\r\nabc"

        private static let statusLines: [ResponseRow] = [
            .row(
                "a status line may have no reason phrase", "Go TestReadResponse, no reason", "HTTP/1.1 303" + rest,
                gives: "303 abc",
                keeps: true),
            .row(
                "a status below 100 is malformed", "hyper client_error_parse_status_out_of_range", "HTTP/1.1 099 Low" + rest,
                gives: "malformedResponse"),
            .row(
                "two spaces before the status are malformed", "Go issue 19989", "HTTP/1.1  200 OK" + rest,
                gives: "malformedResponse"),
            .row(
                "HTTP/2 in the status line is malformed", "hyper client_h1_rejects_http2", "HTTP/2.0 200 OK" + rest,
                gives: "malformedResponse"),
            .row("an ICY status line is malformed", "OkHttp shoutcast", "ICY 200 OK" + rest, gives: "malformedResponse"),
            .row(
                "a body without any head is malformed", "curl test1172", "<html>HTTP/0.9</html>", closes: true,
                gives: "malformedResponse"),
            .row(
                "an empty line before the status line is skipped", "hyper client_handles_contentlength_and_extra_crlf",
                "\r\n" + ok + end, gives: "200 abc", keeps: true),
            .row(
                "two empty lines before the status line are malformed", "RFC 9112 §2.2", "\r\n\r\n" + ok + end,
                gives: "malformedResponse"),
            .row(
                "an LF before the status line is malformed", "RFC 9112 §2.2", "\n" + ok + end, gives: "malformedResponse"),
            .row("no response at all is a lost connection", "curl test37", "", closes: true, gives: "connectionLost"),
            .row(
                "a head without the empty line after it is a lost connection", "curl test1665", ok + "Content-Length: 3\r\n",
                closes: true, gives: "connectionLost"),
        ]

        private static let interim: [ResponseRow] = [
            .row(
                "an unrequested 100 is skipped", "OkHttp serverRespondsWithUnsolicited100Continue",
                "HTTP/1.1 100 Continue\r\n\r\n" + ok + end, gives: "200 abc", keeps: true),
            .row(
                "the fields of a 103 are not part of the response", "OkHttp serverRespondsWithEarlyHints",
                "HTTP/1.1 103 Early Hints\r\nLink: <a>\r\nX: 1\r\n\r\n" + ok + "X: 2\r\n" + end, gives: "200 abc", keeps: true,
                fields: [("Link", []), ("X", ["2"])]),
            .row(
                "an unknown status below 200 is skipped", "curl test1115", "HTTP/1.1 199 Hm\r\n\r\n" + ok + end,
                gives: "200 abc", keeps: true),
            .row(
                "a length in a 100 is ignored", "RFC 9110 §15.2",
                "HTTP/1.1 100 Continue\r\nContent-Length: 9\r\nConnection: close\r\n\r\n" + ok + end, gives: "200 abc",
                keeps: true),
            .row(
                "a 100 and then the end of the connection is a lost connection", "OkHttp serverRespondsWith100ContinueOnly",
                "HTTP/1.1 100 Continue\r\n\r\n", closes: true, gives: "connectionLost"),
            .row(
                "a 100 followed by text that is not HTTP is malformed", "hyper client_100_then_http09",
                "HTTP/1.1 100 Continue\r\n\r\nThis is HTTP/0.9",
                closes: true, gives: "malformedResponse"),
            .row(
                "an endless sequence of interim responses is refused", "Go TestTransportLimits1xxResponses",
                String(repeating: "HTTP/1.1 103 Early\r\n\r\n", count: 65) + ok + end, gives: "headersTooLarge"),
            .row(
                "an unrequested 101 is malformed", "RFC 9110 §15.2.2",
                "HTTP/1.1 101 Switching\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n" + ok + end, gives: "malformedResponse"),
            .row(
                "a requested 101 is the response", "Go TestTransportTreat101Terminal",
                "HTTP/1.1 101 Switching\r\nUpgrade: chat\r\nConnection: Upgrade\r\n\r\nhello", headers: ["Upgrade": "chat"],
                closes: true, gives: "101 hello"),
            .row(
                "a requested upgrade may be refused with a 200", "curl test2303", ok + end,
                headers: ["Upgrade": "chat", "Connection": "Upgrade"], gives: "200 abc", keeps: true),
        ]

        private static let fieldLines: [ResponseRow] = [
            .row(
                "lines may end with LF alone", "hyper test_parse_accepts_lf_crlf_terminator",
                "HTTP/1.1 200 OK\nX: 1\nContent-Length: 3\n\nabc", gives: "200 abc", keeps: true, fields: [("x", ["1"])]),
            .row(
                "field names are case-insensitive, and each line of a name is returned", "OkHttp repeatedHeaderNames",
                ok + "X-A: 1\r\nx-a: 2\r\nX-A: 1\r\n" + end, gives: "200 abc", keeps: true, fields: [("X-a", ["1", "2", "1"])]),
            .row(
                "a folded value is one value", "curl test1274", ok + "X: one\r\n\ttwo\r\n   three\r\n" + end, gives: "200 abc",
                keeps: true, fields: [("X", ["one two three"])]),
            .row(
                "an empty field name is malformed", "OkHttp emptyResponseHeaderNameIsLenient", ok + ": A\r\n" + end,
                gives: "malformedResponse"),
            .row(
                "a space before the colon is malformed", "OkHttp responseHeaderNameWithSpacePermitted",
                ok + "X-A : 1\r\n" + end, gives: "malformedResponse"),
            .row(
                "bytes that are not UTF-8 are read as ISO-8859-1", "RFC 9110 §5.5", ok + "X: gr",
                body: Data([0xFC]) + Data("n\r\n\(end)".utf8), gives: "200 abc", keeps: true, fields: [("X", ["grün"])]),
            .row(
                "an endless status line is refused at the limit", "Go TestTransportResponseHeaderLength",
                "HTTP/1.1 200 " + String(repeating: "x", count: 3000), gives: "headersTooLarge",
                change: { $0.maximumHeaderBytes = 2000 }),
            .row(
                "too many field lines are refused at the limit", "Node maxHeadersCount",
                ok + String(repeating: "X: 1\r\n", count: 20) + end, gives: "headersTooLarge",
                change: { $0.maximumHeaderFields = 20 }),
            .row(
                "too many trailers are refused at the limit", "RFC 9112 §7.1.2",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n" + String(repeating: "X: 1\r\n", count: 21) + "\r\n",
                gives: "headersTooLarge", change: { $0.maximumHeaderFields = 20 }),
        ]
    }
#endif
