import Foundation
import Testing

@testable import NetworkTransport

struct ProxyServerTests {
    /// A text, and the proxy that has to be parsed from it.
    struct Row: Sendable, CustomTestStringConvertible {
        let text: String
        let server: ProxyServer
        var testDescription: String { text }

        init(
            _ text: String, _ kind: ProxyServer.Kind, _ host: String, _ port: Int, _ username: String? = nil,
            _ password: String? = nil, socketPath: String = ""
        ) {
            self.text = text
            server = ProxyServer(
                kind: kind, host: host, port: port, username: username, password: password, socketPath: socketPath)
        }
    }

    /// CURLOPT_PROXY(3), and the comments of libcurl's `parse_proxy`.
    private static let table = [
        Row("proxy.example:3128", .http, "proxy.example", 3128), Row("proxy.example", .http, "proxy.example", 1080),
        Row("proxy.example:", .http, "proxy.example", 1080), Row("proxy.example:3128/", .http, "proxy.example", 3128),
        Row("http://proxy.example:1", .http, "proxy.example", 1),
        Row("HTTP://Proxy.Example:65535", .http, "Proxy.Example", 65535),
        Row("http://proxy.example", .http, "proxy.example", 1080), Row("https://proxy.example", .https, "proxy.example", 443),
        Row("https://proxy.example:8443/a?b#c", .https, "proxy.example", 8443),
        Row("proxy.example:080", .http, "proxy.example", 80), Row("proxy.example?a:b", .http, "proxy.example", 1080),
        Row("socks4://h", .socks4, "h", 1080), Row("socks4a://h", .socks4a, "h", 1080), Row("socks://h", .socks4, "h", 1080),
        Row("socks5://h:9", .socks5, "h", 9), Row("SOCKS5H://h", .socks5h, "h", 1080),
        // From this name, libcurl would guess a scheme that it then refuses.
        Row("ftp.example:3128", .http, "ftp.example", 3128),
        Row("127.0.0.1:8080", .http, "127.0.0.1", 8080), Row("[::1]:3128", .http, "::1", 3128), Row("[::1]", .http, "::1", 1080),
        Row("socks5h://[2001:DB8::1]/", .socks5h, "2001:DB8::1", 1080), Row("[fe80::1%25eth0]:1", .http, "fe80::1%eth0", 1),
        Row("[fe80::1%eth0]:1", .http, "fe80::1%eth0", 1), Row("[fe80::1%25]:1", .http, "fe80::1%25", 1),
        Row("http://user:p%40ss@host:1/", .http, "host", 1, "user", "p@ss"), Row("u@h", .http, "h", 1080, "u", ""),
        Row("u:@h", .http, "h", 1080, "u", ""), Row(":p@h", .http, "h", 1080, "", "p"), Row("@h", .http, "h", 1080, "", ""),
        Row("u:p:q@h:2", .http, "h", 2, "u", "p:q"), Row("u%3a:p@q@h", .http, "h", 1080, "u:", "p@q"),
        Row("u:p%@h", .http, "h", 1080, "u", "p%"), Row("u:p%4@h", .http, "h", 1080, "u", "p%4"),
        Row("u:%zz%2541@h", .http, "h", 1080, "u", "%zz%41"), Row("u:%C3%A4ä@h", .http, "h", 1080, "u", "ää"),
        Row("bücher.example:1", .http, "bücher.example", 1),
        Row("socks5h://localhost/run/a.sock", .socks5h, "localhost", 1080, socketPath: "/run/a.sock"),
        Row("socks5h://u:p@localhost/a%20b", .socks5h, "localhost", 1080, "u", "p", socketPath: "/a%20b"),
        Row("socks5h://localhost/", .socks5h, "localhost", 1080), Row("socks5h://h/path", .socks5h, "h", 1080),
        Row("http://localhost/path", .http, "localhost", 1080),
    ]

    @Test(arguments: table) func `the text of a proxy is parsed into its parts`(row: Row) throws {
        #expect(try ProxyServer(parsing: row.text).parts == row.server.parts)
    }

    @Test(
        arguments: [
            ("ftp://canary@h", "scheme"), ("canary://h", "scheme"), ("http4://h", "scheme"), ("://h", "scheme"),
            ("u:canary://x@h:1", "scheme"), ("", "host is missing"), ("http://", "host is missing"),
            ("u:canary@", "host is missing"),
            ("http://:3128", "host is missing"), ("/canary", "host is missing"), ("u:canary#x@h:1", "port"), ("h:canary", "port"),
            ("h:0", "port"), ("h:65536", "port"), ("h:99999999999999999999", "port"), ("h:+1", "port"), ("h:-1", "port"),
            ("h:1:2", "port"),
            ("::1", "host is missing"), ("fe80::1:3128", "port"), ("[::1]x", "followed by"), ("[::1", "closing bracket"),
            ("[]", "IPv6"), ("[127.0.0.1]:1", "IPv6"), ("[canary]", "IPv6"), ("[fe80::1%a/b]", "closing bracket"),
            ("[fe80::1%a^]", "IPv6"),
            ("h%61:1", "host is not valid"), ("a\\b", "host is not valid"), ("<h>", "host is not valid"),
            ("a]b", "host is not valid"),
            ("u:canary @h", "space"), (" h:1", "space"), ("h:1\n", "space"), ("h\u{7F}", "space"), ("h\u{0}", "space"),
            ("u:canary%0a@h", "control character"), ("u%00:canary@h", "control character"), ("u:canary%ff@h", "UTF-8"),
        ])
    func `text that is not a valid proxy is refused, and the error does not contain the text`(text: String, reason: String) {
        let error = #expect(throws: ProxySyntaxError.self) { try ProxyServer(parsing: text) }
        #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
        #expect(error?.description.contains("canary") == false)
    }

    @Test func `an HTTP proxy receives requests in absolute-form and Basic credentials`() {
        for kind in [ProxyServer.Kind.http, .https] {
            let server = ProxyServer(kind: kind, host: "h", port: 1, username: "u:", password: "p@")
            #expect(server.takesAbsoluteForm)
            #expect(server.authorization == "Basic " + Data("u::p@".utf8).base64EncodedString())
            #expect(ProxyServer(kind: kind, host: "h", port: 1).authorization == nil)
        }
        for kind in [ProxyServer.Kind.socks4, .socks4a, .socks5, .socks5h] {
            let server = ProxyServer(kind: kind, host: "h", port: 1, username: "u", password: "p")
            #expect(!server.takesAbsoluteForm && server.authorization == nil, "SOCKS has its own credentials (RFC 1929)")
        }
    }

    @Test func `descriptions contain no credentials`() {
        let server = ProxyServer(kind: .http, host: "h", port: 1, username: "canary", password: "canary")
        var dumped = ""
        dump(server, to: &dumped)
        #expect(!(dumped + "\(server)" + String(reflecting: server)).contains("canary"))
        #expect("\(server)" == "http://h:1")
    }
}

extension ProxyServer {
    /// All parts, for the messages of tests: the description contains no credentials.
    fileprivate var parts: [String] {
        [kind.rawValue, host, "\(port)", username ?? "none", password ?? "none", socketPath]
    }
}
