import Endpoints
import Foundation
import Testing

@testable import NetworkTransport

struct TrustTableTests {
    private func subject(_ url: String, _ hosts: [String]) throws -> String {
        let table = try TrustTable(
            SessionConfiguration {
                for host in hosts { $0.trustByHost[host] = TrustPolicy(minimumTLSVersion: .v1_3) }
            })
        return try table.trust(for: NetworkRequest(url: try #require(URL(string: url)))).subject
    }

    @Test(arguments: [
        ("https://a.example", "a.example"), ("https://A.EXAMPLE:8443/x", "a.example"), ("https://a.example./", "a.example"),
        ("https://b.example", nil), ("https://xa.example", nil), ("http://a.example", nil),
        ("https://x.star.example", "*.star.example"), ("https://exact.star.example", "exact.star.example"),
        ("https://star.example", nil), ("https://x.y.star.example", nil), ("https://10.0.0.1", "10.0.0.1"),
        ("https://[::1]:8443/", "::1"), ("https://[0:0::1]/", "::1"), ("https://[::2]/", nil),
    ])
    func `the policy of a host is found for each spelling of the host name`(url: String, host: String?) throws {
        let hosts = ["a.example", "*.star.example", "exact.star.example", "10.0.0.1", "::1"]
        #expect(try subject(url, hosts) == host.map { "trustByHost[\"\($0)\"]" } ?? "trust")
        #expect(try subject(url, []) == "trust")
    }

    @Test(arguments: ["https://10.1", "https://0x0a000001", "https://10.0.0.01", "https://1", "https://a..example"])
    func `an ambiguous host name is an error if there are policies for hosts`(url: String) throws {
        do {
            _ = try subject(url, ["10.0.0.1"])
            Issue.record("\(url) has a policy")
        } catch let error as TransportError {
            #expect(error.code == .trustUnavailable)
        }
        #expect(try subject(url, []) == "trust")
    }

    @Test(arguments: [
        ("a.example", "a.example"), ("A.Example.", "a.example"), ("a%2Eexample", "a.example"), ("%61.example", "a.example"),
        ("127.0.0.1", "127.0.0.1"), ("[::FFFF]", "::ffff"), ("::1", "::1"), ("xn--bcher-kva.example", "xn--bcher-kva.example"),
        ("0x7f.example", "0x7f.example"), ("", nil), (".", nil), ("a b", nil), ("bücher.example", nil), ("127.1", nil),
        ("0x7f000001", nil), ("256.0.0.1", nil), ("127.0.0.0x1", nil), ("[::1%25lo]", nil), ("[::1", nil), ("a:1", nil),
        ("*", nil),
        ("a%00b", nil), ("a%2", nil), ("a@b", nil), ("a/b", nil),
    ])
    func `a host name has one canonical form, or is invalid`(text: String, expected: String?) {
        #expect(HostName.canonical(text[...]) == expected)
    }

    @Test(arguments: [
        "", "a b", "a.example:443", "https://a.example", "bücher.example", "*", "*.", "*.*.a", "*.10.0.0.1", "10.1", "a..b",
    ])
    func `a policy for an invalid host name is an error`(host: String) {
        #expect(throws: TransportError.self) { try subject("https://a.example", [host]) }
    }

    @Test func `two policies for one host are an error`() {
        #expect(throws: TransportError.self) { try subject("https://a.example", ["a.example", "A.example."]) }
    }
}
