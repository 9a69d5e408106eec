import Testing

@testable import NetworkEngine

extension SOCKSHandshakeTests {
    /// What a proxy sends, and the result: each message follows one of the client.
    struct Reply: Sendable, CustomTestStringConvertible {
        var version = Version.v5
        var hasCredentials = false
        let messages: [[UInt8]]
        /// `nil` if the proxy has connected.
        let refusal: ProxyRefusal?
        var testDescription: String { "\(version) \(messages)" }

        /// The reply of SOCKS 5 to the request to connect.
        init(_ reply: [UInt8], _ refusal: String? = nil, isTemporary: Bool = false) {
            messages = [[5, 0], reply]
            self.refusal = refusal.map { ProxyRefusal("the SOCKS proxy has responded with \($0)", isTemporary: isTemporary) }
        }

        init(
            _ version: Version, _ messages: [[UInt8]], hasCredentials: Bool = false, _ refusal: String?, isTemporary: Bool = false
        ) {
            (self.version, self.messages, self.hasCredentials) = (version, messages, hasCredentials)
            self.refusal = refusal.map { ProxyRefusal("the SOCKS proxy \($0)", isTemporary: isTemporary) }
        }
    }

    private static let rest: [UInt8] = [0, 1, 0, 0, 0, 0, 0, 0]
    private static let connected: [UInt8] = [5, 0] + rest
    private static let refused = "accepts no client without credentials"

    static let replies = [
        // RFC 1928 §6: the address to which the proxy is bound has any of the three types.
        Reply(connected), Reply([5, 0, 0, 1, 192, 0, 2, 1, 255, 255]), Reply([5, 0, 0, 3, 1, 97, 0, 80]),
        Reply([5, 0, 0, 3, 255] + Array(repeating: 97, count: 255) + [1, 187]),
        Reply([5, 0, 0, 3, 5, 0, 1, 2, 3, 255, 0, 0]),
        Reply([5, 0, 0, 4] + Array(repeating: 255, count: 16) + [0, 0]),
        // Other clients accept any reserved byte, too.
        Reply([5, 0, 1] + rest.dropFirst()), Reply([5, 0, 255, 3, 1, 97, 0, 0]),
        // RFC 1928 §6, each of the codes.
        Reply([5, 1] + rest, "1 (general failure)", isTemporary: true),
        Reply([5, 2] + rest, "2 (connection not allowed by ruleset)"),
        Reply([5, 3] + rest, "3 (network unreachable)", isTemporary: true),
        Reply([5, 4] + rest, "4 (host unreachable)", isTemporary: true),
        Reply([5, 5] + rest, "5 (connection refused)", isTemporary: true),
        Reply([5, 6] + rest, "6 (TTL expired)", isTemporary: true),
        Reply([5, 7] + rest, "7 (command not supported)"), Reply([5, 8] + rest, "8 (address type not supported)"),
        Reply([5, 9] + rest, "9 (unknown reply code)"), Reply([5, 255] + rest, "255 (unknown reply code)"),
        // A failure needs no address.
        Reply([5, 5], "5 (connection refused)", isTemporary: true),
        Reply([5, 2, 9, 9, 9], "2 (connection not allowed by ruleset)"),
        // Malformed replies.
        Reply([4, 0] + rest, "version 4 of the protocol instead of 5"), Reply([0, 90], "version 0 of the protocol instead of 5"),
        Reply([5, 0, 0, 0, 0, 0], "address type 0 instead of 1, 3 or 4"),
        Reply([5, 0, 0, 2], "address type 2 instead of 1, 3 or 4"),
        Reply([5, 0, 0, 5], "address type 5 instead of 1, 3 or 4"),
        Reply([5, 0, 0, 255], "address type 255 instead of 1, 3 or 4"),
        Reply([5, 0, 0, 3, 0, 0, 80], "an address whose name is empty"),
        // RFC 1928 §3: the method that the proxy chooses.
        Reply(.v5, [[5, 0], connected], hasCredentials: true, nil),
        Reply(.v5, [[5, 255]], refused),
        Reply(.v5, [[5, 255]], hasCredentials: true, "accepts no user name and password, and no client without them"),
        Reply(.v5, [[5, 2]], "requires authentication method 2, which was not offered"),
        Reply(.v5, [[5, 1]], hasCredentials: true, "requires authentication method 1, which was not offered"),
        Reply(.v5, [[5, 128]], "requires authentication method 128, which was not offered"),
        Reply(.v5, [[4, 0]], "has responded with version 4 of the protocol instead of 5"),
        Reply(.v5, [[0, 91, 0, 0]], "has responded with version 0 of the protocol instead of 5"),
        Reply(.v5, [Array("HTTP/1.1 400 Bad Request\r\n".utf8)], "has responded with version 72 of the protocol instead of 5"),
        // RFC 1929 §2: the reply to user name and password.
        Reply(.v5, [[5, 2], [1, 0], connected], hasCredentials: true, nil),
        Reply(.v5, [[5, 2], [1, 1]], hasCredentials: true, "does not accept user name and password (status 1)"),
        Reply(.v5, [[5, 2], [1, 255]], hasCredentials: true, "does not accept user name and password (status 255)"),
        Reply(
            .v5, [[5, 2], [5, 0]], hasCredentials: true,
            "has responded with version 5 for user name and password instead of 1"),
        Reply(
            .v5, [[5, 2], [1, 0], [5, 6] + rest], hasCredentials: true, "has responded with 6 (TTL expired)", isTemporary: true),
        // SOCKS 4: the version of a reply is 0, and port and address have no meaning.
        Reply(.v4a, [[0, 90, 0, 0, 0, 0, 0, 0]], nil), Reply(.v4a, [[0, 90, 255, 1, 2, 3, 4, 5]], hasCredentials: true, nil),
        Reply(.v4a, [[0, 91] + rest.suffix(6)], "has responded with 91 (request rejected or failed)", isTemporary: true),
        Reply(.v4a, [[0, 92] + rest.suffix(6)], "has responded with 92 (the proxy cannot connect to identd on the client)"),
        Reply(.v4a, [[0, 93] + rest.suffix(6)], "has responded with 93 (identd on the client reports another user)"),
        Reply(.v4a, [[0, 91]], "has responded with 91 (request rejected or failed)", isTemporary: true),
        Reply(.v4a, [[0, 0] + rest.suffix(6)], "has responded with 0 (unknown reply code)"),
        Reply(.v4a, [[0, 94]], "has responded with 94 (unknown reply code)"),
        Reply(.v4a, [[4, 90] + rest.suffix(6)], "has responded with version 4 of the protocol instead of 0"),
        Reply(.v4a, [[5, 255]], "has responded with version 5 of the protocol instead of 0"),
    ]

    @Test(arguments: replies)
    func `a reply has the same result however it is split`(reply: Reply) {
        let handshake =
            reply.hasCredentials ? Self.make(reply.version, username: "user", password: "pass") : Self.make(reply.version)
        for cut in ProxyConversation.cuts {
            let outcome = ProxyConversation.outcome(handshake, reply.messages, cut)
            #expect(outcome.refusal == reply.refusal, "\(cut)")
            #expect((outcome.last == .connected) == (reply.refusal == nil), "\(cut)")
        }
    }
}
