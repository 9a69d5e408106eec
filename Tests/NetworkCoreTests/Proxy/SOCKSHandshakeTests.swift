import Testing
import TransferTestSupport

@testable import NetworkEngine

/// The handshake with a SOCKS proxy (RFC 1928, RFC 1929).
struct SOCKSHandshakeTests {
    typealias Version = SOCKSHandshake.Version

    static func make(
        _ version: Version = .v5, _ target: ProxyTarget = .name("a.example"), port: UInt16 = 443, username: String? = nil,
        password: String? = nil
    ) -> SOCKSHandshake {
        SOCKSHandshake(kind: version, target: target, port: port, username: username, password: password)
    }

    // MARK: Requests

    struct Request: Sendable, CustomTestStringConvertible {
        let handshake: SOCKSHandshake
        let replies: [[UInt8]]
        let sent: [[UInt8]]
        var testDescription: String { "\(sent)" }

        init(_ handshake: SOCKSHandshake, replies: [[UInt8]] = [], sent: [[UInt8]]) {
            (self.handshake, self.replies, self.sent) = (handshake, replies, sent)
        }
    }

    private static let ipv6: [UInt8] = [0x20, 0x01, 0x0D, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]
    private static let ab = make(username: "a", password: "bc")

    static let requests = [
        // SOCKS 4: VN CD DSTPORT DSTIP USERID NULL.
        Request(make(.v4, .address([192, 0, 2, 1])), sent: [[4, 1, 1, 187, 192, 0, 2, 1, 0]]),
        Request(make(.v4, .address([192, 0, 2, 1]), port: 80, username: "ab"), sent: [[4, 1, 0, 80, 192, 0, 2, 1, 97, 98, 0]]),
        Request(make(.v4, .address([0, 0, 0, 0]), username: "", password: "x"), sent: [[4, 1, 1, 187, 0, 0, 0, 0, 0]]),
        Request(make(.v4a, .address([192, 0, 2, 1]), port: 65535), sent: [[4, 1, 255, 255, 192, 0, 2, 1, 0]]),
        // SOCKS 4A: the address 0.0.0.1, and the name after the user.
        Request(make(.v4a, .name("a.b")), sent: [[4, 1, 1, 187, 0, 0, 0, 1, 0, 97, 46, 98, 0]]),
        Request(make(.v4a, .name("a"), username: "u"), sent: [[4, 1, 1, 187, 0, 0, 0, 1, 117, 0, 97, 0]]),
        // RFC 1928 §3, §4: VER NMETHODS METHODS; VER CMD RSV ATYP DST.ADDR DST.PORT.
        Request(make(.v5, .name("a.b")), replies: [[5, 0]], sent: [[5, 1, 0], [5, 1, 0, 3, 3, 97, 46, 98, 1, 187]]),
        Request(
            make(.v5, .address([192, 0, 2, 1]), port: 80), replies: [[5, 0]],
            sent: [[5, 1, 0], [5, 1, 0, 1, 192, 0, 2, 1, 0, 80]]),
        Request(make(.v5, .address(ipv6)), replies: [[5, 0]], sent: [[5, 1, 0], [5, 1, 0, 4] + ipv6 + [1, 187]]),
        Request(
            make(.v5, .name(String(repeating: "a", count: 255))), replies: [[5, 0]],
            sent: [[5, 1, 0], [5, 1, 0, 3, 255] + Array(repeating: 97, count: 255) + [1, 187]]),
        // The proxy needs no credentials.
        Request(
            make(.v5, .name("h"), username: "a", password: "b"), replies: [[5, 0]],
            sent: [[5, 2, 0, 2], [5, 1, 0, 3, 1, 104, 1, 187]]),
        // RFC 1929 §2: VER ULEN UNAME PLEN PASSWD.
        Request(
            make(.v5, .name("h"), username: "a", password: "bc"), replies: [[5, 2], [1, 0]],
            sent: [[5, 2, 0, 2], [1, 1, 97, 2, 98, 99], [5, 1, 0, 3, 1, 104, 1, 187]]),
        Request(make(username: "a"), replies: [[5, 2]], sent: [[5, 2, 0, 2], [1, 1, 97, 0]]),
        Request(
            make(username: String(repeating: "ü", count: 127), password: String(repeating: "p", count: 255)), replies: [[5, 2]],
            sent: [
                [5, 2, 0, 2],
                [1, 254] + Array(String(repeating: "ü", count: 127).utf8) + [255] + Array(repeating: 112, count: 255),
            ]),
    ]

    @Test(arguments: requests)
    func `messages have the layout of their specification`(request: Request) {
        for cut in ProxyConversation.cuts {
            #expect(ProxyConversation.outcome(request.handshake, request.replies, cut).sent == request.sent)
        }
    }

    private static let long = String(repeating: "x", count: 256)

    @Test(arguments: [
        (make(.v4), "SOCKS 4 supports IPv4 addresses only, not names (SOCKS 4A does)"),
        (make(.v4, .address(ipv6)), "SOCKS 4 does not support IPv6 addresses"),
        (make(.v4a, .address(ipv6)), "SOCKS 4 does not support IPv6 addresses"),
        (
            make(.v4, .address([0, 0, 0, 7])),
            "SOCKS 4 does not support the address 0.0.0.7, which means a name in SOCKS 4A"
        ),
        (make(.v5, .address([1, 2, 3])), "an IP address has 4 or 16 bytes, not 3"),
        (make(.v4, .address([])), "an IP address has 4 or 16 bytes, not 0"),
        (make(.v5, .name("")), "the host name for the SOCKS proxy has 0 bytes, instead of 1 to 255"),
        (make(.v5, .name(long)), "the host name for the SOCKS proxy has 256 bytes, instead of 1 to 255"),
        (make(.v4a, .name(long)), "the host name for the SOCKS proxy has 256 bytes, instead of 1 to 255"),
        (make(.v4a, .name("a\0b")), "the host name for the SOCKS proxy contains a space or a control character"),
        (make(.v5, .name("a b")), "the host name for the SOCKS proxy contains a space or a control character"),
        (make(username: ""), "the user name for the SOCKS proxy has 0 bytes, instead of 1 to 255"),
        (make(username: long, password: "p"), "the user name for the SOCKS proxy has 256 bytes, instead of 1 to 255"),
        (make(username: "u", password: long), "the password for the SOCKS proxy has 256 bytes, instead of 0 to 255"),
        (make(.v4a, username: long), "the user name for the SOCKS proxy has 256 bytes, instead of 0 to 255"),
        (make(.v4a, username: "secret\0user"), "the user name for the SOCKS proxy contains a NUL"),
    ])
    func `what the protocol cannot express is refused before anything is sent`(handshake: SOCKSHandshake, message: String) {
        let outcome = ProxyConversation.outcome(handshake, [])
        #expect(outcome.sent.isEmpty && outcome.refusal == ProxyRefusal(message))
    }

    @Test func `a description contains no credentials`() {
        var text = ""
        dump(Self.make(username: "some-user", password: "some-password"), to: &text)
        #expect(!text.contains("some-"))
    }

    // MARK: The end and other bytes

    @Test(
        arguments: [
            (Self.make(), [], "without a reply to the offered authentication methods", true),
            (make(), [[5]], "before the end of its reply to the offered authentication methods", true),
            (ab, [[5, 2]], "without a reply to user name and password", false),
            (ab, [[5, 2], [1]], "before the end of its reply to user name and password", false),
            (ab, [[5, 2], [1, 0]], "without a reply to the request to connect", true),
            (make(), [[5, 0], [5, 0, 0, 1, 0]], "before the end of its reply to the request to connect", true),
            (make(.v4a), [], "without a reply to the request to connect", true),
            (make(.v4a), [[0, 90, 0]], "before the end of its reply to the request to connect", true),
            (make(.v4a), [[0, 90, 0, 0, 0, 0, 0, 0]], "after its reply", true),
        ] as [(SOCKSHandshake, [[UInt8]], String, Bool)])
    func `a connection that is closed early is reported with its place`(
        handshake: SOCKSHandshake, replies: [[UInt8]], place: String, isTemporary: Bool
    ) {
        for cut in ProxyConversation.cuts {
            let refusal = ProxyConversation.outcome(handshake, replies, cut, ends: true).refusal
            #expect(
                refusal == ProxyRefusal("the SOCKS proxy has closed the connection \(place)", isTemporary: isTemporary), "\(cut)")
        }
    }

    @Test(
        arguments: [
            (make(), [[5, 0, 5]], 1), (make(), [[5, 0], [5, 0, 0, 1, 1, 2, 3, 4, 0, 80, 72, 84]], 2), (ab, [[5, 2, 1, 0]], 2),
            (ab, [[5, 2], [1, 0, 5, 0, 0]], 3), (make(.v4a), [[0, 90, 0, 0, 0, 0, 0, 0, 1]], 1),
            // The client has not sent anything to the server yet.
            (make(.v4a), [[0, 90, 0, 0, 0, 0, 0, 0], [1, 2]], 2),
        ] as [(SOCKSHandshake, [[UInt8]], Int)])
    func `bytes after a reply are refused`(handshake: SOCKSHandshake, replies: [[UInt8]], count: Int) {
        let message = "the proxy has sent \(count) \(count == 1 ? "byte" : "bytes") after its reply"
        #expect(ProxyConversation.outcome(handshake, replies).refusal == ProxyRefusal(message))
    }

    @Test func `no input has another result if it is split, or makes the client read without end`() {
        var random = SeededGenerator(seed: 1928)
        for _ in 0..<runs(3000, slow: 60_000) {
            let handshake = random.pick([Self.make(), Self.ab, Self.make(.v4a), Self.make(.v4, .address([1, 2, 3, 4]))])
            let length = 1 + random.below(300)
            let isNearlyValid = random.chance(70)
            let reply = (0..<length).map { _ in isNearlyValid ? UInt8(random.below(6)) : UInt8(random.below(256)) }
            let bytes = ProxyConversation.outcome(handshake, [reply], .bytes)
            // The longest conversation: method, credentials, reply.
            #expect(bytes.refusal != nil || bytes.steps.last == .connected || length < 2 + 2 + 262)
            guard bytes.steps.isEmpty else { continue }
            #expect(ProxyConversation.outcome(handshake, [reply]) == bytes)
        }
    }
}
