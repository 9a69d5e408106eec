import Endpoints
import NetworkCore
import NetworkPipeline
import NetworkTesting
import NetworkWebSocket
import TransferTestSupport
import Testing

/// What ends with the close frame of the peer, and what an open WebSocket no longer holds.
@Suite(.timeLimit(.minutes(10))) struct PeerCloseTests {
    @Test func `the close frame of the peer ends the calls that wait`() async throws {
        let scripted = try ScriptedSocket()
        let pinging = Task { try await scripted.socket.ping(within: .seconds(3600)) }
        _ = await scripted.transport.frames(count: 1)
        scripted.feed(.text("whole"), .close(1011, "restart"))
        let error = await #expect(throws: WebSocketError.self) { try await pinging.value }
        #expect(error?.code == .closed)
        #expect(error?.closeCode == .internalError)
        #expect(try await scripted.socket.receive() == .text("whole"))
        let last = await #expect(throws: WebSocketError.self) { try await scripted.socket.receive() }
        #expect(last?.closeCode == .internalError)
    }

    @Test func `an open WebSocket holds no slot of a concurrency limit, and no deadline ends it`() async throws {
        let server = try LoopbackServer {
            LoopbackRoute.webSocket("/live") { socket, _ in
                for try await message in socket.messages { try await socket.send(message) }
            }
        }
        let clock = ManualClock()
        let gate = ConcurrencyGate(maximumConcurrency: 1, maximumConcurrencyPerHost: 1)
        let service = DefaultNetworkService(
            configuration: APIConfiguration(baseURL: server.url),
            interceptors: [.deadline(.seconds(1), clock: clock), gate, HedgingInterceptor()])
        var sockets: [WebSocket] = []
        for _ in 0..<3 { sockets.append(try await service.webSocket(for: Endpoint<Void>(path: "live"))) }
        #expect(gate.count == 0)
        clock.advance(by: .seconds(3600))
        for (index, socket) in sockets.enumerated() {
            try await socket.send(.text("\(index)"))
            #expect(try await socket.receive() == .text("\(index)"))
            await socket.close()
        }
    }
}
