import Endpoints
import NetworkCore

/// Bounds the load that retries add when a server fails for everybody: each call pays in a part of a retry, each retry takes out a whole one.
///
/// Share one among all that talk to the same servers.
public final class RetryBudget: Sendable {
    private let balance: Locked<Double>
    private let share: Double
    private let reserve: Double

    /// - Parameters:
    ///   - share: Retries per call, in the long run. 0.2 unless given: retries add a fifth to the load at most.
    ///   - reserve: Retries that are there at the beginning, and the most that are saved up. 10 unless given.
    public init(share: Double = 0.2, reserve: Double = 10) {
        self.share = share
        self.reserve = reserve
        balance = Locked(reserve)
    }

    /// Whole retries that could be made now.
    public var available: Int { Int(balance.withLock { $0 }.clamped(to: 0...1_000_000, nan: 0)) }

    func deposit() {
        balance.withLock { $0 = min($0 + share, reserve) }
    }

    func withdraw() -> Bool {
        balance.withLock { balance in
            // Sums of 0.2 fall short of 1 by a hair.
            guard balance > 1 - 1e-9 else { return false }
            balance -= 1
            return true
        }
    }

    var flaw: String? {
        if !(share >= 0 && share <= 100) { return "budget.share is \(share); it must be 0...100" }
        if !(reserve >= 0 && reserve <= 1_000_000) { return "budget.reserve is \(reserve); it must be 0...1000000" }
        return nil
    }
}
