import Foundation
import Testing

@testable import DataTransferOpenCombine

@Suite(.timeLimit(.minutes(10)))
struct DemandTests {
    typealias Numbers = RecordingSubscriber<Int, DataTransferError>

    /// 0, 1, 2, … below a limit, and how often it was asked.
    final class Counter: Sendable {
        let asked = Guarded((count: 0, underWay: 0, overlaps: 0))
        let limit: Int

        init(_ limit: Int = .max) { self.limit = limit }

        var publisher: PulledPublisher<Int, DataTransferError> {
            PulledPublisher(
                opening: { () async throws(DataTransferError) in 0 },
                next: { [asked, limit] next async throws(DataTransferError) in
                    asked.withLock { asked in
                        asked.count += 1
                        asked.underWay += 1
                        if asked.underWay > 1 { asked.overlaps += 1 }
                    }
                    await Task.yield()
                    asked.withLock { $0.underWay -= 1 }
                    defer { next += 1 }
                    return next < limit ? next : nil
                })
        }

        var count: Int { asked.withLock { $0.count } }
        var overlaps: Int { asked.withLock { $0.overlaps } }
    }

    @Test func `nothing is asked for that was not demanded`() async {
        let counter = Counter()
        let subscriber = Numbers(.max(3))
        counter.publisher.subscribe(subscriber)
        await subscriber.waitForValues(3)
        #expect(counter.count == 3 && subscriber.values == [0, 1, 2])
        subscriber.request(.none)
        #expect(counter.count == 3)
        subscriber.request(.max(1))
        await subscriber.waitForValues(4)
        #expect(counter.count == 4)
        subscriber.cancel()
    }

    @Test func `demand returned and demand requested inside a value add up`() async {
        let counter = Counter()
        let subscriber = Numbers(.max(1)) { subscriber, value in
            guard value == 0 else { return .none }
            subscriber.request(.max(2))
            return .max(3)
        }
        counter.publisher.subscribe(subscriber)
        await subscriber.waitForValues(6)
        #expect(subscriber.values == [0, 1, 2, 3, 4, 5] && counter.count == 6 && counter.overlaps == 0)
        subscriber.cancel()
    }

    @Test func `a demand inside a value does not nest the next one`() async {
        let depth = Guarded((now: 0, most: 0))
        let subscriber = Numbers(.max(1)) { subscriber, _ in
            depth.withLock { depth in
                depth.now += 1
                depth.most = max(depth.now, depth.most)
            }
            subscriber.request(.max(1))
            depth.withLock { $0.now -= 1 }
            return .none
        }
        Counter(2000).publisher.subscribe(subscriber)
        await subscriber.waitForEnd()
        #expect(subscriber.values.count == 2000 && depth.withLock { $0.most } == 1 && subscriber.isFinished)
    }

    @Test func `cancelling while a value is received takes effect at once`() async {
        let counter = Counter()
        let subscriber = Numbers { subscriber, value in
            if value == 4 { subscriber.cancel() }
            return .unlimited
        }
        counter.publisher.subscribe(subscriber)
        await subscriber.waitForValues(5)
        #expect(subscriber.values == [0, 1, 2, 3, 4] && counter.count == 5)
        subscriber.request(.unlimited)
        #expect(subscriber.completions.isEmpty && counter.count == 5)
    }

    @Test func `cancelling with the last value leaves out the end`() async {
        let subscriber = Numbers { subscriber, _ in
            subscriber.cancel()
            return .none
        }
        PulledPublisher<Int, DataTransferError>(of: { () async throws(DataTransferError) in 7 }).subscribe(subscriber)
        await subscriber.waitForValues(1)
        #expect(subscriber.completions.isEmpty && subscriber.values == [7])
    }

    @Test func `cancelling inside the subscription asks for nothing`() async {
        final class Refusing: Subscriber {
            func receive(subscription: any Subscription) {
                subscription.cancel()
                subscription.request(.unlimited)
            }
            func receive(_ input: Int) -> Subscribers.Demand { .none }
            func receive(completion: Subscribers.Completion<DataTransferError>) {}
        }
        let counter = Counter()
        counter.publisher.subscribe(Refusing())
        #expect(counter.count == 0)
    }

    @Test func `demand from many threads is met exactly`() async {
        let counter = Counter()
        let subscriber = Numbers(.none)
        counter.publisher.subscribe(subscriber)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<100 { group.addTask { subscriber.request(.max(5)) } }
        }
        await subscriber.waitForValues(500)
        #expect(counter.count == 500 && counter.overlaps == 0 && subscriber.violations == 0)
        #expect(subscriber.values == Array(0..<500))
        subscriber.cancel()
    }

    @Test func `the end comes once, and nothing after it`() async {
        let subscriber = Numbers()
        Counter(10).publisher.subscribe(subscriber)
        let subscription = subscriber.record.withLock { $0.subscription }
        await subscriber.waitForEnd()
        subscription?.request(.unlimited)
        subscription?.cancel()
        subscription?.request(.max(1))
        #expect(subscriber.values.count == 10 && subscriber.isFinished)
    }
}
