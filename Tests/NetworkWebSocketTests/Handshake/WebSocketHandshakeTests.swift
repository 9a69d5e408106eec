import Endpoints
import Foundation
import NetworkCore
import Testing

@testable import NetworkWebSocket

/// The checks of a client on the response of the server (RFC 6455 §4.1, RFC 7692 §7.1).
@Suite struct WebSocketHandshakeTests {
    private static let key = "dGhlIHNhbXBsZSBub25jZQ=="

    private static func handshake(_ change: (inout WebSocketOptions) -> Void = { _ in }) throws -> WebSocketHandshake {
        try WebSocketHandshake(WebSocketOptions(change), key: key)
    }

    private static func headers(_ changes: [(String, String?)] = []) -> HeaderFields {
        var fields = [
            ("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Accept", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="),
        ]
        for (name, _) in changes { fields.removeAll { $0.0 == name } }
        var headers = HeaderFields()
        for (name, value) in fields { headers.add(value, for: name) }
        for case (let name, let value?) in changes { headers.add(value, for: name) }
        return headers
    }

    // RFC 6455 §1.3.
    @Test func `the accept key is that of the RFC`() {
        #expect(WebSocketHandshake.accept(Self.key) == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    }

    @Test func `each handshake has a key of 16 bytes`() throws {
        let keys = try (0..<100).map { _ in try WebSocketHandshake(WebSocketOptions()).key }
        #expect(Set(keys).count == 100)
        #expect(keys.allSatisfy { Data(base64Encoded: $0)?.count == 16 })
    }

    @Test func `the request has the fields of the RFC, and offers what the options say`() throws {
        let plain = try Self.handshake().fields.map { "\($0.0): \($0.1)" }
        #expect(
            plain == ["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Key: \(Self.key)", "Sec-WebSocket-Version: 13"])
        let full = try Self.handshake {
            $0.subprotocols = ["chat", "super-chat"]
            $0.compression = WebSocketCompression {
                $0.clientForgets = true
                $0.serverForgets = true
            }
        }
        #expect(full.fields.first { $0.0 == "Sec-WebSocket-Protocol" }?.1 == "chat, super-chat")
        #expect(
            full.fields.first { $0.0 == "Sec-WebSocket-Extensions" }?.1
                == "permessage-deflate; client_max_window_bits; client_no_context_takeover; server_no_context_takeover")
    }

    @Test(
        arguments: [
            [], [("Upgrade", "WebSocket")], [("Upgrade", "h2c, websocket")], [("Connection", "keep-alive, UPGRADE")],
            [("Connection", "keep-alive"), ("Connection", "upgrade")],
            [("Sec-WebSocket-Accept", " s3pPLMBiTxaQ9kYGzzhZRbK+xOo= ")],
        ] as [[(String, String?)]])
    func `a response that is valid in another form is accepted`(changes: [(String, String?)]) throws {
        let (subprotocol, compression) = try Self.handshake().check(Self.headers(changes))
        #expect(subprotocol == nil && compression == nil)
    }

    @Test(
        arguments: [
            ([("Upgrade", nil)], "Upgrade"), ([("Upgrade", "h2c")], "Upgrade"), ([("Upgrade", "websockets")], "Upgrade"),
            ([("Connection", nil)], "Connection"), ([("Connection", "keep-alive")], "Connection"),
            ([("Sec-WebSocket-Accept", nil)], "Sec-WebSocket-Accept"), ([("Sec-WebSocket-Accept", "")], "Sec-WebSocket-Accept"),
            ([("Sec-WebSocket-Accept", key)], "Sec-WebSocket-Accept"),
            ([("Sec-WebSocket-Accept", "S3PPLMBITXAQ9KYGZZHZRBK+XOO=")], "Sec-WebSocket-Accept"),
            (
                [
                    ("Sec-WebSocket-Accept", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="),
                    ("Sec-WebSocket-Accept", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="),
                ],
                "Sec-WebSocket-Accept"
            ),
            ([("Sec-WebSocket-Protocol", "chat")], "Sec-WebSocket-Protocol"),
            ([("Sec-WebSocket-Extensions", "permessage-deflate")], "Sec-WebSocket-Extensions"),
            ([("Sec-WebSocket-Extensions", "x-unknown")], "Sec-WebSocket-Extensions"),
        ] as [([(String, String?)], String)])
    func `an invalid response is an error that names the field`(changes: [(String, String?)], field: String) throws {
        let handshake = try Self.handshake()
        let error = #expect(throws: WebSocketError.self) { try handshake.check(Self.headers(changes)) }
        #expect(error?.code == .invalidHandshake)
        #expect(error?.message.hasPrefix(field + ": ") == true)
    }

    @Test func `the subprotocol is one of those that were offered`() throws {
        let handshake = try Self.handshake { $0.subprotocols = ["chat", "other"] }
        #expect(try handshake.check(Self.headers([("Sec-WebSocket-Protocol", "other")])).subprotocol == "other")
        #expect(try handshake.check(Self.headers()).subprotocol == nil)
        let refused: [[(String, String?)]] = [
            [("Sec-WebSocket-Protocol", "Chat")], [("Sec-WebSocket-Protocol", "")], [("Sec-WebSocket-Protocol", "chat, other")],
            [("Sec-WebSocket-Protocol", "chat"), ("Sec-WebSocket-Protocol", "other")],
        ]
        for changes in refused {
            let error = #expect(throws: WebSocketError.self) { try handshake.check(Self.headers(changes)) }
            #expect(error?.code == .invalidHandshake)
        }
    }

    @Test(
        arguments: [
            ("permessage-deflate", false, false, 15), ("Permessage-Deflate ; client_no_context_takeover", true, false, 15),
            ("permessage-deflate; server_no_context_takeover; client_max_window_bits=9", false, true, 9),
            ("permessage-deflate; client_max_window_bits=\"12\"; server_max_window_bits=8", false, false, 12),
            // zlib has no window of 8 bits: messages are sent without compression, which is always permitted.
            ("permessage-deflate; client_max_window_bits=8", false, false, nil),
        ] as [(String, Bool, Bool, Int?)])
    func `the parameters of compression are agreed on`(value: String, sends: Bool, receives: Bool, bits: Int?) throws {
        let handshake = try Self.handshake { $0.compression = WebSocketCompression() }
        let agreed = try #require(try handshake.check(Self.headers([("Sec-WebSocket-Extensions", value)])).1)
        #expect(agreed.sendsWithoutContext == sends && agreed.receivesWithoutContext == receives && agreed.windowBits == bits)
    }

    @Test(arguments: [
        "x-unknown", "permessage-deflate, x-unknown", "permessage-deflate, permessage-deflate",
        "permessage-deflate; client_max_window_bits", "permessage-deflate; client_max_window_bits=7",
        "permessage-deflate; client_max_window_bits=16", "permessage-deflate; server_max_window_bits=",
        "permessage-deflate; server_max_window_bits=+9", "permessage-deflate; client_max_window_bits=09",
        "permessage-deflate; server_no_context_takeover=1", "permessage-deflate; unknown", "permessage-deflate;",
        "permessage-deflate; client_no_context_takeover; client_no_context_takeover",
    ]) func `an extension that was not offered so is refused`(value: String) throws {
        let handshake = try Self.handshake { $0.compression = WebSocketCompression() }
        let error = #expect(throws: WebSocketError.self) {
            try handshake.check(Self.headers([("Sec-WebSocket-Extensions", value)]))
        }
        #expect(error?.code == .invalidHandshake)
        #expect(error?.message.hasPrefix("Sec-WebSocket-Extensions: ") == true)
    }

    @Test func `a server must reset its context if that was requested`() throws {
        let handshake = try Self.handshake { $0.compression = WebSocketCompression { $0.serverForgets = true } }
        #expect(throws: WebSocketError.self) {
            try handshake.check(Self.headers([("Sec-WebSocket-Extensions", "permessage-deflate")]))
        }
    }

    @Test(
        arguments: [
            { $0.maximumMessageBytes = 124 }, { $0.maximumMessageBytes = 0 }, { $0.pingInterval = .zero },
            { $0.pingTimeout = .zero },
            { $0.idleTimeout = .seconds(-1) }, { $0.totalTimeout = .zero }, { $0.closeTimeout = .microseconds(1) },
            { $0.subprotocols = ["a b"] }, { $0.subprotocols = ["a\r\nX-Injected: 1"] }, { $0.subprotocols = [""] },
            { $0.subprotocols = ["a,b"] }, { $0.subprotocols = ["a", "a"] },
            { $0.compression = WebSocketCompression { $0.level = 0 } },
            { $0.compression = WebSocketCompression { $0.level = 10 } },
        ] as [@Sendable (inout WebSocketOptions) -> Void])
    func `an invalid option is a configuration error`(change: @Sendable (inout WebSocketOptions) -> Void) {
        let error = #expect(throws: WebSocketError.self) { try Self.handshake(change) }
        #expect(error?.code == .invalidConfiguration)
    }
}
