import Endpoints
import Foundation
import NetworkCore

/// The `Retry-After` field (RFC 9110 §10.2.3): seconds, or a date.
enum RetryAfter: Equatable {
    case none
    case delay(Duration)
    /// Neither of the two; to be ignored.
    case malformed

    /// - Parameters:
    ///   - now: What a date is measured from, where the response has no `Date` of its own: that one belongs to the same clock.
    init(_ headers: HTTPHeaders, now: Date) {
        guard let text = headers.values(for: "Retry-After").first?.trimmingCharacters(in: .whitespaces) else {
            self = .none
            return
        }
        if !text.isEmpty, text.utf8.allSatisfy({ $0 &- 0x30 < 10 }) {
            // Longer than anybody waits, without overflow.
            self = .delay(.seconds(text.utf8.count > 9 ? 1_000_000_000 : Int64(text) ?? 0))
        } else if let date = HTTPDate(text, now: now) {
            let reference = headers["Date"].flatMap { HTTPDate($0, now: now) } ?? HTTPDate(now)
            self = .delay(.seconds(max(0, date.secondsSince1970 - reference.secondsSince1970)))
        } else {
            self = .malformed
        }
    }
}
