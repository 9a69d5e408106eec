import Testing

@testable import NetworkEngine

/// The handshake with an HTTP proxy (RFC 9110 §9.3.6).
struct ConnectTunnelTests {
    static func make(
        host: String = "a.example", port: Int = 443, authorization: String? = nil, userAgent: String? = nil,
        maximumHeaderBytes: Int = 4096, maximumHeaderFields: Int = 20
    ) -> ConnectTunnel {
        ConnectTunnel(
            host: host, port: port, authorization: authorization, userAgent: userAgent, maximumHeaderBytes: maximumHeaderBytes,
            maximumHeaderFields: maximumHeaderFields)
    }

    static func outcome(
        _ tunnel: ConnectTunnel, _ response: String, _ cut: ProxyConversation.Cut = .whole, ends: Bool = false
    ) -> ProxyConversation.Outcome {
        ProxyConversation.outcome(tunnel, [Array(response.utf8)], cut, ends: ends)
    }

    // MARK: Requests

    @Test(arguments: [
        (make(), "CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n"),
        (make(host: "192.0.2.1", port: 80), "CONNECT 192.0.2.1:80 HTTP/1.1\r\nHost: 192.0.2.1:80\r\n\r\n"),
        (make(host: "2001:db8::1", port: 1), "CONNECT [2001:db8::1]:1 HTTP/1.1\r\nHost: [2001:db8::1]:1\r\n\r\n"),
        (make(host: "::ffff:192.0.2.1"), "CONNECT [::ffff:192.0.2.1]:443 HTTP/1.1\r\nHost: [::ffff:192.0.2.1]:443\r\n\r\n"),
        // A zone has a meaning on the client's machine only.
        (make(host: "fe80::1%eth0"), "CONNECT [fe80::1]:443 HTTP/1.1\r\nHost: [fe80::1]:443\r\n\r\n"),
        (
            make(authorization: "Basic dTpw", userAgent: "x/1 (y)"),
            "CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\nProxy-Authorization: Basic dTpw\r\nUser-Agent: x/1 (y)\r\n\r\n"
        ),
        (make(authorization: "", userAgent: ""), "CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n"),
    ])
    func `the request has the authority-form (RFC 9112 §3.2.3)`(tunnel: ConnectTunnel, request: String) {
        let outcome = ProxyConversation.outcome(tunnel, [])
        #expect(outcome.sent == [Array(request.utf8)] && outcome.refusal == nil)
    }

    @Test(arguments: [
        (make(host: ""), "the host \"\" is not one of a URL (RFC 3986 §3.2.2)"),
        (make(host: "a\r\nX: b"), "the host \"a\\r\\nX: b\" is not one of a URL (RFC 3986 §3.2.2)"),
        (make(host: "a/b"), "the host \"a/b\" is not one of a URL (RFC 3986 §3.2.2)"),
        (make(host: "[::1]"), "the host \"[::1]\" is not one of a URL (RFC 3986 §3.2.2)"),
        (make(host: "a:1@b"), "the host \"a:1@b\" is not one of a URL (RFC 3986 §3.2.2)"),
        (make(port: 0), "the port 0 is not a number from 1 to 65535"),
        (make(port: 65536), "the port 65536 is not a number from 1 to 65535"),
        (make(authorization: "Basic x\r\nA: b"), "the value of Proxy-Authorization for the proxy contains a control character"),
        (make(userAgent: "x\ny"), "the value of User-Agent for the proxy contains a control character"),
    ])
    func `an invalid value is refused before anything is sent`(tunnel: ConnectTunnel, message: String) {
        let outcome = ProxyConversation.outcome(tunnel, [])
        #expect(outcome.sent.isEmpty && outcome.refusal == ProxyRefusal(message))
    }

    // MARK: Responses

    struct Row: Sendable, CustomTestStringConvertible {
        let response: String
        /// `nil` if the proxy has connected.
        let refusal: ProxyRefusal?
        var testDescription: String { response.debugDescription }

        /// The refusal contains the response's status and reason.
        init(_ response: String, _ status: String? = nil, isTemporary: Bool = false) {
            self.response = response
            refusal = status.map { ProxyRefusal("the proxy has responded to CONNECT with \($0)", isTemporary: isTemporary) }
        }

        init(_ response: String, message: String) {
            self.response = response
            refusal = ProxyRefusal(message)
        }
    }

    private static let malformed = "the proxy's response to CONNECT is malformed: "

    static let responses = [
        // RFC 9110 §9.3.6: any 2xx means that there is a tunnel, and fields about a body are ignored.
        Row("HTTP/1.1 200 OK\r\n\r\n"), Row("HTTP/1.0 200 Connection established\r\n\r\n"), Row("HTTP/1.1 200\r\n\r\n"),
        Row("HTTP/1.1 204 No Content\r\nServer: x\r\n\r\n"), Row("HTTP/1.1 299 ?\n\n"),
        Row("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"), Row("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
        Row("HTTP/1.1 200 OK\r\nContent-Length: x\r\nContent-Length: 7\r\n\r\n"),
        Row("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip,\r\n chunked\r\nConnection: close\r\n\r\n"),
        Row("\r\nHTTP/1.1 200 OK\r\n\r\n"),
        // Interim responses are skipped.
        Row("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: a\r\n\r\nHTTP/1.1 200 OK\r\n\r\n"),
        Row(String(repeating: "HTTP/1.1 102 P\r\n\r\n", count: 64) + "HTTP/1.1 200 OK\r\n\r\n"),
        Row(
            String(repeating: "HTTP/1.1 102 P\r\n\r\n", count: 65) + "HTTP/1.1 200 OK\r\n\r\n",
            message: "the proxy's response to CONNECT is too large: there are more than 64 interim responses before the final one"
        ),
        Row("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nabc", "101 (Switching Protocols)"),
        // Statuses after which the same request may pass later.
        Row("HTTP/1.1 408 Request Timeout\r\n\r\n", "408 (Request Timeout)", isTemporary: true),
        Row("HTTP/1.1 429 Too Many Requests\r\nRetry-After: 1\r\n\r\n", "429 (Too Many Requests)", isTemporary: true),
        Row("HTTP/1.1 500 Internal\r\n\r\n", "500 (Internal)", isTemporary: true),
        Row("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 3\r\n\r\nabc", "502 (Bad Gateway)", isTemporary: true),
        Row("HTTP/1.0 503 Service Unavailable\r\n\r\n<html>", "503 (Service Unavailable)", isTemporary: true),
        Row("HTTP/1.1 504\r\n\r\n", "504", isTemporary: true),
        // All others.
        Row("HTTP/1.1 301 Moved\r\nLocation: /\r\n\r\n", "301 (Moved)"),
        Row("HTTP/1.1 400 Bad Request\r\n\r\n", "400 (Bad Request)"),
        Row("HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic\r\n\r\n", "401 (Unauthorized)"),
        Row("HTTP/1.1 403 Forbidden\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", "403 (Forbidden)"),
        Row("HTTP/1.1 404 Not Found\r\n\r\n", "404 (Not Found)"), Row("HTTP/1.1 405 \r\n\r\n", "405"),
        Row("HTTP/1.1 418 a\u{202E}b\r\n\r\n", "418 (a\\u{202E}b)"),
        Row("HTTP/1.1 501 Not Implemented\r\n\r\n", "501 (Not Implemented)"),
        Row("HTTP/1.1 999 x\r\n\r\n", "999 (x)"),
        // Malformed responses.
        Row("HTTP/2 200\r\n\r\n", message: malformed + "the response does not begin with HTTP/1.0 or HTTP/1.1"),
        Row("\u{5}\u{0}", message: malformed + "the response does not begin with HTTP/1.0 or HTTP/1.1"),
        Row("HTTP/1.1 2x0 OK\r\n", message: malformed + "\"HTTP/1.1 2x0 OK\" is not a status line of HTTP/1.0 or HTTP/1.1"),
        Row("HTTP/1.1 200 OK\r\nA B: 1\r\n", message: malformed + "the field name \"A B\" is not a token"),
        Row("HTTP/1.1 200 OK\r\nA: \u{1}\r\n", message: malformed + "the field \"A\" has a control character"),
        Row(
            "HTTP/1.1 200 OK\r\nA: " + String(repeating: "x", count: 4096),
            message: "the proxy's response to CONNECT is too large: "
                + "the response head, with interim responses and trailers, is larger than 4096 bytes (maximumHeaderBytes)"),
        Row(
            "HTTP/1.1 200 OK\r\n" + String(repeating: "A: 1\r\n", count: 21) + "\r\n",
            message: "the proxy's response to CONNECT is too large: "
                + "the response head, or its trailers, have more than 20 field lines (maximumHeaderFields)"),
    ]

    @Test(arguments: responses)
    func `a response has the same result however it is split`(row: Row) {
        for cut in ProxyConversation.cuts {
            let outcome = Self.outcome(Self.make(), row.response, cut)
            #expect(outcome.refusal == row.refusal, "\(cut)")
            #expect((outcome.last == .connected) == (row.refusal == nil), "\(cut)")
        }
    }
}
