import Foundation
import TestSupport
import Testing

@testable import Endpoints

struct URLHostTests {
    private func request(_ text: String) throws -> NetworkRequest { NetworkRequest(url: try #require(URL(string: text))) }

    @Test func `a request has its host decoded once and in lower case, whatever its spelling`() throws {
        let rows = [
            ("http://loc%61lhost/%61", "http://localhost/%61"), ("HTTP://U:P@EX%41mple.COM:80?A", "HTTP://U:P@example.com:80?A"),
            ("http://127%2E0%2e0.%31", "http://127.0.0.1"), ("http://[FE80::1%25Eth0]:81/A", "http://[fe80::1%25Eth0]:81/A"),
            ("http://ex%C3%A4mple.de/x", "http://xn--exmple-cua.de/x"), ("http://EX%C3%84MPLE.de/", "http://xn--exmple-cua.de/"),
            ("http://a_b%2Dc%7E./", "http://a_b-c~./"), ("http://A/B", "http://a/B"),
        ]
        for (text, sent) in rows {
            var request = try request(text)
            #expect(request.urlText == sent && request.origin == URLText(sent).origin && URLText(text).origin == request.origin)
            #expect(throws: Never.self) { try request.validate() }
            request.url = try #require(URL(string: "http://other/"))
            request.url = try #require(URL(string: text))
            #expect(request.urlText == sent)
            var configuration = try APIConfiguration.make()
            configuration.baseURL = try #require(URL(string: String(text.prefix { $0 != "?" && $0 != "#" })))
            #expect(try Endpoint.make("x").networkRequest(with: configuration).origin == request.origin, "\(text)")
            #expect(
                try Endpoint.make(text, isFullPath: true).networkRequest(with: APIConfiguration.make()).origin == request.origin,
                "\(text)")
        }
    }

    @Test func `each encoded byte is either part of a name or refused`() throws {
        let names = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~".utf8)
        for byte in UInt8.min...UInt8.max {
            let encoded = "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            for host in ["a\(encoded)b", "a%25\(encoded.dropFirst())b", "[fe80::1%25\(encoded)]"] {
                guard let url = URL(string: "http://\(host)/") else { continue }
                let request = NetworkRequest(url: url)
                let isName = names.contains(byte) && !host.hasPrefix("a%25")
                let isValid = (try? request.validate()) != nil
                #expect(isValid == isName, "\(host)")
                if isName, host.first == "a" {
                    #expect(request.urlText == "http://a\(Character(UnicodeScalar(byte)))b/".lowercased())
                } else if !isName {
                    #expect { try request.validate() } throws: { "\($0)".contains("in its host") }
                }
            }
        }
    }

    @Test func `random spellings of a host have one origin`() throws {
        var generator = SeededGenerator(seed: 32)
        for _ in 0..<2_000 {
            let bytes = "abcxyz019-._~".utf8
            let name = (0..<Int.random(in: 1...12, using: &generator)).map { _ in bytes.randomElement(using: &generator) ?? 0 }
            let spelling = name.map { byte in
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: "%" + String(byte, radix: 16)
                case 1: "%" + String(byte, radix: 16).uppercased()
                case 2: String(UnicodeScalar(byte)).uppercased()
                default: String(UnicodeScalar(byte))
                }
            }
            let plain = try request("http://\(String(decoding: name, as: UTF8.self)):81/")
            let other = try request("http://\(spelling.joined()):81/")
            #expect(
                other.urlText == plain.urlText && other.origin == plain.origin
                    && other.parsedURL.isPlain == plain.parsedURL.isPlain)
        }
    }
}
