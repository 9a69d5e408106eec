import Endpoints
import Foundation
import NetworkTesting
import Testing

@testable import NetworkEngine
@testable import NetworkTransport
@testable import NetworkURLSession

struct HTTPVersionChoiceTests {
    private func rule(_ url: String, _ hosts: [String: HTTPVersionChoice]) throws -> HTTPVersionRule {
        let table = try HTTPVersionTable(SessionConfiguration { $0.httpVersionByHost = hosts })
        return try table.rule(for: NetworkRequest(url: try #require(URL(string: url))))
    }

    @Test(
        arguments: [
            ("https://a.example", .http1), ("http://A.EXAMPLE:8080/x", .http1), ("https://a.example.", .http1),
            ("https://b.example", .automatic), ("https://x.star.example", .http2), ("https://exact.star.example", .http1),
            ("https://star.example", .automatic), ("https://x.y.star.example", .automatic), ("http://10.0.0.1:1", .http2),
            ("https://[::1]:8443/", .http2), ("https://[0:0::1]/", .http2), ("https://[::2]/", .automatic),
        ] as [(String, HTTPVersionRule)])
    func `the choice of a host is found for each spelling of the host name and for both schemes`(
        url: String, expected: HTTPVersionRule
    ) throws {
        let hosts: [String: HTTPVersionChoice] = [
            "a.example": .http1, "*.star.example": .http2, "exact.star.example": .http1, "10.0.0.1": .http2, "::1": .http2,
        ]
        #expect(try rule(url, hosts) == expected)
        #expect(try rule(url, [:]) == .automatic)
    }

    @Test func `an ambiguous host name is an error if there are choices for hosts`() throws {
        let error = #expect(throws: TransportError.self) { try rule("https://10.1", ["10.0.0.1": .http2]) }
        #expect(error?.code == .unsupported && error?.message.contains("httpVersionByHost") == true)
        #expect(try rule("https://10.1", [:]) == .automatic)
    }

    @Test(arguments: ["", "a b", "a.example:443", "https://a.example", "bücher.example", "*", "*.*.a", "*.10.0.0.1", "10.1"])
    func `a choice for an invalid host name is an error that names it`(host: String) throws {
        let error = #expect(throws: TransportError.self) {
            try SessionConfiguration { $0.httpVersionByHost[host] = .http2 }.validate()
        }
        #expect(error?.code == .invalidConfiguration && error?.message.contains("httpVersionByHost[\"\(host)\"]") == true)
    }

    @Test func `two choices for one host are an error`() {
        #expect(throws: TransportError.self) {
            try SessionConfiguration { $0.httpVersionByHost = ["a.example": .http1, "A.example.": .http2] }.validate()
        }
    }

    @Test(arguments: ["", "h2", "HTTP2", "http2 ", "2", "http9"])
    func `an unknown choice is an error that names the property and the known choices`(name: String) {
        let choice = HTTPVersionChoice(rawValue: name)
        for (subject, configuration) in [
            ("httpVersion is", SessionConfiguration { $0.httpVersion = choice }),
            ("httpVersionByHost[\"a\"] is", SessionConfiguration { $0.httpVersionByHost["a"] = choice }),
        ] {
            let error = #expect(throws: TransportError.self) { try configuration.validate() }
            #expect(error?.code == .invalidConfiguration)
            #expect(error?.message.contains(subject) == true && error?.message.contains("http1, http2") == true)
        }
    }

    @Test func `every known choice is valid`() throws {
        for choice in HTTPVersionChoice.known {
            try SessionConfiguration { $0.httpVersion = choice }.validate()
            #expect(choice == HTTPVersionChoice(rawValue: choice.description))
        }
    }

    @Test func `URLSession refuses each required version, and accepts each preference`() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        for choice in HTTPVersionChoice.known {
            for configuration in [
                SessionConfiguration { $0.httpVersion = choice }, SessionConfiguration { $0.httpVersionByHost["::1"] = choice },
            ] {
                let session = URLSessionManager(configuration: configuration)
                let request = NetworkRequest(url: server.url)
                guard choice.isRequirement else {
                    #expect(try await session.response(for: request).statusCode == 200)
                    continue
                }
                let error = await #expect(throws: TransportError.self) { try await session.response(for: request) }
                #expect(error?.code == .httpVersionUnavailable && error?.message.contains("\(choice)") == true)
            }
        }
    }

    #if os(Linux)
        @Test func `without QUIC, a request that requires it is not sent, and one that prefers it uses TCP`() async throws {
            // With QUIC, the tests with real servers use it.
            guard TLSPolicy.quicFailure != nil else { return }
            let request = NetworkRequest(url: try #require(URL(string: "https://127.0.0.1:1/")))
            let requiring = SocketSessionManager(configuration: SessionConfiguration { $0.httpVersion = .http3 })
            let error = await #expect(throws: TransportError.self) { try await requiring.response(for: request) }
            #expect(error?.code == .httpVersionUnavailable && error?.message.contains("OpenSSL") == true)
            #expect(error?.message.contains("3.5") == true)
            let preferring = SocketSessionManager(configuration: SessionConfiguration { $0.httpVersion = .http3Preferred })
            let refusal = await #expect(throws: TransportError.self) { try await preferring.response(for: request) }
            #expect(refusal?.code == .cannotConnect)
        }

        @Test func `HTTP 3 needs https, a library with QUIC, and no upgrade`() throws {
            let secure = NetworkRequest(url: try #require(URL(string: "https://a.example")))
            let plain = NetworkRequest(url: try #require(URL(string: "http://a.example")))
            for request in [secure, plain] {
                for rule in [HTTPVersionRule.automatic, .http1, .http2, .http3Preferred, .http3Advertised] {
                    try rule.admit(request) { "OpenSSL 3.0 is too old" }
                }
            }
            try HTTPVersionRule.http3.admit(secure) { nil }
            for (request, failure, words) in [(secure, "OpenSSL 3.0 is too old", "3.0 is too old"), (plain, nil, "https only")] {
                let error = #expect(throws: TransportError.self) { try HTTPVersionRule.http3.admit(request) { failure } }
                #expect(error?.code == .httpVersionUnavailable && error?.message.contains(words) == true)
            }
        }
    #endif
}
