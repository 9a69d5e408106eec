import Foundation
import NetworkCore
import NetworkTesting
import NetworkWebSocket
import TransferTestSupport
import Testing

/// The end of WebSockets of an engine that passes whole messages.
@Suite(.timeLimit(.minutes(10))) final class MessageChannelClosingTests {
    private let transport = ScriptedMessages()

    deinit { transport.release() }

    // MARK: The peer

    @Test(arguments: [
        (UInt16(1000), WebSocketError.Code?.none), (1001, nil), (1005, nil), (1002, .closed), (1011, .closed), (4001, .closed),
    ])
    func `a close frame of the peer is orderly, or an error with its code`(code: UInt16, error: WebSocketError.Code?) async throws
    {
        let socket = WebSocket.over(transport)
        transport.feed(.text("last"))
        transport.end(.closed(code: code, reason: "why"))
        let collected = await socket.collected()
        #expect(collected.messages == [.text("last")] && collected.error?.code == error)
        #expect(socket.closeStatus?.code.rawValue == code && socket.closeStatus?.reason == "why")
        #expect(error == nil || collected.error?.closeCode?.rawValue == code)
        await #expect(throws: WebSocketError.self) { try await socket.send(.text("x")) }
    }

    @Test func `a connection without a close frame is lost`() async throws {
        let socket = WebSocket.over(transport)
        let waiting = Task { await socket.collected().error }
        let ping = Task { try await socket.ping() }
        await transport.state.wait { $0.pings.count == 1 }
        transport.end(.lost(TransportError(.connectionLost, "reset")))
        let error = await waiting.value
        #expect(error?.code == .connectionLost && (error?.underlying as? TransportError)?.message == "reset")
        await #expect(throws: WebSocketError.self) { try await ping.value }
        #expect(socket.closeStatus == nil)
    }

    // MARK: This side

    @Test func `close sends a frame after what is being sent, and waits for that of the peer`() async throws {
        let clock = ManualClock()
        let socket = WebSocket.over(transport) { $0.clock = clock }
        transport.state.withLock { $0.sendsAtOnce = false }
        try await socket.send(.text("x"))
        let closing = Task { await socket.close(WebSocketCloseCode(rawValue: 4000), reason: String(repeating: "é", count: 100)) }
        await clock.waitForSleepers(count: 1)
        await #expect { try await socket.send(.text("y")) } throws: { ($0 as? WebSocketError)?.code == .closed }
        #expect(transport.closes.isEmpty)
        transport.flush()
        #expect(transport.state.withLock(\.closes).map(\.reason) == [String(repeating: "é", count: 61)])
        transport.feed(.text("late"))
        transport.end(.closed(code: 4000, reason: ""))
        await closing.value
        #expect(transport.closes == [4000])
        let collected = await socket.collected()
        #expect(collected.messages == [.text("late")] && collected.error == nil)
    }

    @Test func `close cancels the connection of a peer that does not respond in time`() async throws {
        let clock = ManualClock()
        let socket = WebSocket.over(transport) { $0.clock = clock }
        let closing = Task { await socket.close() }
        await clock.waitForSleepers(count: 1)
        #expect(transport.closes == [1000] && transport.cancellations == 0)
        clock.advance(by: .seconds(5))
        await closing.value
        #expect(transport.cancellations == 1)
        #expect(try await socket.receive() == nil)
    }

    @Test func `while this side closes, messages beyond the queue are dropped, so that the close frame is found`() async throws {
        let socket = WebSocket.over(transport)
        let message = UpgradedMessage.binary(Data(count: 200_000))
        while transport.feed(message) {}
        let closing = Task { await socket.close() }
        await transport.state.wait { !$0.closes.isEmpty && $0.requests == 1 }
        for _ in 0..<5 { #expect(transport.feed(message)) }
        transport.end(.closed(code: 1000, reason: ""))
        await closing.value
        #expect(await socket.collected().messages.count == 2)
    }

    @Test func `cancel ends everything that waits`() async throws {
        let socket = WebSocket.over(transport)
        let waiting = Task { await socket.collected().error?.code }
        let ping = Task { try await socket.ping() }
        await transport.state.wait { $0.pings.count == 1 }
        socket.cancel()
        #expect(await waiting.value == .cancelled)
        await #expect { try await ping.value } throws: { ($0 as? WebSocketError)?.code == .cancelled }
        #expect(transport.cancellations == 1)
    }

    @Test func `releasing the last reference closes with 1001`() async throws {
        var socket: WebSocket? = WebSocket.over(transport)
        #expect(socket?.closeStatus == nil)
        socket = nil
        await transport.state.wait { !$0.closes.isEmpty }
        #expect(transport.closes == [1001])
        transport.end(.closed(code: 1001, reason: ""))
        // Nothing holds the channel any more, which releases the connection.
        await transport.state.wait { $0.cancellations > 0 }
    }

    @Test func `a session manager that is being closed closes with 1001`() async throws {
        let socket = WebSocket.over(transport)
        transport.state.withLock(\.receiver)?.sessionWillClose()
        #expect(transport.closes == [1001])
        transport.end(.lost(TransportError(.sessionClosed, "closed")))
        #expect(await socket.collected().error?.code == .connectionLost)
    }

    // MARK: Times

    @Test func `a ping returns the time until its pong, or fails without closing`() async throws {
        let clock = ManualClock()
        let socket = WebSocket.over(transport) { $0.clock = clock }
        let ping = Task { try await socket.ping() }
        await transport.state.wait { $0.pings.count == 1 }
        await clock.waitForSleepers(count: 1)
        clock.advance(by: .milliseconds(30))
        transport.pong()
        #expect(try await ping.value == .milliseconds(30))
        let late = Task { try await socket.ping(within: .seconds(2)) }
        await transport.state.wait { $0.pings.count == 1 }
        await clock.waitForSleepers(count: 1)
        clock.advance(by: .seconds(2))
        await #expect { try await late.value } throws: { ($0 as? WebSocketError)?.code == .pingTimeout }
        #expect(transport.closes.isEmpty)
        try await socket.send(.text("x"))
    }

    @Test func `a peer that responds to no ping is disconnected`() async throws {
        let clock = ManualClock()
        let socket = WebSocket.over(transport) {
            $0.clock = clock
            $0.pingInterval = .seconds(30)
        }
        await clock.waitForSleepers(count: 1)
        clock.advance(by: .seconds(30))
        await transport.state.wait { $0.pings.count == 1 }
        await clock.waitForSleepers(count: 1)
        clock.advance(by: .seconds(1))
        transport.pong()
        // The time of the ping ends, and then the next interval, which begins with the pong.
        clock.advance(by: .seconds(19))
        await clock.waitForSleepers(count: 1)
        #expect(transport.closes.isEmpty)
        clock.advance(by: .seconds(11))
        await transport.state.wait { $0.pings.count == 1 }
        await clock.waitForSleepers(count: 1)
        clock.advance(by: .seconds(20))
        #expect(await socket.collected().error?.code == .pingTimeout)
    }

    @Test func `a connection without messages ends after the idle timeout`() async throws {
        let clock = ManualClock()
        let socket = WebSocket.over(transport) {
            $0.clock = clock
            $0.idleTimeout = .seconds(10)
        }
        await clock.waitForSleepers(count: 1)
        clock.advance(by: .seconds(10))
        #expect(await socket.collected().error?.code == .idleTimeout)
    }
}
