import CoreMetrics
import Synchronization

/// A backend of metrics that keeps sums in memory.
package final class InMemoryMetrics: MetricsFactory {
    /// A metric with its dimensions.
    package final class Series: CounterHandler, MeterHandler, TimerHandler, RecorderHandler, Sendable {
        package let label: String
        package let dimensions: [String: String]
        private let values = Mutex((sum: 0.0, count: 0))

        init(_ label: String, _ dimensions: [(String, String)]) {
            self.label = label
            self.dimensions = Dictionary(dimensions, uniquingKeysWith: { $1 })
        }

        /// The sum of a counter, a timer in nanoseconds or a recorder; the value of a meter.
        package var sum: Double { values.withLock { $0.sum } }
        /// The number of values that were recorded.
        package var count: Int { values.withLock { $0.count } }

        package func increment(by amount: Int64) { add(Double(amount)) }
        package func reset() { values.withLock { $0 = (0, 0) } }
        package func set(_ value: Int64) { values.withLock { $0.sum = Double(value) } }
        package func set(_ value: Double) { values.withLock { $0.sum = value } }
        package func increment(by amount: Double) { add(amount) }
        package func decrement(by amount: Double) { add(-amount) }
        package func recordNanoseconds(_ duration: Int64) { add(Double(duration)) }
        package func record(_ value: Int64) { add(Double(value)) }
        package func record(_ value: Double) { add(value) }

        private func add(_ amount: Double) {
            values.withLock { values in
                values.sum += amount
                values.count += 1
            }
        }
    }

    private let made = Mutex<[Series]>([])

    /// Creates a backend without metrics.
    package init() {}

    /// All metrics, in the order of their first use.
    package var all: [Series] { made.withLock { $0 } }

    /// Returns the metrics with a label.
    package func series(_ label: String) -> [Series] { all.filter { $0.label == label } }

    private func make(_ label: String, _ dimensions: [(String, String)]) -> Series {
        let new = Series(label, dimensions)
        return made.withLock { made in
            if let known = made.first(where: { $0.label == label && $0.dimensions == new.dimensions }) { return known }
            made.append(new)
            return new
        }
    }

    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler { make(label, dimensions) }
    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler { make(label, dimensions) }
    package func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        make(label, dimensions)
    }
    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler { make(label, dimensions) }
    package func destroyCounter(_ handler: any CounterHandler) {}
    package func destroyMeter(_ handler: any MeterHandler) {}
    package func destroyRecorder(_ handler: any RecorderHandler) {}
    package func destroyTimer(_ handler: any TimerHandler) {}
}
