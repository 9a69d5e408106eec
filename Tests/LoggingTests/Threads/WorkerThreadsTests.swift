import Dispatch
import Foundation
import NetworkSupport
import TestSupport
import Testing

@testable import NetworkLogging

@Suite(.timeLimit(.ofStorm)) struct WorkerThreadsTests {
    /// Numbers that are recorded by work on its threads and awaited by a test.
    private struct Notes {
        let stream: AsyncStream<Int>
        let sink: AsyncStream<Int>.Continuation

        init() { (stream, sink) = AsyncStream.makeStream() }

        func next(_ count: Int) async -> [Int] {
            var numbers: [Int] = []
            for await number in stream.prefix(count) { numbers.append(number) }
            return numbers
        }
    }

    @Test func `waiting work runs in order, and the thread limit is respected`() async {
        let threads = WorkerThreads(name: "test", maximumCount: 1)
        let (gate, notes) = (DispatchSemaphore(value: 0), Notes())
        threads.run { gate.wait() }
        for number in 0..<1000 { threads.run { notes.sink.yield(number) } }
        #expect(threads.waitingCount >= 1000)
        #expect(threads.count == 1)
        gate.signal()
        #expect(await notes.next(1000) == Array(0..<1000))
    }

    @Test func `work runs while a thread is free, and otherwise waits for the first free thread`() async {
        let threads = WorkerThreads(name: "test", maximumCount: 64)
        let (gate, started, done) = (DispatchSemaphore(value: 0), Notes(), Notes())
        let block: @Sendable (Int) -> WorkerThreads.Work = { number in
            {
                started.sink.yield(number)
                gate.wait()
            }
        }
        for number in 0..<63 { threads.run(block(number)) }
        _ = await started.next(63)
        threads.run { done.sink.yield(1) }
        #expect(await done.next(1) == [1])
        for number in 63..<1000 { threads.run(block(number)) }
        _ = await started.next(1)
        for number in 0..<10 { threads.run { done.sink.yield(number) } }
        #expect(threads.count == 64)
        #expect(threads.waitingCount == 936 + 10)
        for _ in 0..<1000 { gate.signal() }
        #expect(await done.next(10).sorted() == Array(0..<10))
    }

    @Test func `raising the limit starts threads for waiting work, and lowering it ends them`() async {
        let ended = Notes()
        let threads = WorkerThreads(name: "test", maximumCount: 1) { name, body in
            SystemThread.start(name) {
                body()
                ended.sink.yield(0)
            }
        }
        let (gate, started) = (DispatchSemaphore(value: 0), Notes())
        for number in 0..<8 {
            threads.run {
                started.sink.yield(number)
                gate.wait()
            }
        }
        _ = await started.next(1)
        threads.maximumCount = 8
        _ = await started.next(7)
        #expect(threads.count == 8)
        threads.maximumCount = -5
        #expect(threads.maximumCount == 1)
        for _ in 0..<8 { gate.signal() }
        _ = await ended.next(7)
        #expect(threads.count == 1)
    }

    @Test func `idle threads end, and others are started for new work`() async {
        let ended = Notes()
        let threads = WorkerThreads(name: "test", maximumCount: 4, idleTime: .milliseconds(1)) { name, body in
            SystemThread.start(name) {
                body()
                ended.sink.yield(0)
            }
        }
        for _ in 0..<3 {
            let done = Notes()
            threads.run { done.sink.yield(1) }
            #expect(await done.next(1) == [1])
            _ = await ended.next(1)
            #expect(threads.count == 0)
        }
    }

    @Test(arguments: [Duration.zero, .milliseconds(1)])
    func `no work is lost or done twice while idle threads end`(idleTime: Duration) async {
        let threads = WorkerThreads(name: "test", maximumCount: 3, idleTime: idleTime)
        let notes = Notes()
        var spin = UInt64(7)
        let count = runs(4_000, slow: 20_000)
        for number in 0..<count {
            threads.run { notes.sink.yield(number) }
            spin = spin &* 6_364_136_223_846_793_005 &+ 1
            for _ in 0..<(spin >> 33) % 400 { spin = spin &* 3 &+ 1 }
            if number % 500 == 0 { await Task.yield() }
        }
        #expect(await notes.next(count).sorted() == Array(0..<count))
    }

    @Test func `work can add more work at any depth`() async {
        let threads = WorkerThreads(name: "test", maximumCount: 2)
        let notes = Notes()
        @Sendable func step(_ number: Int) {
            if number == 5000 {
                notes.sink.yield(number)
                return
            }
            threads.run { step(number + 1) }
        }
        step(0)
        #expect(await notes.next(1) == [5000])
    }

    @Test func `if the system starts no thread, work still runs in order, not on the calling thread`() async {
        let threads = WorkerThreads(name: "test", maximumCount: 4) { _, _ in false }
        let notes = Notes()
        for round in 0..<50 {
            for number in 0..<20 { threads.run { notes.sink.yield(round * 20 + number) } }
            #expect(await notes.next(20) == Array(round * 20..<round * 20 + 20))
        }
    }

    @Test func `if the system starts too few threads, work waits for the running ones`() async {
        let left = Countdown(2)
        let threads = WorkerThreads(name: "test", maximumCount: 64) { name, body in left.take() && SystemThread.start(name, body)
        }
        let (gate, started, done) = (DispatchSemaphore(value: 0), Notes(), Notes())
        for number in 0..<20 {
            threads.run {
                started.sink.yield(number)
                gate.wait()
                done.sink.yield(number)
            }
        }
        #expect(await started.next(2).sorted() == [0, 1])
        #expect(threads.count <= 3)
        for _ in 0..<20 { gate.signal() }
        #expect(await done.next(20).sorted() == Array(0..<20))
    }

    private final class Countdown: @unchecked Sendable {
        // @unchecked Sendable: `rest` is accessed only under the lock.
        private let lock = NSLock()
        private var rest: Int

        init(_ count: Int) { rest = count }

        func take() -> Bool {
            lock.withLock {
                rest -= 1
                return rest >= 0
            }
        }
    }
}
