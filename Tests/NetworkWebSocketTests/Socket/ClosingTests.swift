import Foundation
import NetworkCore
import NetworkSupport
import NetworkTesting
import NetworkWebSocket
import TransferTestSupport
import Testing

/// The close handshake of both sides, and other ends (RFC 6455 §7).
@Suite(.timeLimit(.minutes(10))) struct ClosingTests {
    @Test(arguments: [WebSocketFrameParser.Role.client, .server]) func `this side closes, and the peer responds`(
        role: WebSocketFrameParser.Role
    ) async throws {
        let scripted = try ScriptedSocket(role)
        let closing = Task { await scripted.socket.close(.goingAway, reason: "bye") }
        #expect(await scripted.transport.frames(count: 1) == [.close(1001, "bye")])
        // What arrives meanwhile is still received.
        scripted.feed(.text("late"), .close(1001))
        await closing.value
        #expect(try await scripted.socket.receive() == .text("late"))
        #expect(try await scripted.socket.receive() == nil)
        #expect(scripted.socket.closeStatus?.code == .goingAway)
        let error = await #expect(throws: WebSocketError.self) { try await scripted.socket.send(.text("a")) }
        #expect(error?.code == .closed)
        // RFC 6455 §7.1.1: the server closes the connection first.
        #expect(scripted.transport.state.withLock { Set($0.closes) } == [role == .client])
        await scripted.socket.close()
        #expect(scripted.transport.frames.count == 1)
    }

    @Test(
        arguments: [
            (UInt16?.none, nil, WebSocketCloseCode.noStatus, nil), (1000, 1000, .normal, nil), (1001, 1001, .goingAway, nil),
            (1002, 1002, .protocolError, .closed), (1011, 1011, .internalError, .closed),
            (4321, 4321, .init(rawValue: 4321), .closed),
        ] as [(UInt16?, UInt16?, WebSocketCloseCode, WebSocketError.Code?)])
    func `the peer closes, and its code is returned`(
        code: UInt16?, response: UInt16?, status: WebSocketCloseCode, failure: WebSocketError.Code?
    ) async throws {
        let scripted = try ScriptedSocket()
        scripted.feed(.text("before"), .close(code, code == nil ? "" : "why"), .text("ignored"))
        #expect(scripted.transport.frames == [.close(response)])
        #expect(scripted.socket.closeStatus?.code == status)
        #expect(scripted.socket.closeStatus?.reason == (code == nil ? "" : "why"))
        let (messages, error) = await scripted.socket.collected()
        #expect(messages == [.text("before")])
        #expect(error?.code == failure)
        if failure != nil { #expect(error?.closeCode == status) }
        #expect(scripted.transport.isClosed)
    }

    @Test func `nothing is sent after the peer's close frame has become visible`() async throws {
        for code: UInt16 in [1000, 1011] {
            let scripted = try ScriptedSocket()
            let channel = scripted.socket.channel
            let before = Locked([String]())
            // Called while the response to the close frame is about to be sent.
            scripted.transport.state.withLock { state in
                state.onSend = {
                    let isVisible = channel.closeStatus != nil
                    let sending = Result { () throws(WebSocketError) in try channel.beginSending(.text("in time")) }
                    before.withLock { $0 += ["visible: \(isVisible)", "sent: \((try? sending.get()) != nil)"] }
                }
            }
            let receiving = Task { await scripted.socket.collected() }
            scripted.feed(.close(code, "why"))
            #expect(before.withLock { $0 } == ["visible: false", "sent: true"])
            #expect(scripted.transport.frames == [.text("in time"), .close(code)])
            #expect(await receiving.value.error?.closeCode == (code == 1000 ? nil : .internalError))
            let error = await #expect(throws: WebSocketError.self) { try await scripted.socket.send(.text("late")) }
            #expect(error?.code == .closed && error?.closeCode?.rawValue == code)
            #expect(scripted.transport.frames.count == 2)
        }
    }

    @Test func `a peer that does not respond to a close frame is left after the time limit`() async throws {
        let clock = ManualClock()
        let scripted = try ScriptedSocket {
            $0.clock = clock
            $0.closeTimeout = .seconds(5)
        }
        let closing = Task { await scripted.socket.close() }
        await clock.waitForSleepers(count: 1)
        #expect(!scripted.transport.isClosed)
        clock.advance(by: .seconds(5))
        await closing.value
        #expect(scripted.transport.isClosed)
        #expect(scripted.socket.closeStatus == nil)
        #expect(try await scripted.socket.receive() == nil)
    }

    @Test(arguments: [1004, 1005, 1006, 1015, 999, 2999, 5000, 0] as [UInt16]) func `a code that must not be sent becomes 1000`(
        code: UInt16
    ) async throws {
        let scripted = try ScriptedSocket()
        let closing = Task { await scripted.socket.close(WebSocketCloseCode(rawValue: code)) }
        #expect(await scripted.transport.frames(count: 1) == [.close(1000)])
        scripted.feed(.close(1000))
        await closing.value
    }

    @Test func `both sides close at the same time`() async throws {
        let scripted = try ScriptedSocket()
        let closing = Task { await scripted.socket.close() }
        _ = await scripted.transport.frames(count: 1)
        scripted.feed(.close(1011, "busy"))
        await closing.value
        #expect(scripted.transport.frames == [.close(1000)])
        #expect(scripted.socket.closeStatus?.code == .internalError)
        #expect(try await scripted.socket.receive() == nil)
    }

    @Test func `a connection that ends without a close frame is lost, after what was received whole`() async throws {
        for cause in [nil, TransportError(.connectionLost, "reset")] {
            let scripted = try ScriptedSocket()
            scripted.feed(.text("whole"), .text("part", isFinal: false))
            scripted.transport.end(cause)
            let (messages, error) = await scripted.socket.collected()
            #expect(messages == [.text("whole")])
            #expect(error?.code == .connectionLost && error?.closeCode == nil)
            let sending = await #expect(throws: WebSocketError.self) { try await scripted.socket.send(.text("a")) }
            #expect(sending?.code == .connectionLost)
        }
    }

    @Test func `a message that the peer's close frame interrupts is not received`() async throws {
        let scripted = try ScriptedSocket()
        scripted.feed(.text("whole"), .text("part", isFinal: false))
        scripted.feed(.close(1000))
        let (messages, error) = await scripted.socket.collected()
        #expect(messages == [.text("whole")] && error == nil)
    }

    @Test func `releasing a WebSocket closes it with 1001`() async throws {
        var scripted: ScriptedSocket? = try ScriptedSocket()
        let transport = try #require(scripted).transport
        scripted = nil
        #expect(transport.frames == [.close(1001)])
        #expect(transport.isClosed)
    }

    @Test func `a sequence keeps the WebSocket open`() async throws {
        var scripted: ScriptedSocket? = try ScriptedSocket()
        let transport = try #require(scripted).transport
        var messages = scripted?.socket.messages.makeAsyncIterator()
        scripted = nil
        transport.feed(TestFrame.text("a").bytes())
        #expect(try await messages?.next() == .text("a"))
        #expect(!transport.isClosed)
        messages = nil
        #expect(transport.isClosed)
    }

    @Test func `cancel ends everything at once`() async throws {
        let scripted = try ScriptedSocket()
        let receiving = Task { await scripted.socket.collected() }
        let pinging = Task { try await scripted.socket.ping() }
        _ = await scripted.transport.frames(count: 1)
        scripted.socket.cancel()
        #expect(await receiving.value.error?.code == .cancelled)
        let error = await #expect(throws: WebSocketError.self) { try await pinging.value }
        #expect(error?.code == .cancelled)
        #expect(scripted.transport.frames.last == .close(1001))
        #expect(scripted.transport.state.withLock(\.closes).first == false)
    }

    @Test func `what arrives while this side closes is whole, or its end is an error`() async throws {
        let scripted = try ScriptedSocket()
        let part = [UInt8](repeating: 1, count: 300 << 10)
        let closing = Task { await scripted.socket.close() }
        _ = await scripted.transport.frames(count: 1)
        // More than the queue takes: a message without its middle must not be received.
        scripted.feed(.binary(part, isFinal: false))
        scripted.feed(TestFrame(0, part, isFinal: false))
        var streams = scripted.socket.streams.makeAsyncIterator()
        let stream = try #require(try await streams.next())
        var chunks = stream.makeAsyncIterator()
        #expect(try await chunks.next() == Data(part))
        scripted.feed(TestFrame(0, [2]), .text("after"), .close(1000))
        await closing.value
        let error = await #expect(throws: WebSocketError.self) { try await chunks.next() }
        #expect(error?.code == .connectionLost)
        #expect(try await scripted.socket.receive() == nil)
    }
}
