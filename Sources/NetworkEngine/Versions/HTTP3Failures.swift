/// The origins whose servers were not reached over HTTP/3, so that requests that prefer it use TCP for a while.
///
/// Times are in nanoseconds of the monotonic clock.
struct HTTP3Failures: Sendable {
    /// How long an origin is remembered: 5 minutes.
    static let lifetime: UInt64 = 300_000_000_000
    /// The number of origins after which all are forgotten.
    static let maximum = 1024

    private var ends: [String: UInt64] = [:]

    /// Whether HTTP/3 is not tried with an origin.
    func contains(_ origin: String, at now: UInt64) -> Bool { ends[origin].map { now < $0 } ?? false }

    /// Notes that a server was not reached in time.
    mutating func note(_ origin: String, at now: UInt64) {
        if ends.count >= Self.maximum, ends[origin] == nil { ends.removeAll() }
        ends[origin] = now &+ Self.lifetime
    }

    /// Notes that a server was reached.
    mutating func remove(_ origin: String) {
        ends[origin] = nil
    }
}
