import Foundation
import NetworkSupport
import TestSupport
import Testing
import TransferTestSupport

@testable import NetworkURLSession

struct BodyBacklogTests {
    @Test(arguments: (0..<20).map { _ in UInt64.random(in: 0...1 << 40) })
    func `bytes are read in their order, wherever they wait, and no file remains`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let folder = try TemporaryFolder()
        let limits = BodyBacklog.Limits(
            total: 1 << 30, memory: random.pick([0, 1, 1000, 100_000]), file: random.pick([1, 1000, 200_000]))
        var backlog = BodyBacklog(limits, folder: folder.url.path)
        var (sent, received, number) = (Data(), Data(), UInt8(0))
        for _ in 0..<300 {
            if random.below(2) == 0 {
                number &+= 1
                let piece = Data(repeating: number, count: random.pick([0, 1, 100, 16_384, 70_000]) + random.below(3))
                sent += piece
                try backlog.append(piece)
            } else {
                for _ in 0..<random.below(4) {
                    guard let piece = try backlog.first() else { break }
                    // Looking at the next bytes does not remove them.
                    #expect(try backlog.first() == piece)
                    received += piece
                    backlog.removeFirst()
                }
            }
            #expect(backlog.count == sent.count - received.count)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [])
        }
        while let piece = try backlog.first() {
            received += piece
            backlog.removeFirst()
        }
        #expect(received == sent && backlog.count == 0 && !backlog.isInFiles)
    }

    @Test func `small pieces are joined, and the first bytes wait in memory`() throws {
        var backlog = BodyBacklog(.init(memory: 200_000), folder: "/missing")
        for _ in 0..<200_000 { try backlog.append(Data([1])) }
        #expect(backlog.count == 200_000 && !backlog.isInFiles)
        #expect(throws: BodyBacklog.Failure.file(SystemError(ENOENT))) { try backlog.append(Data([1])) }
        #expect(try backlog.first()?.count == 65_536 && backlog.count == 200_000)
        backlog.removeFirst()
        #expect(backlog.count == 200_000 - 65_536)
        backlog.removeAll()
        #expect(try backlog.first() == nil && backlog.count == 0)
    }

    @Test func `more bytes than the limit are refused, and what waits remains`() throws {
        let folder = try TemporaryFolder()
        var backlog = BodyBacklog(.init(total: 10, memory: 4), folder: folder.url.path)
        try backlog.append(Data("abc".utf8))
        try backlog.append(Data("defghi".utf8))
        #expect(backlog.isInFiles)
        #expect(throws: BodyBacklog.Failure.tooManyBytes(10)) { try backlog.append(Data("jk".utf8)) }
        try backlog.append(Data("j".utf8))
        #expect(try backlog.first() == Data("abc".utf8))
        backlog.removeFirst()
        #expect(try backlog.first() == Data("defghij".utf8))
    }

    #if os(Linux)
        @Test func `files that were read are closed`() throws {
            let folder = try TemporaryFolder()
            var backlog = BodyBacklog(.init(memory: 0, file: 100), folder: folder.url.path)
            for _ in 0..<50 { try backlog.append(Data(count: 100)) }
            #expect(openFiles(in: folder) == 50)
            for count in (0..<50).reversed() {
                _ = try backlog.first()
                backlog.removeFirst()
                #expect(openFiles(in: folder) == count)
            }
        }

        /// Returns the number of open files that are or were in a folder.
        private func openFiles(in folder: TemporaryFolder) -> Int {
            let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
            return descriptors.count { descriptor in
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + descriptor))?
                    .hasPrefix(folder.url.path + "/") ?? false
            }
        }
    #endif
}

#if canImport(FoundationNetworking)
    struct URLSessionDelegateQueueTests {
        @Test(.timeLimit(.minutes(5)))
        func `operations are performed in their order, and one that blocks does not stop the thread that adds others`() async {
            let queue = URLSessionDelegateQueue()
            let (gate, order) = (DispatchSemaphore(value: 0), Locked<[Int]>([]))
            queue.addOperation { gate.wait() }
            // As many as the queue has no room for: the thread waits once.
            for number in 0..<100 { queue.addOperation { order.withLock { $0.append(number) } } }
            #expect(order.withLock(\.self) == [])
            gate.signal()
            for number in 100..<1000 { queue.addOperation { order.withLock { $0.append(number) } } }
            await withCheckedContinuation { continuation in queue.addOperation { continuation.resume() } }
            #expect(order.withLock(\.self) == Array(0..<1000))
        }

        @Test(.timeLimit(.minutes(5))) func `the thread that adds operations is never more than 32 ahead of the delegate`() async
        {
            let queue = URLSessionDelegateQueue(patience: .never)
            let (added, most) = (Locked(0), Locked(0))
            let count = 1000
            await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    for number in 1...count {
                        queue.addOperation {
                            // The thread goes as far ahead as it may, and has time to go farther.
                            let last = min(number + URLSessionDelegateQueue.maximumOperations - 1, count)
                            while added.withLock(\.self) < last { sched_yield() }
                            for _ in 0..<10 { sched_yield() }
                            let waiting = added.withLock(\.self) - number + 1
                            most.withLock { $0 = max($0, waiting) }
                            if number == count { continuation.resume() }
                        }
                        added.withLock { $0 += 1 }
                    }
                }
            }
            #expect(most.withLock(\.self) == URLSessionDelegateQueue.maximumOperations)
        }
    }
#endif
