import DataTransferOpenCombine
import Foundation

/// Requests a given demand, and records what it receives.
// Sendable although unchecked: all it has is behind the lock of `record`, or never changes.
final class RecordingSubscriber<Input, Failure: Error>: Subscriber, @unchecked Sendable {
    struct Record {
        var values: [Input] = []
        var completions: [Subscribers.Completion<Failure>] = []
        var subscription: (any Subscription)?
        var isReceiving = false
        /// Calls that came while another one was under way, or after the end.
        var violations = 0
    }

    let record = Guarded(Record())
    private let initial: Subscribers.Demand
    private let onValue: (RecordingSubscriber, Input) -> Subscribers.Demand

    /// - Parameters:
    ///   - initial: The demand at the start. Default: unlimited.
    ///   - onValue: Runs for each value, and returns the further demand.
    init(
        _ initial: Subscribers.Demand = .unlimited,
        onValue: @escaping (RecordingSubscriber, Input) -> Subscribers.Demand = { _, _ in .none }
    ) {
        self.initial = initial
        self.onValue = onValue
    }

    func receive(subscription: any Subscription) {
        record.withLock { $0.subscription = subscription }
        if initial > .none { subscription.request(initial) }
    }

    func receive(_ input: Input) -> Subscribers.Demand {
        record.withLock { record in
            if record.isReceiving || !record.completions.isEmpty { record.violations += 1 }
            record.isReceiving = true
            record.values.append(input)
        }
        let demand = onValue(self, input)
        record.withLock { $0.isReceiving = false }
        return demand
    }

    func receive(completion: Subscribers.Completion<Failure>) {
        record.withLock { record in
            if record.isReceiving || !record.completions.isEmpty { record.violations += 1 }
            record.completions.append(completion)
            record.subscription = nil
        }
    }

    var values: [Input] { record.withLock { $0.values } }
    var completions: [Subscribers.Completion<Failure>] { record.withLock { $0.completions } }
    var violations: Int { record.withLock { $0.violations } }

    func request(_ demand: Subscribers.Demand) { record.withLock { $0.subscription }?.request(demand) }

    func cancel() { record.withLock { $0.subscription }?.cancel() }

    func waitForValues(_ count: Int) async { await record.wait { $0.values.count >= count && !$0.isReceiving } }

    func waitForEnd() async { await record.wait { !$0.completions.isEmpty } }
}

extension RecordingSubscriber {
    /// The error it received.
    var error: Failure? {
        for case .failure(let error) in completions { return error }
        return nil
    }

    /// Whether it received one proper end, and nothing that violates the rules.
    var isFinished: Bool {
        guard violations == 0, completions.count == 1, case .finished = completions[0] else { return false }
        return true
    }
}

extension Publisher {
    /// What is published until the end, all of it demanded.
    func recorded() async -> RecordingSubscriber<Output, Failure> {
        let subscriber = RecordingSubscriber<Output, Failure>()
        subscribe(subscriber)
        await subscriber.waitForEnd()
        return subscriber
    }
}
