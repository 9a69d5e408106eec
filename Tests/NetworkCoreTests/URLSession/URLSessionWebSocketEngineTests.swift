import Endpoints
import Foundation
import NetworkSupport
import NetworkTesting
import TransferTestSupport
import Testing

@_spi(SessionManagers) @testable import NetworkTransport
@testable import NetworkURLSession

extension URLSessionTests {
    /// WebSockets in the engine. The test opens them in place of `URLSession`.
    @Suite(.timeLimit(.minutes(10))) struct URLSessionWebSocketEngineTests {
        /// An engine, and a request whose task has started and never ends by itself.
        private struct Started {
            let engine: URLSessionEngine
            let transfer: URLSessionTransfer
            let outcomes = Outcomes()
            let bridge: URLSessionDelegateBridge
            let task: URLSessionTask
            let fake = FakeWebSocketTask()

            init(_ change: (inout SessionConfiguration) -> Void = { _ in }) async throws {
                let script = Script { _ in [] }
                let configuration = URLSessionConfiguration.isolated
                configuration.protocolClasses = [ScriptedProtocol.self]
                let rules = try CallRules(SessionConfiguration(change))
                engine = URLSessionEngine(
                    rules, sessionConfiguration: configuration, trust: nil, versions: try HTTPVersionTable(rules.configuration))
                transfer = URLSessionTransfer(
                    try .webSocket(try script.url("/live").absoluteString), rules: rules, engine: engine)
                transfer.driver.start(over: transfer, completion: outcomes.completion)
                await script.log.wait { !$0.requests.isEmpty }
                bridge = try #require(engine.running?.bridge)
                task = try #require(transfer.exchange?.task)
            }

            func open(subprotocol: String? = nil) { bridge.open(task, fake, subprotocol: subprotocol) }

            func complete(_ error: (any Error)? = nil) {
                bridge.urlSession(engine.running?.session ?? .shared, task: task, didCompleteWithError: error)
            }
        }

        @Test func `an opened WebSocket ends the request with its messages, and lives until the end of its task`() async throws {
            let started = try await Started()
            started.open(subprotocol: "chat")
            let response = try await started.outcomes.wait(count: 1)[0].get()
            #expect(response.statusCode == 101 && response.upgradedConnection == nil)
            let messages = try #require(response.upgrade?.messages)
            #expect(messages.subprotocol == "chat")
            let receiver = RecordingReceiver()
            messages.transport.start(receiver, maximumMessageBytes: 1000)
            messages.transport.requestMessage()
            started.fake.deliver(.success(.text("hello")))
            #expect(receiver.state.withLock(\.messages) == [.text("hello")])
            #expect(started.fake.cancellations == 0)
            started.complete()
            await receiver.state.wait { !$0.ends.isEmpty }
            #expect(receiver.ends == ["lost "])
        }

        @Test func `a request that is cancelled first has no WebSocket`() async throws {
            let started = try await Started()
            started.transfer.cancel()
            #expect(await started.outcomes.wait(count: 1)[0].isCancelled)
            started.open()
            started.complete(URLError(.cancelled))
            started.engine.beginClosing()
            let report = await started.engine.closing.report(grace: .seconds(600), on: TimeSource(ContinuousClock())) {}
            #expect(report.cancelledCount == 0)
        }

        @Test func `more WebSockets than permitted fail, and are cancelled`() async throws {
            let started = try await Started { $0.maximumUpgradedConnections = 0 }
            started.open()
            #expect(await started.outcomes.wait(count: 1)[0].code == .outOfResources)
            await started.fake.state.wait { $0.cancellations > 0 }
        }

        @Test func `closing a session manager waits for its WebSockets, and then cancels them`() async throws {
            let started = try await Started()
            started.open()
            let messages = try #require(try await started.outcomes.wait(count: 1)[0].get().upgrade?.messages)
            let receiver = RecordingReceiver()
            messages.transport.start(receiver, maximumMessageBytes: 1000)
            started.engine.beginClosing()
            await receiver.state.wait { $0.closings == 1 }
            started.engine.cutOff()
            await started.fake.state.wait { $0.cancellations > 0 }
            let clock = TimeSource(ContinuousClock())
            let report = Task { await started.engine.closing.report(grace: .seconds(600), on: clock) {} }
            started.complete(URLError(.cancelled))
            _ = await report.value
            await receiver.state.wait { !$0.ends.isEmpty }
            #expect(receiver.ends == ["lost sessionClosed"])
        }
    }
}

extension Upgrade {
    fileprivate var messages: UpgradedMessages? {
        if case .messages(let messages) = self { messages } else { nil }
    }
}
