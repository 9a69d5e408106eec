import Synchronization

/// Counts from many tasks.
final class Tally: Sendable {
    private let value = Atomic<Int>(0)

    var count: Int { value.load(ordering: .relaxed) }

    func increment() {
        value.add(1, ordering: .relaxed)
    }
}
