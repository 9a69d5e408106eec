import Endpoints
import Foundation
import NetworkSupport
import NetworkTesting
import Testing
import TransferTestSupport

import NetworkCore
@testable import NetworkEngine
@testable import NetworkTransport

@Suite(.timeLimit(.minutes(10))) struct PriorityQueueTests {
    private let classes: [RequestPriority] = [.low, .normal, .high]

    @Test func `a higher class is first, and each class is in order of arrival`() {
        var queue = PriorityQueue<String>()
        for (ticket, name) in ["l1", "n1", "h1", "l2", "n2", "h2"].enumerated() {
            queue.append(name, ticket: UInt64(ticket), priority: ["l": .low, "n": .normal][name.first] ?? .high)
        }
        #expect((0..<6).compactMap { _ in queue.popFirst()?.member } == ["h1", "h2", "n1", "n2", "l1", "l2"])
        #expect(queue.isEmpty && queue.popFirst() == nil)
    }

    @Test func `after eight members of higher classes, the first member of a lower class is next`() {
        var queue = PriorityQueue<RequestPriority>()
        for ticket in 0..<60 { queue.append(classes[ticket % 3], ticket: UInt64(ticket), priority: classes[ticket % 3]) }
        let taken = (0..<20).compactMap { _ in queue.popFirst()?.member }
        let eight = Array(repeating: RequestPriority.high, count: 8)
        #expect(taken == eight + [.low, .normal] + Array(eight.prefix(7)) + [.low, .high, .normal])
    }

    /// The state of the queue, found from the list of everything that happened.
    private struct Model {
        enum Event {
            case arrived(UInt64, RequestPriority)
            case left(UInt64)
            case taken(UInt64, RequestPriority)
        }

        var events: [Event] = []

        /// Returns the waiting tickets of a class, and how many of higher classes were taken since its last one was, or since the
        /// class was empty.
        func state(of priority: RequestPriority) -> (waiting: [UInt64], passed: Int) {
            var (waiting, passed): ([UInt64], Int) = ([], 0)
            for event in events {
                switch event {
                case .arrived(let ticket, priority): waiting.append(ticket)
                case .left(let ticket): waiting.removeAll { $0 == ticket }
                case .taken(let ticket, priority):
                    waiting.removeAll { $0 == ticket }
                    passed = 0
                case .taken(_, let other) where other > priority: passed += 1
                default: break
                }
                if waiting.isEmpty { passed = 0 }
            }
            return (waiting, passed)
        }

        var next: (ticket: UInt64, priority: RequestPriority)? {
            let states = RequestPriority.allCases.sorted().map { ($0, state(of: $0)) }.filter { !$0.1.waiting.isEmpty }
            let chosen = states.first { $0.1.passed >= 8 } ?? states.last
            return chosen.map { ($0.1.waiting[0], $0.0) }
        }
    }

    @Test(arguments: 0..<20) func `random arrivals are taken as the rule says, and none waits forever`(seed: UInt64) {
        let random = SharedGenerator(seed)
        var queue = PriorityQueue<RequestPriority>()
        var model = Model()
        // The number of members taken while the first member of each class waited.
        var waited: [RequestPriority: Int] = [:]
        for ticket in 0..<UInt64(150) {
            let priority = classes[(random.next(below: 4) * Int(seed % 3 + 1)).clamped(to: 0...2)]
            queue.append(priority, ticket: ticket, priority: priority)
            model.events.append(.arrived(ticket, priority))
            if random.next(below: 10) == 0 {
                let other = UInt64(random.next(below: Int(ticket) + 1))
                let isWaiting = classes.contains { model.state(of: $0).waiting.contains(other) }
                #expect((queue.remove(other) != nil) == isWaiting)
                model.events.append(.left(other))
                for other in classes where model.state(of: other).waiting.isEmpty { waited[other] = 0 }
            }
            for _ in 0..<random.next(below: 3) {
                let (expected, actual) = (model.next, queue.popFirst())
                #expect(actual?.ticket == expected?.ticket && actual?.member == expected?.priority)
                guard let actual else { break }
                model.events.append(.taken(actual.ticket, actual.member))
                for other in classes {
                    let isWaiting = other != actual.member && !model.state(of: other).waiting.isEmpty
                    waited[other] = isWaiting ? waited[other, default: 0] + 1 : 0
                }
                #expect(waited[.low, default: 0] <= 8 && waited[.normal, default: 0] <= 9)
            }
            #expect(queue.count == classes.reduce(0) { $0 + model.state(of: $1).waiting.count })
            #expect(queue.isEmpty == (queue.count == 0))
        }
    }

    @Test func `requests of a higher priority get a connection first`() async throws {
        let release = DispatchSemaphore(value: 0)
        let arrived = Locked<[String]>([])
        let server = try LoopbackServer { request in
            let isFirst = arrived.withLock { arrived in
                arrived.append(request.path)
                return arrived.count == 1
            }
            if isFirst { release.wait() }
            return .text("ok")
        }
        let other = try LoopbackServer { _ in .text("ok") }
        let session = DefaultSessionManager(configuration: SessionConfiguration { $0.maximumConnectionsPerHost = 1 })
        var responses: [Promise<Result<NetworkResponse, TransportError>>] = []
        for (path, priority) in [
            ("first", RequestPriority.normal), ("low", .low), ("high", .high), ("normal", .normal), ("high", .high),
        ] {
            var request = NetworkRequest(url: server.url.appendingPathComponent(path))
            request.priority = priority
            let response = Promise<Result<NetworkResponse, TransportError>>()
            responses.append(response)
            _ = session.response(for: request) { response.resolve($0) }
            while arrived.withLock(\.isEmpty), !Task.isCancelled { await Task.yield() }
        }
        // The event loop processes requests in order, so the others are in the queue when this one has been sent.
        _ = try await session.response(for: NetworkRequest(url: other.url))
        release.signal()
        for response in responses { #expect(try await response.value().get().statusCode == 200) }
        #expect(arrived.withLock(\.self) == ["/first", "/high", "/high", "/normal", "/low"])
    }
}
