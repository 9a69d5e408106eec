import Foundation
import NetworkCore
import NetworkTesting
import NetworkWebSocket
import TransferTestSupport
import Testing

/// Reconnection, with a clock of the test.
@Suite(.timeLimit(.minutes(10))) struct ReconnectionTests {
    /// Opens connections of the test, or fails.
    private final class Opener: Sendable {
        let opened = Watched<[ScriptedSocket]>([])
        let failures = Watched<[WebSocketError]>([])

        func open() throws(WebSocketError) -> WebSocket {
            let failure = failures.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            if let failure { throw failure }
            guard let scripted = try? ScriptedSocket() else { throw WebSocketError(.unsupported, "no connection") }
            opened.withLock { $0.append(scripted) }
            return scripted.socket
        }

        func connection(_ number: Int) async -> ScriptedSocket {
            await opened.wait { $0.count >= number }
            return opened.withLock { $0[number - 1] }
        }
    }

    private let clock = ManualClock()
    private let opener = Opener()

    private func reconnecting(
        _ change: (inout WebSocketReconnection) -> Void = { _ in },
        onOpen: @escaping ReconnectingWebSocket.OnOpen = { _ in }
    ) -> ReconnectingWebSocket {
        let policy = WebSocketReconnection {
            $0.clock = clock
            $0.backoff.isRandom = false
            change(&$0)
        }
        return ReconnectingWebSocket(policy) { [opener] () async throws(WebSocketError) in
            try opener.open()
        } onOpen: { socket in
            try await onOpen(socket)
        }
    }

    private func advance(by duration: Duration) async {
        await clock.waitForSleepers(count: 1)
        clock.advance(by: duration)
    }

    @Test func `a lost connection is opened again, and the hook is called for each`() async throws {
        let live = reconnecting(onOpen: { try await $0.send(.text("subscribe")) })
        let receiving = Task {
            var messages: [WebSocketMessage] = []
            while let message = try await live.receive() { messages.append(message) }
            return messages
        }
        let first = await opener.connection(1)
        #expect(await first.transport.frames(count: 1) == [.text("subscribe")])
        first.feed(.text("1"))
        first.transport.end()
        await advance(by: .seconds(1))
        let second = await opener.connection(2)
        #expect(await second.transport.frames(count: 1) == [.text("subscribe")])
        second.feed(.text("2"), .close(1001))
        await advance(by: .seconds(1))
        let third = await opener.connection(3)
        third.feed(.text("3"), .close(1012))
        await advance(by: .seconds(1))
        let fourth = await opener.connection(4)
        fourth.feed(.text("4"), .close(1000))
        #expect(try await receiving.value == [.text("1"), .text("2"), .text("3"), .text("4")])
    }

    @Test func `a value is sent as JSON over the current connection`() async throws {
        let live = reconnecting()
        let lost = await #expect(throws: WebSocketError.self) { try await live.send(json: ["id": 1]) }
        #expect(lost?.code == .connectionLost)
        let receiving = Task { try await live.receive() }
        let first = await opener.connection(1)
        first.feed(.text("1"))
        #expect(try await receiving.value == .text("1"))
        try await live.send(json: ["id": 1])
        #expect(await first.transport.frames(count: 1) == [.text(#"{"id":1}"#)])
        let invalid = await #expect(throws: WebSocketError.self) { try await live.send(json: [Double.nan]) }
        #expect(invalid?.code == .coding)
    }

    @Test func `after the last attempt, its error is thrown`() async throws {
        opener.failures.withLock { failures in
            failures = (0..<9).map { WebSocketError(.connectionLost, "failure \($0)") }
        }
        let live = reconnecting { $0.maximumAttempts = 3 }
        let receiving = Task { try await live.receive() }
        for seconds in [1, 2, 4] { await advance(by: .seconds(seconds)) }
        let error = await #expect(throws: WebSocketError.self) { try await receiving.value }
        #expect(error?.message == "failure 3")
    }

    @Test(arguments: [
        (WebSocketError(.connectionLost, ""), true), (WebSocketError(.pingTimeout, ""), true),
        (WebSocketError(.closed, "", closeCode: .goingAway), true),
        (WebSocketError(.closed, "", closeCode: .internalError), true),
        (WebSocketError(.closed, "", closeCode: .init(rawValue: 1012)), true),
        (WebSocketError(.closed, "", closeCode: .init(rawValue: 1014)), true),
        (WebSocketError(.closed, "", closeCode: .policyViolation), false),
        (WebSocketError(.closed, "", closeCode: .init(rawValue: 4000)), false), (WebSocketError(.invalidUTF8, ""), false),
        (WebSocketError(.messageTooLarge, ""), false), (WebSocketError(.cancelled, ""), false),
        (WebSocketError(.invalidHandshake, ""), false), (WebSocketError(.idleTimeout, ""), false),
        (WebSocketError(.requestFailed, "", underlying: status(503)), true),
        (WebSocketError(.requestFailed, "", underlying: status(401)), false),
        (WebSocketError(.requestFailed, "", underlying: status(200)), false),
        (WebSocketError(.requestFailed, "", underlying: NetworkError(TransportError(.cannotConnect, ""))), true),
    ]) func `only temporary failures are followed by another attempt`(error: WebSocketError, isTemporary: Bool) {
        #expect(WebSocketReconnection.isTemporary(error) == isTemporary)
        // The properties that all errors have agree.
        let any: any Error = error
        #expect(any.isRetryable == isTemporary && any.isCancelled == (error.code == .cancelled))
        #expect(any.statusCode == (error.underlying as? NetworkError)?.statusCode)
        #expect(any.isTimeout == [.pingTimeout, .idleTimeout].contains(error.code))
        let isUnderlying = (error.underlying as? NetworkError)?.isConnectivity ?? false
        #expect(any.isConnectivity == (error.code == .connectionLost || isUnderlying))
    }

    private static func status(_ status: Int) -> NetworkError {
        .status(NetworkResponse(statusCode: status, url: URL(fileURLWithPath: "/")))
    }

    @Test func `a hook that fails ends the connection and the reconnection`() async throws {
        struct Failed: Error {}
        let live = reconnecting(onOpen: { _ in throw Failed() })
        let receiving = Task { try await live.receive() }
        let scripted = await opener.connection(1)
        #expect(await scripted.transport.frames(count: 1) == [.close(1011)])
        scripted.feed(.close(1011))
        let error = await #expect(throws: WebSocketError.self) { try await receiving.value }
        #expect(error?.code == .coding && error?.underlying is Failed)
    }

    @Test func `closing ends a pause, and no other connection is opened`() async throws {
        let live = reconnecting()
        let receiving = Task { try await live.receive() }
        await opener.connection(1).transport.end()
        await clock.waitForSleepers(count: 1)
        #expect(live.socket == nil)
        let error = await #expect(throws: WebSocketError.self) { try await live.send(.text("a")) }
        #expect(error?.code == .connectionLost)
        await live.close()
        #expect(try await receiving.value == nil)
        #expect(try await live.receive() == nil)
        #expect(opener.opened.withLock(\.count) == 1)
    }

    @Test func `cancelling the reader ends a pause`() async throws {
        let live = reconnecting()
        let receiving = Task { try await live.receive() }
        await opener.connection(1).transport.end()
        await clock.waitForSleepers(count: 1)
        receiving.cancel()
        let error = await #expect(throws: WebSocketError.self) { try await receiving.value }
        #expect(error?.code == .cancelled)
        #expect(opener.opened.withLock(\.count) == 1)
    }

    @Test func `a second reader is an error, and the connection stays`() async throws {
        let live = reconnecting()
        let first = Task { try await live.receive() }
        let scripted = await opener.connection(1)
        scripted.feed(.text("ready"))
        #expect(try await first.value == .text("ready"))
        let results = Watched<[Result<WebSocketMessage?, any Error>]>([])
        for _ in 0..<2 {
            Task {
                do {
                    let message = try await live.receive()
                    results.withLock { $0.append(.success(message)) }
                } catch {
                    results.withLock { $0.append(.failure(error)) }
                }
            }
        }
        await results.wait { $0.count == 1 }
        let error = #expect(throws: WebSocketError.self) { try results.withLock { $0[0] }.get() }
        #expect(error?.code == .concurrentReceive)
        #expect(live.socket === scripted.socket)
        scripted.feed(.text("more"))
        await results.wait { $0.count == 2 }
        #expect(try results.withLock { $0[1] }.get() == .text("more"))
    }

    @Test func `values are decoded over several connections`() async throws {
        let live = reconnecting()
        let receiving = Task {
            var values: [Int] = []
            for try await value in live.messages(as: .json([Int].self)) { values += value }
            return values
        }
        let first = await opener.connection(1)
        first.feed(.text("[1]"))
        first.transport.end()
        await advance(by: .seconds(1))
        await opener.connection(2).feed(.text("[2]"), .close(1000))
        #expect(try await receiving.value == [1, 2])
    }
}
