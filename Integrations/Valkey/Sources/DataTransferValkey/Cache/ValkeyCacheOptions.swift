import Foundation
import NetworkCache

/// How long and how many responses a ``ValkeyCacheStore`` keeps.
///
/// A response is kept until it can neither be used without validation nor, if it has an entity tag or a date, be validated any more.
public struct ValkeyCacheOptions: Sendable {
    /// The options of the cache, which determine the lifetime of responses that do not state one.
    public var caching: CacheOptions
    /// How long a response that can be validated is kept after it has become stale. Default: one hour.
    public var validationPeriod: Duration
    /// The longest time for which a response is kept, from now. Default: seven days.
    public var maximumLifetime: Duration
    /// The maximum number of variants under one key (RFC 9111 §4.1). Default: 8.
    public var maximumVariants: Int
    /// The longest time from sending a request until its response is stored. One that takes longer may be stored although its key was removed in the
    /// meantime by another process. Default: five minutes.
    public var maximumRequestTime: Duration

    /// Creates options. The parameters are described at the properties of the same names.
    public init(
        caching: CacheOptions = CacheOptions(), validationPeriod: Duration = .seconds(3600),
        maximumLifetime: Duration = .seconds(7 * 86_400), maximumVariants: Int = 8,
        maximumRequestTime: Duration = .seconds(300)
    ) {
        self.caching = caching
        self.validationPeriod = validationPeriod
        self.maximumLifetime = maximumLifetime
        self.maximumVariants = maximumVariants
        self.maximumRequestTime = maximumRequestTime
    }

    /// Returns how long an entry is kept, in whole seconds, rounded up. Zero or less if it can no longer be used.
    func keepingTime(of entry: CacheEntry, at now: Date) -> Duration {
        let end = entry.usableUntil(caching).timeIntervalSince(now)
        let seconds = entry.hasValidator ? max(0, end) + validationPeriod / .seconds(1) : end
        // A response that is stale and cannot be validated is kept if it may be served when the origin fails, which is part of `end`.
        let limit = max(0, maximumLifetime / .seconds(1))
        return .seconds(Int64(min(max(0, seconds.rounded(.up)), limit)))
    }
}
