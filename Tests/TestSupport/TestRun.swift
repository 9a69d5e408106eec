import Foundation
import Testing

/// Whether `DATA_TRANSFER_SLOW` is set, with which tests run more iterations.
package let isSlowRun = ProcessInfo.processInfo.environment["DATA_TRANSFER_SLOW"] != nil

/// Returns the size of a test: the usual one, or the larger one if ``isSlowRun``. The larger one is at most 20 times the usual one, so that all of them
/// together take ten minutes on two cores.
package func runs(_ usual: Int, slow: Int) -> Int {
    precondition(slow <= 20 * usual, "a slow run takes too long: \(slow) is more than 20 times \(usual)")
    return isSlowRun ? slow : usual
}

/// Whether the tests run with a sanitizer.
package let isSanitized = ["TSAN_OPTIONS", "ASAN_OPTIONS"].contains { ProcessInfo.processInfo.environment[$0] != nil }

extension TimeLimitTrait.Duration {
    /// The limit of a test that may be larger in slow runs: only a test that hangs exceeds it, also if all such tests run at the same time on a busy
    /// machine.
    package static var ofStorm: Self { .minutes(isSlowRun ? 60 : 10) }
}
