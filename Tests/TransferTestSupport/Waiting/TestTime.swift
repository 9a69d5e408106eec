import Endpoints
import Foundation
import NetworkCore
import NetworkSupport

/// A date that changes only when a test advances it. It starts on Sunday, 6 November 1994, 08:49:37 GMT.
package final class TestTime: Sendable {
    package static let start = Date(timeIntervalSince1970: 784_111_777)

    private let date = Locked(TestTime.start)

    package init() {}

    package var now: Date { date.withLock { $0 } }

    /// Advances the date; a negative number moves it back.
    package func advance(_ seconds: Double) {
        date.withLock { $0 += seconds }
    }

    /// The date this many seconds after the start, in the format of HTTP.
    package static func text(_ seconds: Int) -> String {
        HTTPDate(start.addingTimeInterval(Double(seconds))).description
    }
}
