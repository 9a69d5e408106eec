import DataTransfer
import Foundation
import NetworkCore
import NetworkObservation
import NetworkSupport
import NetworkTesting
import Testing
import TransferTestSupport

@Suite struct NetworkActivityTests {
    /// Records all reported changes, and counts reports that overlap.
    final class Edges: Sendable {
        private let reported = Locked<[Bool]>([])
        private let isInside = Locked(false)
        let overlaps = Locked(0)

        var all: [Bool] { reported.withLock { $0 } }
        var alternate: Bool { all.enumerated().allSatisfy { $0.element == ($0.offset % 2 == 0) } }

        func note(_ isActive: Bool) {
            let overlapped = isInside.withLock { isInside in
                defer { isInside = true }
                return isInside
            }
            if overlapped { overlaps.withLock { $0 += 1 } }
            reported.withLock { $0.append(isActive) }
            isInside.withLock { $0 = false }
        }
    }

    @Test(.tags(.networkActivity)) func `only the begin of the first exchange and the end of the last one are reported`() {
        let edges = Edges()
        let activity = NetworkActivity { edges.note($0) }
        activity.begin()
        activity.begin()
        activity.end()
        #expect(edges.all == [true])
        #expect(activity.count == 1)
        activity.end()
        activity.begin()
        activity.end()
        #expect(edges.all == [true, false, true, false])
        #expect(!activity.isActive)
    }

    @Test func `an end without a begin is ignored`() {
        let edges = Edges()
        let activity = NetworkActivity { edges.note($0) }
        activity.end()
        activity.end()
        activity.begin()
        #expect(edges.all == [true])
        #expect(activity.count == 1)
    }

    @Test func `an observer can begin and end exchanges while it is notified`() {
        let edges = Edges()
        let currentActivity = Locked<NetworkActivity?>(nil)
        let activity = NetworkActivity { isActive in
            edges.note(isActive)
            guard !isActive, edges.all.count < 4, let activity = currentActivity.withLock({ $0 }) else { return }
            activity.begin()
            activity.end()
            activity.begin()
        }
        currentActivity.withLock { $0 = activity }
        activity.begin()
        activity.end()
        #expect(edges.all == [true, false, true])
        activity.end()
        #expect(edges.all == [true, false, true, false])
        currentActivity.withLock { $0 = nil }
    }

    @Test(arguments: 1...5) func `concurrent exchanges report alternating states without overlap, ending with false`(round: Int)
        async
    {
        let edges = Edges()
        let activity = NetworkActivity { edges.note($0) }
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    for step in 0..<2_000 {
                        activity.begin()
                        if step % 7 == 0 { await Task.yield() }
                        activity.end()
                    }
                }
            }
        }
        #expect(edges.alternate)
        #expect(edges.all.last == false)
        #expect(edges.overlaps.withLock { $0 } == 0)
        #expect(activity.count == 0)
    }
}

@Suite struct NetworkActivityStreamTests {
    @Test func `a stream of changes starts with the current state`() async {
        let activity = NetworkActivity()
        activity.begin()
        var changes = activity.changes.makeAsyncIterator()
        #expect(await changes.next() == true)
        activity.end()
        #expect(await changes.next() == false)
        activity.begin()
        #expect(await changes.next() == true)
    }

    @Test func `a slow reader never receives the same state twice in a row`() async {
        let activity = NetworkActivity()
        var changes = activity.changes.makeAsyncIterator()
        #expect(await changes.next() == false)
        for _ in 0..<1_000 {
            activity.begin()
            activity.end()
        }
        activity.begin()
        #expect(await changes.next() == true)
        activity.end()
        #expect(await changes.next() == false)
    }

    @Test func `a stream of changes ends when its activity is released`() async {
        var activity: NetworkActivity? = NetworkActivity()
        var changes = activity?.changes.makeAsyncIterator()
        #expect(await changes?.next() == false)
        activity = nil
        #expect(await changes?.next() == nil)
    }

    @Test func `a stream of changes ends when its task is cancelled`() async {
        let activity = NetworkActivity()
        let (reading, isReading) = AsyncStream.makeStream(of: Void.self)
        let reader = Task {
            var read: [Bool] = []
            for await isActive in activity.changes {
                read.append(isActive)
                isReading.yield()
            }
            return read
        }
        for await _ in reading { break }
        reader.cancel()
        #expect(await reader.value == [false])
    }

    @Test func `with concurrent exchanges every stream alternates and ends with false`() async {
        for reader in await readersOfConcurrentExchanges() {
            let read = await reader.value
            #expect(zip(read, read.dropFirst()).allSatisfy { $0 != $1 })
            #expect(read.last == false)
        }
    }

    /// Starts readers and concurrent exchanges. The activity is released on return, which ends the streams.
    private func readersOfConcurrentExchanges() async -> [Task<[Bool], Never>] {
        let activity = NetworkActivity()
        activity.begin()
        let readers = (0..<4).map { _ in
            let changes = activity.changes
            return Task { await changes.reduce(into: []) { $0.append($1) } }
        }
        await withTaskGroup { group in
            for _ in 0..<6 {
                group.addTask {
                    for _ in 0..<500 {
                        activity.begin()
                        await Task.yield()
                        activity.end()
                    }
                }
            }
        }
        activity.end()
        return readers
    }
}

/// Tests that no lock is held while a reader of changes is resumed, which can use the activity.
@Suite(.timeLimit(.minutes(10))) struct NetworkActivityReaderTests {
    /// An executor that runs each job immediately, on the thread that enqueues it.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    private final class ImmediateExecutor: TaskExecutor {
        func enqueue(_ job: consuming ExecutorJob) {
            UnownedJob(job).runSynchronously(on: asUnownedTaskExecutor())
        }
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @Test func `a reader of changes can use the activity in the call that resumes it`() async {
        let activity = NetworkActivity()
        let changes = activity.changes
        let seen = Locked<[Int]>([])
        let reader = Task(executorPreference: ImmediateExecutor()) {
            for await isActive in changes {
                seen.withLock { $0.append(isActive ? activity.count : -1) }
                if !isActive, seen.withLock(\.count) > 1 { return }
            }
        }
        activity.begin()
        activity.begin()
        activity.end()
        activity.end()
        await reader.value
        #expect(seen.withLock { $0 } == [-1, 1, -1])
    }

    @Test func `with concurrent exchanges and readers each stream of an activity ends with the current state`() async {
        for _ in 0..<200 {
            let activity = NetworkActivity()
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        activity.begin()
                        activity.end()
                    }
                }
                group.addTask {
                    activity.begin()
                    var last: Bool?
                    var hasEnded = false
                    for await isActive in activity.changes {
                        #expect(last != isActive)
                        last = isActive
                        if isActive {
                            activity.end()
                            hasEnded = true
                        } else if hasEnded {
                            // The count may be above zero again, but a change that is reversed at once is not reported.
                            return
                        }
                    }
                }
            }
            var now = activity.changes.makeAsyncIterator()
            #expect(await now.next() == false)
        }
    }
}
