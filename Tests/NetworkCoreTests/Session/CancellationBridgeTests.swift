import Foundation
import NetworkCore
import NetworkSupport
import Testing

struct CancellationBridgeTests {
    private struct Cancelled: Error {}

    private final class Handle: NetworkCancellable {
        let count = Locked(0)
        func cancel() { count.withLock { $0 += 1 } }
    }

    private func bridge() -> CancellationBridge<Int, Cancelled> { CancellationBridge(cancellation: Cancelled()) }

    @Test func `the first result is returned, and a second one is ignored`() async throws {
        let value = try await bridge().run { completion in
            completion(.success(1))
            completion(.success(2))
            return Handle()
        }
        #expect(value == 1)
    }

    @Test func `a task that is already cancelled does not start the operation`() async {
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await bridge().run { _ in
                Issue.record("started")
                return Handle()
            }
        }
        await #expect(throws: Cancelled.self) { try await task.value }
    }

    @Test func `a cancellation that arrives before the handle exists cancels it`() async {
        let handle = Handle()
        let task = Task {
            try await bridge().run { _ in
                withUnsafeCurrentTask { $0?.cancel() }
                return handle
            }
        }
        await #expect(throws: Cancelled.self) { try await task.value }
        #expect(handle.count.withLock { $0 } == 1)
    }

    @Test func `a cancelled task returns immediately with the cancellation error`() async {
        let handle = Handle()
        let (stream, started) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            try await bridge().run { _ in
                started.yield()
                return handle
            }
        }
        var iterator = stream.makeAsyncIterator()
        await iterator.next()
        task.cancel()
        await #expect(throws: Cancelled.self) { try await task.value }
        #expect(handle.count.withLock { $0 } <= 1)
    }

    @Test func `if a result and a cancellation are concurrent, the task is resumed exactly once`() async {
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<2000 {
                group.addTask {
                    let task = Task {
                        try await bridge().run { completion in
                            DispatchQueue.global().async { completion(.success(number)) }
                            return Handle()
                        }
                    }
                    if number % 3 != 0 { task.cancel() }
                    if case .success(let value) = await task.result { #expect(value == number) }
                }
            }
        }
    }
}
