import Endpoints
import Foundation
import Testing
import TransferTestSupport

import NetworkCore
@testable import NetworkTransport
@testable import NetworkURLSession

struct RouteOptionsTests {
    typealias Change = @Sendable (inout RouteOptions) -> Void

    static let invalid: [(String, Change)] = [
        ("addresses", { $0.addresses = ["": ["1.2.3.4"]] }), ("addresses", { $0.addresses = ["a": []] }),
        ("addresses", { $0.addresses = ["a": ["b"]] }), ("addresses", { $0.addresses = ["a": ["1.2.3.4:80"]] }),
        ("addresses", { $0.addresses = ["a": ["[::1]"]] }), ("addresses", { $0.addresses = ["a": ["fe80::1%eth0"]] }),
        ("addresses", { $0.addresses = ["a": ["127.1"]] }), ("addresses", { $0.addresses = ["a": ["1.2.3.4\u{0}"]] }),
        ("addresses", { $0.addresses = ["1.2.3.4": ["1.2.3.4"]] }), ("addresses", { $0.addresses = ["::1": ["1.2.3.4"]] }),
        ("addresses", { $0.addresses = ["a:0": ["1.2.3.4"]] }), ("addresses", { $0.addresses = ["a:65536": ["1.2.3.4"]] }),
        ("addresses", { $0.addresses = ["a:": ["1.2.3.4"]] }), ("addresses", { $0.addresses = ["a:b": ["1.2.3.4"]] }),
        ("addresses", { $0.addresses = ["a/b": ["1.2.3.4"]] }), ("addresses", { $0.addresses = ["a\n": ["1.2.3.4"]] }),
        ("addresses", { $0.addresses = ["A": ["1.2.3.4"], "a.": ["1.2.3.4"]] }),
        ("addresses", { $0.addresses = ["a": Array(repeating: "1.2.3.4", count: 17)] }),
        ("addresses", { $0.addresses = Dictionary(uniqueKeysWithValues: (0..<1001).map { ("h\($0)", ["1.2.3.4"]) }) }),
        (
            "addresses",
            {
                $0.addresses = ["a": ["1.2.3.4"]]
                $0.family = .ipv6
            }
        ),
        ("localAddress", { $0.localAddress = .address("localhost") }),
        ("localAddress", { $0.localAddress = .address("fe80::1%lo") }),
        ("localAddress", { $0.localAddress = .interface("") }),
        ("localAddress", { $0.localAddress = .interface("sixteen-bytes-xx") }),
        ("localAddress", { $0.localAddress = .interface("a/b") }), ("localAddress", { $0.localAddress = .interface("a\u{0}") }),
        (
            "localAddress",
            {
                $0.localAddress = .address("127.0.0.1")
                $0.family = .ipv6
            }
        ),
        ("keepAliveProbes.idle", { $0.keepAliveProbes = .init(idle: .milliseconds(999)) }),
        ("keepAliveProbes.interval", { $0.keepAliveProbes = .init(interval: .seconds(32_768)) }),
        ("keepAliveProbes.maximumProbes", { $0.keepAliveProbes = .init(maximumProbes: 0) }),
        ("keepAliveProbes.maximumProbes", { $0.keepAliveProbes = .init(maximumProbes: 128) }),
        ("nameServer", { $0.nameServer = .https(URL(string: "http://dns.example/")!) }),
        ("nameServer", { $0.nameServer = .https(URL(string: "https://u@dns.example/")!) }),
        ("nameServer", { $0.nameServer = .https(URL(string: "https://dns.example/#f")!) }),
        ("nameServer", { $0.nameServer = .https(URL(fileURLWithPath: "/x")) }),
    ]

    @Test(arguments: invalid.indices) func `an invalid value is an error that names it`(index: Int) async throws {
        let (name, change) = Self.invalid[index]
        let error = #expect(throws: TransportError.self) { try RouteOptions(change).validate() }
        #expect(error?.code == .invalidConfiguration && error?.message.hasPrefix("route.\(name)") == true, "\(error as Any)")
        let session = DefaultSessionManager(configuration: SessionConfiguration { $0.route = RouteOptions(change) })
        let request = NetworkRequest(url: try #require(URL(string: "http://127.0.0.1:1/")))
        #expect(try await failure(of: session, request).code == .invalidConfiguration)
    }

    static let changes: [Change] = [
        { $0.addresses = ["a": ["1.2.3.4"]] }, { $0.family = .ipv4 }, { $0.localAddress = .address("127.0.0.1") },
        { $0.keepAliveProbes = .init() }, { $0.nameServer = .https(URL(string: "https://dns.example/")!) },
    ]

    @Test(arguments: changes.indices) func `URLSession supports none of the options`(index: Int) async throws {
        let session = URLSessionManager(configuration: SessionConfiguration { Self.changes[index](&$0.route) })
        let error = try await failure(of: session, NetworkRequest(url: try #require(URL(string: "http://127.0.0.1:1/"))))
        #expect(error.code == .invalidConfiguration && error.message.hasPrefix("route"), "\(error)")
    }

    @Test func `addresses are those of the host and port, without the addresses of another family`() throws {
        let overrides = try AddressOverrides(
            RouteOptions {
                $0.addresses = ["API.example": ["1.2.3.4", "::1"], "api.example:8443": ["5.6.7.8"]]
            })
        #expect(overrides.addresses(of: "api.example", port: 443) == ["1.2.3.4", "::1"])
        #expect(overrides.addresses(of: "api.example.", port: 8443) == ["5.6.7.8"])
        for other in ["x.api.example", "example", "127.0.0.1", "[::1]", ""] {
            #expect(overrides.addresses(of: other, port: 443) == nil)
        }
        let ipv6 = try AddressOverrides(
            RouteOptions {
                $0.addresses = ["a": ["1.2.3.4", "::1"]]
                $0.localAddress = .address("::1")
            })
        #expect(ipv6.addresses(of: "a", port: 1) == ["::1"])
    }
}
