import Dispatch
import NetworkCore
import NetworkSupport
import Testing
import TransferTestSupport

@Suite(.timeLimit(.minutes(10))) struct TaskCancellableTests {
    private struct Failed: Error {}

    @Test func `the failure of a completion has the type that the operation throws`() async {
        let typed: Result<Int, TransportError> = await outcome {
            TaskCancellable({ () async throws(TransportError) in throw TransportError(.timedOut, "late") }, completion: $0)
        }
        #expect(throws: TransportError.self) { try typed.get() }
        let none: Result<Int, Never> = await outcome { TaskCancellable({ 7 }, completion: $0) }
        #expect(none.get() == 7)
        let any = await outcome { TaskCancellable({ if !Task.isCancelled { throw Failed() } }, completion: $0) }
        #expect(throws: Failed.self) { try any.get() }
    }

    @Test func `a cancellation ends the sequence while a closure runs, and the completion is called after it`() async {
        let (calls, ended, isHeld) = (Watched<[Int]>([]), Watched(false), DispatchSemaphore(value: 0))
        let (elements, sink) = AsyncStream.makeStream(of: Int.self)
        sink.onTermination = { _ in ended.withLock { $0 = true } }
        sink.yield(1)
        let result = await outcome { done in
            let handle = TaskCancellable {
                elements
            } onElement: { number in
                calls.withLock { $0.append(number) }
                isHeld.wait()
                calls.withLock { $0.append(-number) }
            } completion: {
                done($0)
            }
            Task {
                await calls.wait { $0 == [1] }
                handle.cancel()
                await ended.wait { $0 }
                isHeld.signal()
            }
        }
        #expect(throws: Never.self) { try result.get() }
        #expect(calls.withLock { $0 } == [1, -1])
    }
}
