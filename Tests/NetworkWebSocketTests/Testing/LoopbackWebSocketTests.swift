import Endpoints
import Foundation
import NetworkCore
import NetworkTesting
import NetworkWebSocket
import TransferTestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct LoopbackWebSocketTests {
    private static func echo(
        compression: WebSocketCompression? = nil, faults: [LoopbackWebSocketFault] = []
    ) throws -> LoopbackServer {
        try LoopbackServer {
            LoopbackRoute.webSocket("/live/{room}", subprotocols: ["chat", "other"], compression: compression, faults: faults) {
                socket, _ in
                for try await message in socket.messages { try await socket.send(message) }
            }
            LoopbackRoute(.get, "/good") { _ in .text("good") }
        }
    }

    private static func open(
        _ server: LoopbackServer, _ change: (inout WebSocketOptions) -> Void = { _ in }
    ) async throws -> WebSocket {
        let options = WebSocketOptions {
            // On a busy machine, the server may respond to a close frame late.
            $0.closeTimeout = .seconds(60)
            change(&$0)
        }
        return try await DefaultSessionManager().webSocket(for: server.url("/live/7"), options: options)
    }

    @Test func `a loopback server echoes messages of all sizes`() async throws {
        let server = try Self.echo()
        let socket = try await Self.open(server) { $0.subprotocols = ["other", "unknown"] }
        #expect(socket.subprotocol == "other")
        for size in [0, 1, 125, 126, 65_535, 65_536, 1_000_000] {
            let message = WebSocketMessage.binary(Data((0..<size).map { UInt8($0 % 251) }))
            try await socket.send(message)
            #expect(try await socket.receive() == message)
        }
        try await socket.send(.text("né"))
        #expect(try await socket.receive() == .text("né"))
        _ = try await socket.ping()
        await socket.close()
        #expect(socket.closeStatus?.code == .normal)
        #expect(try await socket.receive() == nil)
        #expect(server.requests.map(\.path) == ["/live/7"])
        #expect(await server.waitForOpenConnections(count: 0))
    }

    @Test(arguments: [(false, false), (true, false), (false, true), (true, true)])
    func `messages are compressed, with and without context`(client: Bool, server: Bool) async throws {
        let compression = WebSocketCompression {
            $0.clientForgets = client
            $0.serverForgets = server
            $0.minimumBytes = 0
        }
        let loopback = try Self.echo(compression: compression)
        let socket = try await Self.open(loopback) { $0.compression = compression }
        let text = String(repeating: "The same again, and again. ", count: 1000)
        for _ in 0..<5 {
            try await socket.send(.text(text))
            #expect(try await socket.receive() == .text(text))
        }
        try await socket.send(.binary(Data()))
        #expect(try await socket.receive() == .binary(Data()))
        await socket.close()
    }

    @Test(arguments: [
        (LoopbackWebSocketFault.maskedFrame, WebSocketError.Code.maskedFrame, WebSocketCloseCode.protocolError),
        (.badLength, .invalidLength, .protocolError), (.reservedBit, .reservedBits, .protocolError),
        (.unknownOpcode, .unknownOpcode, .protocolError), (.invalidUTF8, .invalidUTF8, .invalidPayload),
        (.raw(Data([0x82, 0xFF])), .maskedFrame, .protocolError),
    ])
    func `a faulty frame is an error with its own code`(
        fault: LoopbackWebSocketFault, code: WebSocketError.Code, closeCode: WebSocketCloseCode
    ) async throws {
        let server = try LoopbackServer {
            LoopbackRoute.webSocket("/live", faults: [fault.after(frames: 1)]) { socket, _ in
                for try await message in socket.messages { try await socket.send(message) }
            }
        }
        let socket = try await DefaultSessionManager().webSocket(for: server.url("/live"))
        try await socket.send(.text("one"))
        #expect(try await socket.receive() == .text("one"))
        try? await socket.send(.text("two"))
        let error = await #expect(throws: WebSocketError.self) { while try await socket.receive() != nil {} }
        #expect(error?.code == code)
        #expect(error?.closeCode == closeCode)
    }

    // The frame has a head of 2 bytes and 4 bytes of text.
    @Test(arguments: [0, 1, 2, 3, 5])
    func `a connection that ends within a frame is lost, after what was received whole`(count: Int) async throws {
        for fault in [LoopbackWebSocketFault.truncateFrame(after: count), .resetFrame(after: count)] {
            let server = try Self.echo(faults: [fault.after(frames: 1)])
            let socket = try await Self.open(server)
            try await socket.send(.text("whole"))
            #expect(try await socket.receive() == .text("whole"))
            try await socket.send(.text("lost"))
            let error = await #expect(throws: WebSocketError.self) { try await socket.receive() }
            #expect(error?.code == .connectionLost)
        }
    }

    @Test func `a wrong accept key is an invalid handshake`() async throws {
        let server = try Self.echo(faults: [.wrongAcceptKey])
        let error = await #expect(throws: WebSocketError.self) { try await Self.open(server) }
        #expect(error?.code == .invalidHandshake)
        #expect(error?.message.contains("Sec-WebSocket-Accept") == true)
    }

    @Test func `pings and closes that get no response time out`() async throws {
        let server = try Self.echo(faults: [.ignoresPings, .ignoresCloses])
        let socket = try await Self.open(server) { $0.closeTimeout = .milliseconds(20) }
        let error = await #expect(throws: WebSocketError.self) { try await socket.ping(within: .milliseconds(20)) }
        #expect(error?.code == .pingTimeout)
        try await socket.send(.text("still open"))
        #expect(try await socket.receive() == .text("still open"))
        await socket.close()
        #expect(socket.closeStatus == nil)
        #expect(try await socket.receive() == nil)
        #expect(await server.waitForOpenConnections(count: 0))
    }

    @Test func `a slow drip arrives whole`() async throws {
        let server = try Self.echo(faults: [.drip(bytes: 3, every: .milliseconds(1))])
        let socket = try await Self.open(server)
        try await socket.send(.text("drop by drop, in portions"))
        #expect(try await socket.receive() == .text("drop by drop, in portions"))
        await socket.close()
        #expect(socket.closeStatus?.code == .normal)
    }

    @Test func `requests that open no WebSocket are refused, and the connection serves others`() async throws {
        let server = try Self.echo()
        let session = DefaultSessionManager()
        #expect(try await session.response(for: server.request("/live/1")).statusCode == 426)
        let headers: HeaderFields = [
            "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "short",
        ]
        #expect(try await session.response(for: server.request("/live/1", headers: headers)).statusCode == 400)
        #expect(try await session.response(for: server.request("/live/1", method: .head)).statusCode == 405)
        #expect(try await session.response(for: server.request("/good")).data == Data("good".utf8))
        #expect(server.connectionCount == 1)
    }

    @Test func `a handler that returns or throws closes the WebSocket`() async throws {
        struct Failed: Error {}
        let server = try LoopbackServer {
            LoopbackRoute.webSocket("/returns") { _, _ in }
            LoopbackRoute.webSocket("/throws") { _, _ in throw Failed() }
        }
        let session = DefaultSessionManager()
        let socket = try await session.webSocket(for: server.url("/returns"))
        #expect(try await socket.receive() == nil)
        #expect(socket.closeStatus?.code == .normal)
        let failing = try await session.webSocket(for: server.url("/throws"))
        let error = await #expect(throws: WebSocketError.self) { try await failing.receive() }
        #expect(error?.code == .closed)
        #expect(error?.closeCode == .internalError)
    }

    @Test func `a server that stops ends its WebSockets and handlers`() async throws {
        let ended = AsyncGate()
        let server = try LoopbackServer {
            LoopbackRoute.webSocket("/live") { socket, _ in
                defer { ended.open() }
                while try await socket.receive() != nil {}
            }
        }
        let socket = try await DefaultSessionManager().webSocket(for: server.url("/live"))
        server.stop()
        await ended.wait()
        await #expect(throws: WebSocketError.self) { try await socket.receive() }
    }

    @Test func `a handler that does not receive stops the client`() async throws {
        let gate = AsyncGate()
        let server = try LoopbackServer {
            LoopbackRoute.webSocket("/live") { socket, _ in
                await gate.wait()
                var count = 0
                while let message = try await socket.receive(), message.data.count > 1 { count += 1 }
                try await socket.send(.text("\(count)"))
            }
        }
        let socket = try await DefaultSessionManager().webSocket(for: server.url("/live"))
        let sent = Watched(0)
        let sender = Task {
            for _ in 0..<300 {
                try await socket.send(.binary(Data(count: 100_000)))
                sent.withLock { $0 += 1 }
            }
            try await socket.send(.text("."))
        }
        await sent.wait { $0 >= 3 }
        gate.open()
        try await sender.value
        #expect(try await socket.receive() == .text("300"))
        await socket.close()
    }
}
