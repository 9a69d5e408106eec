import Foundation
import NetworkCore
import NetworkLogging
import TestSupport
import Testing

@testable import NetworkTransport

struct ErrorTextTests {
    private func texts(_ error: TransportError) -> String {
        var dumped = ""
        dump(error, to: &dumped)
        return
            "\(error) \(String(reflecting: error)) \(error.message) \(error.request ?? "") \(error.localizedDescription) \(dumped)"
    }

    @Test func `an error with a text of any length takes no time to make, and a bounded time to print`() throws {
        let hostile = String(repeating: "digest+", count: 1 << 20)
        let request = NetworkRequest(
            url: try #require(URL(string: "https://host.test/\(String(repeating: "digest+", count: 40_000))")))
        let time = processorTime {
            for _ in 0..<1000 { _ = TransportError(.redirectRefused, hostile, request: request) }
            #expect(texts(TransportError(.redirectRefused, hostile, request: request)).utf8.count < 200_000)
        }
        #expect(time < .seconds(10))
    }

    @Test func `a secret is redacted that is added after the error was made, also where the text is cut`() async {
        await #expect(processExitsWith: .success) {
            let secret = "late-Secret-0123456789"
            let padding = String(repeating: "x ", count: 2040)
            let errors = [TransportError(.other, "a \(secret) b"), TransportError(.other, padding + secret + padding)]
            SecretValues.insert(secret)
            for error in errors {
                #expect(!"\(error) \(error.message)".contains("late-") && error.message.contains("<redacted>"))
            }
        }
    }

    @Test func `control characters of a peer are escaped in every text of an error`() {
        let error = TransportError(.other, "a\r\n[network] forged\u{1B}[2J\u{202E}\u{2028} Bearer abcdef")
        #expect(!"\(error) \(error.message)".unicodeScalars.contains { $0.value < 0x20 || [0x202E, 0x2028].contains($0.value) })
        #expect(!texts(error).contains("abcdef"))
    }

    @Test func `the password of a proxy from the environment is redacted where the proxy returns it`() throws {
        _ = try ProxyServer(parsing: "http://bob:Proxy%2BPass-81@proxy.test:3128")
        let basic = Data("bob:Proxy+Pass-81".utf8).base64EncodedString()
        let text = Redaction.default.redacted(text: "denied: Proxy+Pass-81, Proxy%2BPass-81, \(basic)")
        #expect(text.hasPrefix("denied: <redacted>, <redacted>, ") && !text.contains(basic.suffix(12)), "\(text)")
    }

    @Test func `credentials of a request that was not made from an endpoint are redacted`() throws {
        var request = NetworkRequest(url: try #require(URL(string: "https://bob:Userinfo-Pass-82@host.test/")))
        request.headers["X-Api-Key"] = "Header-Key-Value-83"
        _ = try request.prepared()
        #expect(Redaction.default.redacted(text: "Userinfo-Pass-82 Header-Key-Value-83") == "<redacted> <redacted>")
    }

    @Test func `a cURL command without redaction shows all, and the record of a request shows a logger no secret`() throws {
        var request = NetworkRequest(url: try #require(URL(string: "https://host.test/?token=canary-1")))
        request.headers = ["Authorization": "Bearer canary-2", "X-Note": "token=canary-3"]
        let text = CurlCommand(request.logged, redaction: nil).text
        for number in 1...3 { #expect(text.contains("canary-\(number)")) }
        #expect(!CurlCommand(request.logged).text.contains("canary"))
        let record = request.logged
        var dumped = ""
        dump(record, to: &dumped)
        #expect(!"\(record.headers.map(\.value)) \(record.header("authorization") ?? "") \(dumped)".contains("canary"))
    }

    @Test func `a cookie of a server is redacted if it looks like a credential, and a word is not`() throws {
        let store = CookieStore()
        let url = try #require(URL(string: "https://shop.test/"))
        let fields = ["sid=Cookie-Value-0123456789", "env=production-environment-name"]
        store.receive(fields, from: try #require(CookieLocation(url)))
        #expect(
            Redaction.default.redacted(text: "Cookie-Value-0123456789 production-environment-name")
                == "<redacted> production-environment-name")
    }
}
