import Endpoints
import Foundation

/// What one process knows of the bucket of a host. Times are in microseconds of a clock that is never set.
struct FleetLimitState: Sendable {
    /// What the process tells the server with a request for a token.
    struct Report: Sendable {
        /// The time until the bucket is full, as far as the process knows.
        var floor: Double
        var generation: String
        /// The tokens that were given without the server.
        var debt: Int
    }

    /// The time without the server after which others may have used their shares too, so that the bucket is emptied for their return.
    private static let longOutage = 1_000_000.0
    private static let epoch = ContinuousClock.now

    static var now: Double { epoch.duration(to: .now) / .microseconds(1) }

    /// The generation of the server's state; empty if there was none, or if it no longer counts.
    private var generation = ""
    private var due = 0.0
    private var local: TokenBucket?
    private var localSince: Double?
    private var debt = 0
    var pausedUntil = 0.0

    func isUseful(at now: Double) -> Bool { due > now || pausedUntil > now || localSince != nil }

    /// Returns what to tell the server.
    ///
    /// - Parameter recovery: The time in which other processes find the server again.
    func report(interval: Double, burst: Double, recovery: Double) -> Report {
        let now = Self.now
        var floor = max(0, due - now)
        if let localSince, let local, now - localSince >= Self.longOutage {
            floor = max(floor, recovery + interval * burst, local.lastSlot - now + interval * burst)
            return Report(floor: floor, generation: "", debt: 0)
        }
        return Report(floor: floor, generation: generation, debt: debt)
    }

    /// Adopts the state of the server.
    mutating func adopt(due: Double, _ generation: String, after report: Report) {
        self.due = self.generation == generation ? max(self.due, due) : due
        self.generation = generation
        debt = max(0, debt - report.debt)
        if report.generation.isEmpty || report.generation != generation { debt = 0 }
        localSince = nil
    }

    /// Takes a token of the share of this process.
    mutating func takeLocally(interval: Double, burst: Double, processes: Int, maximum: Double) -> Double {
        let now = Self.now
        let share = Double(processes)
        var bucket = local ?? TokenBucket(interval: interval * share, burst: max(1, (burst / share).rounded(.down)))
        if localSince == nil {
            localSince = now
            // Behind all that the server has reserved.
            bucket.empty(at: max(now, due - interval * burst))
        }
        bucket.pausedUntil = pausedUntil
        let wait = bucket.take(at: now, maximum: maximum)
        if wait <= maximum { debt += 1 }
        local = bucket
        return wait
    }
}

/// The time in `Retry-After` (RFC 9110 §10.2.3).
enum RetryTime {
    /// Returns the pause that a response asks for; `nil` if it has no valid field.
    static func pause(in headers: HeaderFields, now: Date = Date()) -> Duration? {
        guard let text = headers["Retry-After"]?.trimmingCharacters(in: .whitespaces), text.utf8.count <= 64 else { return nil }
        if !text.isEmpty, text.allSatisfy({ $0.isASCII && $0.isNumber }) { return .seconds(Int64(text) ?? 1_000_000_000) }
        guard let date = date(text) else { return nil }
        // The `Date` field is preferred because it comes from the same clock.
        let reference = headers["Date"].flatMap { Self.date($0) } ?? now
        return .seconds(max(0, min(date.timeIntervalSince(reference), 1e9)))
    }

    private static func date(_ text: String) -> Date? {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.date(from: text)
    }
}
