import Endpoints
import Foundation
import NetworkCore

/// A date that stands still until it is moved. Begins on Sunday, 6 November 1994, 08:49:37 GMT.
final class TestTime: Sendable {
    static let start = Date(timeIntervalSince1970: 784_111_777)

    private let date = Locked(TestTime.start)

    var now: Date { date.withLock { $0 } }

    /// Back with a negative number.
    func advance(_ seconds: Double) {
        date.withLock { $0 += seconds }
    }

    /// As HTTP writes it.
    static func text(_ seconds: Int) -> String {
        HTTPDate(start.addingTimeInterval(Double(seconds))).description
    }
}
