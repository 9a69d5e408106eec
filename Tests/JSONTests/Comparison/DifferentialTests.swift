import Foundation
import JSONDifferential
import Testing

/// Random documents, values and numbers, compared with Foundation: every difference is one that `Docs/JSON.md` lists.
///
/// 20 documents for each of 25 models, or 400 with `DATA_TRANSFER_SLOW=1`; `DATA_TRANSFER_SEED` sets the seed. `Scripts/bench json-differential` runs it at
/// full size, compiled with optimization.
@Suite(.timeLimit(.minutes(10))) struct DifferentialTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let factor = environment["DATA_TRANSFER_SLOW"] == nil ? 1 : 20
    private static let seed = environment["DATA_TRANSFER_SEED"].flatMap { UInt64($0) } ?? 1

    @Test func `mutated documents decode as with Foundation`() {
        var differential = Differential(seed: Self.seed)
        differential.decode(documents: 20 * Self.factor)
        #expect(differential.count >= 500 * Self.factor)
        #expect(differential.unexpected.isEmpty, "seed \(Self.seed)\n\(differential.unexpected.joined(separator: "\n"))")
    }

    @Test func `random values encode as with Foundation`() {
        var differential = Differential(seed: Self.seed)
        differential.encode(rounds: max(1, 2 * Self.factor / 5))
        #expect(differential.count >= 250)
        #expect(differential.unexpected.isEmpty, "seed \(Self.seed)\n\(differential.unexpected.joined(separator: "\n"))")
    }

    @Test func `numbers are read as by the C library and written as by the standard library`() {
        var differential = Differential(seed: Self.seed)
        differential.numbers(1_000 * Self.factor)
        #expect(differential.count >= 1_800 * Self.factor)
        #expect(differential.unexpected.isEmpty, "seed \(Self.seed)\n\(differential.unexpected.joined(separator: "\n"))")
    }
}
