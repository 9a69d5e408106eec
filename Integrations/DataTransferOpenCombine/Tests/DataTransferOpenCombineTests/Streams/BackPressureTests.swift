import DataTransferOpenCombine
import Foundation
import NetworkTesting
import Testing

@Suite(.timeLimit(.minutes(10)))
struct BackPressureTests {
    let endpoint = Endpoint<Void>(path: "a")

    @Test func `a hundred thousand values, demanded one at a time, wait on the server`() async throws {
        let count = 100_000
        let padding = String(repeating: ".", count: 250)
        let body = (0..<count).map { "\($0)\(padding)\n" }.joined()
        let server = try FlowServer(sending: Array(body.utf8))
        let wrong = Guarded(0)
        let goesOn = Guarded(false)
        let subscriber = RecordingSubscriber<String, DataTransferError>(.max(1)) { subscriber, line in
            let index = subscriber.record.withLock { $0.values.count } - 1
            if !line.hasPrefix("\(index).") { wrong.withLock { $0 += 1 } }
            return goesOn.withLock { $0 } ? .max(1) : .none
        }
        DefaultDataTransferService.make(server.url).streamPublisher(endpoint, as: .lines()).subscribe(subscriber)
        await subscriber.waitForValues(1)
        await server.state.wait { $0.isStalled }
        // What the kernel's buffers hold, and 256 KiB: some megabytes of 25.
        #expect(server.state.withLock { $0.sent } < body.utf8.count / 2)
        #expect(subscriber.values.count == 1)
        goesOn.withLock { $0 = true }
        subscriber.request(.max(1))
        await subscriber.waitForEnd()
        #expect(subscriber.values.count == count && wrong.withLock { $0 } == 0 && subscriber.isFinished)
    }

    @Test func `without demand, cancelling closes the socket of a server that waits`() async throws {
        let server = try FlowServer(sending: Array(repeating: 10, count: 20 << 20))
        let subscriber = RecordingSubscriber<String, DataTransferError>(.max(1))
        DefaultDataTransferService.make(server.url).streamPublisher(endpoint, as: .lines()).subscribe(subscriber)
        await subscriber.waitForValues(1)
        await server.state.wait { $0.isStalled }
        subscriber.cancel()
        await server.state.wait { $0.isClosed }
        #expect(subscriber.values.count == 1 && subscriber.completions.isEmpty)
    }

    @Test func `a subscriber that blocks in a value does not keep the socket open after a cancellation`() async throws {
        let server = try LoopbackServer { _ in LoopbackResponse.text("a\n").fault(.endlessBody) }
        let release = DispatchSemaphore(value: 0)
        let subscriber = RecordingSubscriber<String, DataTransferError> { _, _ in
            release.wait()
            return .none
        }
        DefaultDataTransferService.make(server.url).streamPublisher(endpoint, as: .lines()).subscribe(subscriber)
        await subscriber.record.wait { $0.isReceiving }
        subscriber.cancel()
        let isClosed = await server.waitForOpenConnections(count: 0)
        release.signal()
        #expect(isClosed)
        await subscriber.record.wait { !$0.isReceiving }
        #expect(subscriber.values.count == 1 && subscriber.completions.isEmpty)
    }

    @Test func `releasing a subscription without demand closes the socket`() async throws {
        let server = try LoopbackServer { _ in LoopbackResponse.text("a\n").fault(.endlessBody) }
        let subscriber = RecordingSubscriber<String, DataTransferError>(.max(1))
        DefaultDataTransferService.make(server.url).streamPublisher(endpoint, as: .lines()).subscribe(subscriber)
        await subscriber.waitForValues(1)
        #expect(server.openConnectionCount == 1)
        // Nobody cancels. The subscriber held the subscription, and the subscription the transfer.
        subscriber.record.withLock { record in
            let subscription = record.subscription
            record.subscription = nil
            return subscription
        }
        #expect(await server.waitForOpenConnections(count: 0))
    }
}
