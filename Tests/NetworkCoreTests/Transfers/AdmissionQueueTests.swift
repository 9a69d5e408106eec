#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkSupport
    import TestSupport
    import Testing

    @testable import NetworkEngine
    @_spi(SessionManagers) @testable import NetworkTransport

    /// The queue without event loops: which transfer belongs to which loop, and which ones wait.
    struct AdmissionQueueTests {
        /// Takes transfers as the event loops do, and does nothing with them.
        private final class Dispatcher: TransferDispatcher {
            let started = Locked<[LoopTransfer]>([])

            func start(_ transfer: LoopTransfer) {
                started.withLock { $0.append(transfer) }
            }

            func cancel(_ transfer: LoopTransfer) {}
            func resume(_ transfer: LoopTransfer) {}
            func follow(_ transfer: LoopTransfer, _ next: NetworkRequest, cookies: String?) {}
            func receiveBody(_ transfer: LoopTransfer) {}

            func run(_ completion: @escaping @Sendable () -> Void) {
                completion()
            }
        }

        private let context: SessionContext
        private let dispatcher = Dispatcher()
        private let calls = OpenCalls()

        init() throws {
            let configuration = SessionConfiguration()
            context = try SessionContext(CallRules(configuration), trust: try TLSPolicyTable(configuration))
        }

        private func transfer() throws -> LoopTransfer {
            let request = NetworkRequest(url: try #require(URL(string: "http://example.com/")))
            let transfer = LoopTransfer(request, context, dispatcher)
            transfer.driver.start(over: transfer) { _ in }
            calls.add(transfer.driver)
            return try #require(dispatcher.started.withLock { $0.popLast() })
        }

        private func queue(perOrigin: Int = 1, total: Int = 10, shards: Int = 1) -> AdmissionQueue {
            AdmissionQueue(GateLimits(connectionsPerOrigin: perOrigin, streamsPerOrigin: 3, connections: total, shards: shards))
        }

        private func enter(_ queue: inout AdmissionQueue, _ transfer: LoopTransfer, _ deadline: UInt64 = .max)
            -> AdmissionQueue.Entry
        {
            queue.enter(transfer, origin: "a", priority: .normal, deadline: deadline, near: nil, wasAccepted: false)
        }

        @Test func `transfers wait until another one leaves, in order`() throws {
            var queue = queue()
            let transfers = try (0..<3).map { _ in try transfer() }
            guard case .inside(0) = enter(&queue, transfers[0]), case .waiting = enter(&queue, transfers[1]),
                case .waiting = enter(&queue, transfers[2])
            else {
                Issue.record("not in order")
                return
            }
            #expect(queue.waiting == ["a": 2] && queue.loop(of: transfers[1]) == nil)
            #expect(
                queue.leave(transfers[0], isEnd: true).admitted.map { ObjectIdentifier($0.member) } == [
                    ObjectIdentifier(transfers[1])
                ])
            #expect(queue.loop(of: transfers[1]) == 0 && queue.leave(transfers[0], isEnd: true).number == nil)
            #expect(
                queue.leave(transfers[1], isEnd: true).admitted.map { ObjectIdentifier($0.member) } == [
                    ObjectIdentifier(transfers[2])
                ])
            #expect(queue.leave(transfers[2], isEnd: true).admitted.isEmpty && queue.isEmpty)
        }

        @Test func `an origin that speaks HTTP 2 admits as many as it has streams`() throws {
            var queue = queue()
            let transfers = try (0..<5).map { _ in try transfer() }
            for transfer in transfers { _ = enter(&queue, transfer) }
            #expect(queue.widen("a").map { ObjectIdentifier($0.member) } == transfers[1...2].map(ObjectIdentifier.init))
        }

        @Test func `waiting transfers leave at their deadline, the earliest first`() throws {
            var queue = queue()
            let transfers = try (0..<4).map { _ in try transfer() }
            _ = enter(&queue, transfers[0], 1)
            guard case .waiting(isFirst: true) = enter(&queue, transfers[1], 20),
                case .waiting(isFirst: true) = enter(&queue, transfers[2], 10),
                case .waiting(isFirst: false) = enter(&queue, transfers[3])
            else {
                Issue.record("another deadline is the earliest")
                return
            }
            func late(_ now: UInt64) -> (late: [ObjectIdentifier], next: UInt64) {
                let (late, next) = queue.takeLate(now)
                return (late.map(ObjectIdentifier.init), next)
            }
            #expect(late(9) == ([], 10), "the one that was admitted has left the queue")
            #expect(late(15) == ([ObjectIdentifier(transfers[2])], 20))
            #expect(late(20) == ([ObjectIdentifier(transfers[1])], .max))
            #expect(queue.waiting == ["a": 1])
        }

        @Test func `a transfer that was cancelled is not admitted, whether it waited or was between two requests`() throws {
            var queue = queue()
            let transfers = try (0..<3).map { _ in try transfer() }
            for transfer in transfers { _ = enter(&queue, transfer) }
            queue.isObserved = true
            #expect(queue.cancel(transfers[1]) == (nil, "a") && queue.cancel(transfers[1]) == (nil, nil))
            #expect(queue.cancel(transfers[0]) == (0, nil), "its loop has to end it")
            #expect(
                queue.leave(transfers[0], isEnd: false).admitted.map { ObjectIdentifier($0.member) } == [
                    ObjectIdentifier(transfers[2])
                ])
            #expect(queue.cancel(transfers[0]) == (nil, nil))
            guard case .gone = enter(&queue, transfers[0]) else {
                Issue.record("it was admitted again")
                return
            }
        }

        @Test func `after closing, accepted transfers go on and new ones are refused; after the grace period none goes on`()
            throws
        {
            var queue = queue()
            let transfers = try (0..<4).map { _ in try transfer() }
            for transfer in transfers[..<2] { _ = enter(&queue, transfer) }
            queue.beginClosing()
            guard case .refused = enter(&queue, transfers[2]),
                case .waiting = queue.enter(
                    transfers[3], origin: "a", priority: .normal, deadline: .max, near: nil, wasAccepted: true)
            else {
                Issue.record("not refused, or an accepted one was")
                return
            }
            // A redirect of a transfer that was accepted.
            #expect(
                queue.leave(transfers[0], isEnd: false).admitted.map { ObjectIdentifier($0.member) } == [
                    ObjectIdentifier(transfers[1])
                ])
            guard case .waiting = enter(&queue, transfers[0]) else {
                Issue.record("the redirect was refused")
                return
            }
            #expect(
                Set(queue.cutOff().map(ObjectIdentifier.init)) == Set([transfers[0], transfers[3]].map(ObjectIdentifier.init)))
            #expect(queue.leave(transfers[1], isEnd: false).admitted.isEmpty)
            guard case .cutOff = enter(&queue, transfers[1]) else {
                Issue.record("it was admitted")
                return
            }
            #expect(queue.ended == 3 && queue.isEmpty)
        }

        @Test(arguments: 0..<10)
        func `in any order of calls, the limits hold and no transfer is lost`(seed: UInt64) throws {
            var random = SeededGenerator(seed: seed)
            let perOrigin = Int.random(in: 1...3, using: &random)
            let total = Int.random(in: 2...6, using: &random)
            var queue = queue(perOrigin: perOrigin, total: total, shards: Int.random(in: 1...2, using: &random))
            let origins = ["a", "b", "c"]
            var inside: [(transfer: LoopTransfer, origin: String)] = []
            var waiting: [(transfer: LoopTransfer, origin: String, deadline: UInt64)] = []
            func admit(_ admitted: [AdmissionQueue.Admission]) {
                for admission in admitted {
                    guard let index = waiting.firstIndex(where: { $0.transfer === admission.member }) else {
                        Issue.record("it has not waited")
                        continue
                    }
                    inside.append((admission.member, waiting[index].origin))
                    waiting.remove(at: index)
                }
            }
            for now in 0..<1_000 as Range<UInt64> {
                switch Int.random(in: 0..<4, using: &random) {
                case 0, 1:
                    let new = try transfer()
                    let origin = origins[Int.random(in: 0..<3, using: &random)]
                    let deadline = Bool.random(using: &random) ? UInt64.max : now + UInt64.random(in: 1...40, using: &random)
                    switch queue.enter(new, origin: origin, priority: .normal, deadline: deadline, near: nil, wasAccepted: false)
                    {
                    case .inside: inside.append((new, origin))
                    case .waiting: waiting.append((new, origin, deadline))
                    case .gone, .refused, .cutOff: Issue.record("it was not refused by anybody")
                    }
                case 2:
                    guard !inside.isEmpty else { continue }
                    let left = inside.remove(at: Int.random(in: 0..<inside.count, using: &random))
                    admit(queue.leave(left.transfer, isEnd: true).admitted)
                default:
                    guard !waiting.isEmpty else { continue }
                    let index = Int.random(in: 0..<waiting.count, using: &random)
                    #expect(queue.cancel(waiting[index].transfer).number == nil)
                    waiting.remove(at: index)
                }
                let late = queue.takeLate(now)
                #expect(
                    Set(late.late.map(ObjectIdentifier.init))
                        == Set(waiting.filter { $0.deadline <= now }.map { ObjectIdentifier($0.transfer) }))
                waiting.removeAll { $0.deadline <= now }
                #expect(late.next == waiting.map(\.deadline).min() ?? .max)
                #expect(inside.count <= total && queue.waiting.values.reduce(0, +) == waiting.count)
                for origin in origins {
                    #expect(inside.count { $0.origin == origin } <= perOrigin)
                    #expect(queue.waiting[origin, default: 0] == waiting.count { $0.origin == origin })
                }
                for one in inside { #expect(queue.loop(of: one.transfer) != nil) }
            }
            while let last = inside.popLast() { admit(queue.leave(last.transfer, isEnd: true).admitted) }
            #expect(waiting.isEmpty && queue.isEmpty)
        }
    }
#endif
