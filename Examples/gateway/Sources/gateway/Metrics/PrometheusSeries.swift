import CoreMetrics
import Synchronization

/// The values of one metric with one set of labels.
final class PrometheusSeries: CounterHandler, MeterHandler, RecorderHandler, TimerHandler {
    /// The upper bounds of the buckets of durations, in seconds.
    private static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]

    private struct Values {
        var sum = 0.0
        var count = 0
        /// The number of values up to each bound, and not up to the one before.
        var buckets: [Int] = []
    }

    private let name: String
    private let labels: String
    private let values: Mutex<Values>
    private let isHistogram: Bool

    init(_ name: String, _ labels: String, isHistogram: Bool) {
        self.name = name
        self.labels = labels
        self.isHistogram = isHistogram
        values = Mutex(Values(buckets: isHistogram ? Array(repeating: 0, count: Self.bounds.count) : []))
    }

    func increment(by amount: Int64) { add(Double(amount)) }
    func reset() { set(0.0) }
    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { values.withLock { $0.sum = value } }
    func increment(by amount: Double) { add(amount) }
    func decrement(by amount: Double) { add(-amount) }
    func record(_ value: Int64) { record(Double(value)) }
    func record(_ value: Double) { isHistogram ? observe(value) : set(value) }
    func recordNanoseconds(_ duration: Int64) { observe(Double(duration) / 1e9) }

    private func add(_ amount: Double) {
        values.withLock { $0.sum += amount }
    }

    private func observe(_ value: Double) {
        values.withLock { values in
            values.sum += value
            values.count += 1
            if let index = Self.bounds.firstIndex(where: { value <= $0 }) { values.buckets[index] += 1 }
        }
    }

    var text: String {
        let values = values.withLock { $0 }
        guard isHistogram else { return "\(name)\(labels.isEmpty ? "" : "{\(labels)}") \(values.sum)\n" }
        let prefix = labels.isEmpty ? "" : labels + ","
        var text = ""
        var total = 0
        for (bound, count) in zip(Self.bounds, values.buckets) {
            total += count
            text += "\(name)_bucket{\(prefix)le=\"\(bound)\"} \(total)\n"
        }
        text += "\(name)_bucket{\(prefix)le=\"+Inf\"} \(values.count)\n"
        let suffix = labels.isEmpty ? "" : "{\(labels)}"
        return text + "\(name)_sum\(suffix) \(values.sum)\n\(name)_count\(suffix) \(values.count)\n"
    }
}
