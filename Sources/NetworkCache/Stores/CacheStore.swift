import Foundation

/// Where responses are kept: in memory, on a disk, or in a server that several share.
///
/// A store decides nothing: which response is used, and whether, is up to the cache. What it hands out is what was saved, or nothing. It may
/// forget anything at any time. Methods run on the task of the request that waits for them; what they throw is logged and taken for a
/// miss, and never fails a request.
public protocol CacheStore: Sendable {
    /// The largest entry it takes, in ``CacheEntry/footprint`` bytes. A body that grows beyond is let through without being kept.
    var maximumEntryBytes: Int { get }

    /// All variants under a key, in any order; empty where there are none. Counts as a use of them.
    ///
    /// Each must be of exactly that key: the cache checks it.
    func entries(for key: CacheKey) async throws(CacheStoreError) -> [CacheEntry]

    /// Keeps a response, in place of the one with the same key and the same ``StoredResponse/varying``. When it returns,
    /// ``entries(for:)`` finds it, unless it has been forgotten since.
    func save(_ entry: CacheEntry) async throws(CacheStoreError)

    /// Forgets what is selected. When it returns, ``entries(for:)`` finds none of it.
    ///
    /// - Returns: How many responses that were; zero where the store cannot tell.
    @discardableResult
    func remove(_ selection: CacheSelection, because reason: CacheRemoval) async throws(CacheStoreError) -> Int
}

/// Why a response is no longer kept. The vocabulary is open.
public struct CacheRemoval: RawRepresentable, Hashable, Sendable {
    /// The reason, as a word.
    public var rawValue: String

    /// A reason of any name.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// No longer fresh, and nothing to ask its origin with: found when it was asked for.
    public static let expired = CacheRemoval(rawValue: "expired")
    /// A newer response has taken its place.
    public static let replaced = CacheRemoval(rawValue: "replaced")
    /// It had to make room: the store is full.
    public static let evicted = CacheRemoval(rawValue: "evicted")
    /// A request changed what it shows (RFC 9111 §4.4), or a newer answer says that it holds no longer.
    public static let invalidated = CacheRemoval(rawValue: "invalidated")
    /// The program asked for it.
    public static let removed = CacheRemoval(rawValue: "removed")
    /// What was kept cannot be read.
    public static let damaged = CacheRemoval(rawValue: "damaged")
}

/// Hears of each response that is no longer kept. Runs on whatever task or thread found it out, without any lock held, possibly on several
/// at once; who waits for the store waits for it.
public typealias CacheRemovalHandler = @Sendable (CacheKey, CacheRemoval) -> Void
