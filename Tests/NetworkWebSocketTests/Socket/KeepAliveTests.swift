import Foundation
import NetworkCore
import NetworkTesting
import NetworkWebSocket
import TransferTestSupport
import Testing

/// Pings and limits of time, with a clock of the test.
@Suite(.timeLimit(.minutes(10))) struct KeepAliveTests {
    private let clock = ManualClock()

    private func socket(_ change: (inout WebSocketOptions) -> Void) throws -> ScriptedSocket {
        try ScriptedSocket {
            $0.clock = clock
            change(&$0)
        }
    }

    private func advance(by seconds: Int) async {
        await clock.waitForSleepers(count: 1)
        clock.advance(by: .seconds(seconds))
    }

    @Test func `a ping is sent after the interval without a byte, and a pong keeps the connection`() async throws {
        let scripted = try socket { $0.pingInterval = .seconds(30) }
        for round in 1...3 {
            await advance(by: 30)
            let frames = await scripted.transport.frames(count: round)
            #expect(frames.last == .ping())
            // At the same time of the clock as the ping.
            scripted.feed(.pong())
        }
        await advance(by: 20)
        scripted.feed(.text("still open"))
        #expect(try await scripted.socket.receive() == .text("still open"))
        #expect(!scripted.transport.isClosed)
    }

    @Test func `received bytes postpone the ping`() async throws {
        let scripted = try socket { $0.pingInterval = .seconds(30) }
        await advance(by: 20)
        scripted.feed(.text("a"))
        await advance(by: 20)
        #expect(scripted.transport.frames.isEmpty)
        await advance(by: 10)
        #expect(await scripted.transport.frames(count: 1) == [.ping()])
    }

    @Test func `without a pong the connection fails, after what was received`() async throws {
        let scripted = try socket { $0.pingInterval = .seconds(30) }
        scripted.feed(.text("whole"), .text("part", isFinal: false))
        await advance(by: 30)
        _ = await scripted.transport.frames(count: 1)
        await advance(by: 20)
        await scripted.transport.waitForClose()
        let (messages, error) = await scripted.socket.collected()
        #expect(messages == [.text("whole")])
        #expect(error?.code == .pingTimeout)
        #expect(error?.closeCode == .goingAway)
        #expect(scripted.transport.frames.last == .close(1001))
    }

    @Test func `any byte is as good as a pong`() async throws {
        let scripted = try socket { $0.pingInterval = .seconds(30) }
        await advance(by: 30)
        _ = await scripted.transport.frames(count: 1)
        await advance(by: 19)
        scripted.transport.feed([0x81])
        await advance(by: 1)
        await clock.waitForSleepers(count: 1)
        #expect(!scripted.transport.isClosed)
    }

    @Test func `pings do not count as messages for the idle limit`() async throws {
        let scripted = try socket { $0.idleTimeout = .seconds(60) }
        await advance(by: 50)
        scripted.feed(.text("a"), .ping())
        await advance(by: 10)
        await clock.waitForSleepers(count: 1)
        #expect(!scripted.transport.isClosed)
        await advance(by: 30)
        scripted.feed(.ping())
        try await scripted.socket.send(.text("b"))
        await advance(by: 20)
        scripted.feed(.ping())
        await advance(by: 40)
        await scripted.transport.waitForClose()
        let (messages, error) = await scripted.socket.collected()
        #expect(messages == [.text("a")])
        #expect(error?.code == .idleTimeout)
        #expect(scripted.transport.frames.last == .close(1001))
    }

    @Test func `the total limit ends a connection that is in use`() async throws {
        let scripted = try socket { $0.totalTimeout = .seconds(100) }
        for _ in 0..<9 {
            await advance(by: 10)
            scripted.feed(.ping())
        }
        #expect(!scripted.transport.isClosed)
        await advance(by: 10)
        await scripted.transport.waitForClose()
        let (_, error) = await scripted.socket.collected()
        #expect(error?.code == .totalTimeout)
    }

    @Test func `a ping of the user is measured`() async throws {
        let scripted = try socket { _ in }
        let pinging = Task { try await scripted.socket.ping() }
        let frame = try #require(await scripted.transport.frames(count: 1).first)
        await clock.waitForSleepers(count: 1)
        clock.advance(by: .milliseconds(70))
        scripted.feed(.pong([1]), .pong(), TestFrame(10, frame.payload))
        #expect(try await pinging.value == .milliseconds(70))
    }

    @Test func `a pong that is late is ignored, and the WebSocket stays open`() async throws {
        let scripted = try socket { _ in }
        let pinging = Task { try await scripted.socket.ping(within: .seconds(2)) }
        let frame = try #require(await scripted.transport.frames(count: 1).first)
        await advance(by: 2)
        let error = await #expect(throws: WebSocketError.self) { try await pinging.value }
        #expect(error?.code == .pingTimeout)
        scripted.feed(TestFrame(10, frame.payload), .text("still open"))
        #expect(try await scripted.socket.receive() == .text("still open"))
    }

    @Test func `a pong responds to all pings before, and the end to those that wait`() async throws {
        let scripted = try socket { _ in }
        let first = Task { try await scripted.socket.ping() }
        _ = await scripted.transport.frames(count: 1)
        let second = Task { try await scripted.socket.ping() }
        let frames = await scripted.transport.frames(count: 2)
        let third = Task { try await scripted.socket.ping() }
        _ = await scripted.transport.frames(count: 3)
        scripted.feed(TestFrame(10, frames[1].payload))
        #expect(try await first.value == .zero)
        #expect(try await second.value == .zero)
        scripted.transport.end()
        let error = await #expect(throws: WebSocketError.self) { try await third.value }
        #expect(error?.code == .connectionLost)
        await #expect(throws: WebSocketError.self) { try await scripted.socket.ping() }
    }

    @Test func `a cancelled ping leaves the WebSocket open`() async throws {
        let scripted = try socket { _ in }
        let pinging = Task { try await scripted.socket.ping() }
        _ = await scripted.transport.frames(count: 1)
        pinging.cancel()
        let error = await #expect(throws: WebSocketError.self) { try await pinging.value }
        #expect(error?.code == .cancelled)
        #expect(!scripted.transport.isClosed)
    }
}
