import NetworkLogging
import Testing
import TransferTestSupport

@testable import NetworkEngine

// Credentials, the end of the connection, and bytes that are no response.
extension ConnectTunnelTests {
    private static func headOf407(_ fields: String) -> String { "HTTP/1.1 407 Proxy Authentication Required\r\n\(fields)\r\n" }

    @Test(arguments: [
        ("", ""), ("Proxy-Authenticate: Basic realm=\"a\"\r\n", ""), ("Proxy-Authenticate: Digest a=b, bAsIc realm=c\r\n", ""),
        ("Proxy-Authenticate: Negotiate\r\nproxy-authenticate: NTLM, Basic\r\n", ""), ("WWW-Authenticate: Digest\r\n", ""),
        ("Proxy-Authenticate: Digest realm=\"a, Basic b\", qop = \"auth\", Negotiate\r\n", "Digest, Negotiate"),
        ("Proxy-Authenticate: Negotiate abc==\r\nProxy-Authenticate: NTLM\r\n", "Negotiate, NTLM"),
        ("Proxy-Authenticate: ,, =, \"x\" , a/b, NTLM ,\r\n", "NTLM"),
        ("Proxy-Authenticate: " + (1...30).map { "s\($0)" }.joined(separator: ",") + "\r\n", "s1, s2, s3, s4, s5, s6, s7, s8"),
    ])
    func `status 407 says what is missing (RFC 9110 §11.7)`(fields: String, schemes: String) {
        for (authorization, text) in [(nil, "requires credentials"), ("Basic dTpw", "does not accept the credentials")] {
            let message = "the proxy \(text) (407)" + (schemes.isEmpty ? "" : "; it names the schemes \(schemes), but not Basic")
            for cut in ProxyConversation.cuts {
                let outcome = Self.outcome(Self.make(authorization: authorization), Self.headOf407(fields), cut)
                #expect(outcome.refusal == ProxyRefusal(message), "\(cut)")
            }
        }
    }

    @Test(arguments: [
        ("HTTP/1.1 403 for dXNlcjpzZWNyZXQ=\r\n\r\n", "the proxy has responded to CONNECT with 403"),
        ("HTTP/1.1 407 x\r\nProxy-Authenticate: dXNlcjpzZWNyZXQ=\r\n\r\n", "the proxy does not accept the credentials (407)"),
        ("HTTP/1.1 407 x\r\nProxy-Authenticate: dXNlcjpzZWNyZXQ, A\r\n\r\n", "the proxy does not accept the credentials (407)"),
        ("HTTP/1.1 2x0 dXNlcjpzZWNyZXQ=\r\n\r\n", "the proxy's response to CONNECT is malformed"),
        ("HTTP/1.1 200 OK\r\ndXNlcjpzZWNyZXQ=: 1\r\n\r\n", "the proxy's response to CONNECT is malformed"),
    ])
    func `credentials that a proxy sends back are in no message`(response: String, message: String) {
        let tunnel = Self.make(authorization: "Basic dXNlcjpzZWNyZXQ=")
        #expect(Self.outcome(tunnel, response).refusal == ProxyRefusal(message))
        var text = ""
        dump(tunnel, to: &text)
        #expect(!text.contains("dXNlcjpz"))
    }

    @Test func `a reason phrase is shortened, and the password of the proxy is redacted in it`() {
        let long = Self.outcome(Self.make(), "HTTP/1.1 403 \(String(repeating: "x", count: 3000))\r\n\r\n")
        #expect((long.refusal?.message.utf8.count ?? .max) < 160)
        SecretValues.insert(userInformation: "user:tunnel-password")
        let echoed = Self.outcome(Self.make(), "HTTP/1.1 403 not with tunnel-password\r\n\r\n")
        #expect(echoed.refusal?.message.contains("not with") == true && echoed.refusal?.message.contains("tunnel-") == false)
    }

    @Test(arguments: [
        ("", "without a response to CONNECT"), ("H", "before the end of its response to CONNECT"),
        ("HTTP/1.1 200 OK\r\nA: b\r\n", "before the end of its response to CONNECT"),
        ("HTTP/1.1 103 x\r\n\r\n", "before the end of its response to CONNECT"),
        ("HTTP/1.1 200 OK\r\n\r\n", "after its response to CONNECT"),
    ])
    func `a closed connection is reported with its place, and the same request may pass later`(response: String, place: String) {
        for cut in ProxyConversation.cuts {
            let refusal = Self.outcome(Self.make(), response, cut, ends: true).refusal
            #expect(refusal == ProxyRefusal("the proxy has closed the connection \(place)", isTemporary: true), "\(cut)")
        }
    }

    @Test func `bytes after the head of a successful response are refused`() {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n"
        for (rest, text) in [("a", "1 byte"), ("abc", "3 bytes")] {
            let refusal = ProxyRefusal("the proxy has sent \(text) after its reply")
            #expect(Self.outcome(Self.make(), head + rest).refusal == refusal)
            // The client has not sent anything to the server yet.
            let later = ProxyConversation.outcome(Self.make(), [Array(head.utf8), [], Array(rest.utf8)])
            #expect(later.refusal == refusal && later.steps == [.connected, .connected])
        }
    }

    @Test func `no random bytes have another result if they are split`() {
        var random = SeededGenerator(seed: 9110)
        let parts = [
            "HTTP/1.1 ", "200 OK", "\r\n", "\r\n\r\n", "407 x", "Proxy-Authenticate: ", "Digest a=\"", "Content-Length: ", "103 ",
            ":", ",", "\n", " ", "HTTP/1.1 200\r\n", "\u{1}",
        ]
        for _ in 0..<runs(3000, slow: 60_000) {
            var bytes: [UInt8] = random.chance(80) ? Array("HTTP/1.1 ".utf8) : []
            for _ in 0..<random.below(12) {
                bytes += random.chance(90) ? Array(random.pick(parts).utf8) : [UInt8(random.below(256))]
            }
            let whole = ProxyConversation.outcome(Self.make(authorization: "Basic dTpw", maximumHeaderBytes: 60), [bytes])
            let split = ProxyConversation.outcome(Self.make(authorization: "Basic dTpw", maximumHeaderBytes: 60), [bytes], .bytes)
            // Only if the head was complete, further bytes have another meaning.
            if split.steps.isEmpty {
                #expect(whole == split)
            } else {
                #expect(whole == split || whole.refusal?.message.hasSuffix("after its reply") == true)
            }
        }
    }
}
