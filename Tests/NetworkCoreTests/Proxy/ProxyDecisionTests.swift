import Testing

@testable import NetworkTransport

struct ProxyDecisionTests {
    private static func decision(
        _ proxy: ProxyConfiguration = .environment, _ scheme: String = "http", _ host: String = "a.example", port: Int = 80,
        _ environment: [String: String] = [:]
    ) throws -> String {
        try proxy.server(scheme: scheme, host: host, port: port) { environment[$0] }.map {
            [$0.description, $0.username, $0.password].compactMap(\.self).joined(separator: " ")
        } ?? "direct"
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let scheme: String
        let environment: [String: String]
        let expected: String
        var testDescription: String { "\(scheme) \(environment)" }

        init(_ scheme: String, _ environment: [String: String], _ expected: String) {
            (self.scheme, self.environment, self.expected) = (scheme, environment, expected)
        }
    }

    /// The variables of libcurl-env(3), in the order of libcurl's `detect_proxy`.
    private static let variables = [
        Row("http", [:], "direct"), Row("https", [:], "direct"),
        Row("http", ["http_proxy": "p:1"], "http://p:1"), Row("https", ["http_proxy": "p:1"], "direct"),
        Row("https", ["https_proxy": "p:1"], "http://p:1"), Row("http", ["https_proxy": "p:1", "HTTPS_PROXY": "p:1"], "direct"),
        // In a CGI program, this variable contains the client's `Proxy` field.
        Row("http", ["HTTP_PROXY": "p:1"], "direct"), Row("https", ["HTTPS_PROXY": "p:1"], "http://p:1"),
        Row("https", ["https_proxy": "p:1", "HTTPS_PROXY": "p:2"], "http://p:1"),
        Row("http", ["all_proxy": "p:1", "ALL_PROXY": "p:2"], "http://p:1"), Row("https", ["ALL_PROXY": "p:2"], "http://p:2"),
        Row("http", ["http_proxy": "p:1", "all_proxy": "p:2"], "http://p:1"),
        Row("https", ["HTTPS_PROXY": "p:1", "all_proxy": "p:2"], "http://p:1"),
        // A variable with an empty value is set.
        Row("http", ["http_proxy": "", "all_proxy": "p:1"], "direct"),
        Row("https", ["https_proxy": "", "HTTPS_PROXY": "p:1"], "direct"),
        Row("http", ["all_proxy": "", "ALL_PROXY": "p:1"], "direct"),
        Row("http", ["http_proxy": "p:1", "no_proxy": "a.example"], "direct"),
        Row("http", ["http_proxy": "p:1", "NO_PROXY": "b, example"], "direct"),
        Row("http", ["http_proxy": "p:1", "no_proxy": "", "NO_PROXY": "a.example"], "http://p:1"),
        Row("http", ["http_proxy": "p:1", "no_proxy": "b.example", "NO_PROXY": "a.example"], "http://p:1"),
        Row("http", ["http_proxy": "p:1", "no_proxy": "a.example:80"], "direct"),
        Row("https", ["all_proxy": "socks5h://u:p%40@[::1]", "no_proxy": "b"], "socks5h://[::1]:1080 u p@"),
    ]

    @Test(arguments: variables) func `the proxy variables of the environment are read as in libcurl`(row: Row) throws {
        #expect(try Self.decision(.environment, row.scheme, row.environment) == row.expected)
        #expect(try Self.decision(.none, row.scheme, row.environment) == "direct")
        #expect(
            try Self.decision(.http(host: "x", port: 9), row.scheme, row.environment) == "http://x:9",
            "the environment is not used")
    }

    private static func decision(
        _ proxy: ProxyConfiguration, _ scheme: String, _ environment: [String: String]
    ) throws -> String {
        try decision(proxy, scheme, "a.example", environment)
    }

    @Test func `only the necessary environment variables are read`() throws {
        var names: [String] = []
        func lookUp(_ name: String) -> String? {
            names.append(name)
            return nil
        }
        _ = try ProxyConfiguration.none.server(scheme: "http", host: "h", port: 80, environment: lookUp)
        _ = try ProxyConfiguration.socks5(host: "h", port: 1).server(scheme: "http", host: "h", port: 80, environment: lookUp)
        #expect(names.isEmpty)
        _ = try ProxyConfiguration.environment.server(scheme: "http", host: "h", port: 80, environment: lookUp)
        #expect(names == ["http_proxy", "all_proxy", "ALL_PROXY"])
    }

    @Test func `an explicit proxy is used unchanged, and an IPv6 host is stored without brackets`() throws {
        func url(_ proxy: ProxyConfiguration) throws -> String { try Self.decision(proxy, "https") }
        #expect(try url(.http(host: "p.example", port: 3128)) == "http://p.example:3128")
        #expect(try url(.http(host: "::1", port: 1, username: "u:", password: "p@")) == "http://[::1]:1 u: p@")
        #expect(try url(.http(host: "[::1]", port: 1, username: "u")) == "http://[::1]:1 u ")
        #expect(try url(.socks5(host: "p", port: 1)) == "socks5h://p:1")
        #expect(try url(.socks5(host: "p", port: 1, username: "u", resolvesNamesThere: false)) == "socks5://p:1 u ")
        let same = try ProxyConfiguration.http(host: "[::1]", port: 1).server(scheme: "http", host: "h", port: 80) { _ in nil }
        #expect(same == ProxyServer(kind: .http, host: "::1", port: 1))
    }

    @Test func `excluded hosts are reached without a proxy`() throws {
        let excluded = ["other.example", "127.0.0.0/8", "[fd00::1]:8080"]
        for proxy in [
            ProxyConfiguration.http(host: "p", port: 1, excludedHosts: excluded),
            .socks5(host: "p", port: 1, excludedHosts: excluded),
        ] {
            #expect(try Self.decision(proxy, "http", "127.0.0.1") == "direct")
            #expect(try Self.decision(proxy, "http", "www.OTHER.example.") == "direct")
            #expect(try Self.decision(proxy, "http", "[fd00::1]", port: 8080) == "direct")
            #expect(try Self.decision(proxy, "http", "[fd00::1]") != "direct")
            #expect(try Self.decision(proxy, "http", "a.example", ["no_proxy": "*"]) != "direct", "the environment is not used")
        }
        #expect(try Self.decision(.http(host: "p", port: 1, excludedHosts: ["*"])) == "direct")
    }

    @Test(arguments: ["http://u:canary@h:port", "canary://h", "u:canary@h\n"])
    func `an invalid variable is an error that names the variable, except for an excluded host`(value: String) throws {
        let error = #expect(throws: TransportError.self) { try Self.decision(.environment, "https", ["HTTPS_PROXY": value]) }
        #expect(error?.code == .invalidConfiguration && error?.message.hasPrefix("proxy: ") == true)
        #expect(error?.message.contains("HTTPS_PROXY") == true && error?.message.contains("canary") == false)
        #expect(try Self.decision(.environment, "https", ["https_proxy": value, "no_proxy": "*"]) == "direct")
        #expect(try Self.decision(.environment, "http", ["https_proxy": value]) == "direct")
    }
}
