import Foundation
import NetworkCache
import Synchronization

/// The names of what belongs to a key of the cache on the server.
struct CacheNames {
    /// The tag that all keys have.
    static let all = "all"

    /// The hash of the variants. Field `v` and the digest of a variant is its response, `s` and that digest its stamp: the epochs at which it was
    /// stored, and the time.
    let entries: String
    /// The epochs: of all responses, the URL, the host, the partition, and the key's last removal.
    let epochs: [String]
    /// The last one of ``epochs``.
    let removal: String

    init(_ key: CacheKey, _ client: ValkeyClient) {
        let digest = key.digest
        entries = client.key("cache", digest)
        removal = Self.epoch(digest, client)
        epochs = ([Self.all] + key.tags).map { Self.epoch($0, client) } + [removal]
    }

    static func epoch(_ tag: String, _ client: ValkeyClient) -> String { client.key("epoch", tag) }
}

/// Random values on the server that change when responses are removed.
///
/// There is one for all responses, and one for each URL, host and partition. A response is stored with those of its key, in a stamp, and is used only
/// while all of them exist and are the same. So the removal of thousands of responses is that of one small key, and an epoch that
/// the server evicts makes responses misses, but never brings removed ones back.
///
/// A response that was requested before a removal must not be stored after it, in whichever process the removal was. So each process remembers
/// the epochs that it read when it looked for a response, and stores one only if they have not changed since. That of the key itself exists only
/// for some time after its removal.
final class CacheEpochs: Sendable {
    /// What a process knows of the epochs at the time of a request.
    enum Seen {
        /// The key was not looked up.
        case unknown
        case known([Data?])
    }

    private struct Record {
        var epochs: [Data?]
        var since: Date
    }

    private struct State {
        var records: [String: Record] = [:]
        /// The last time at which records were dropped because there were too many.
        var droppedAt = Date.distantPast
    }

    private static let maximumRecords = 10_000

    private let state = Mutex(State())

    /// Returns a new epoch, of 16 random bytes.
    static func new() -> Data { Data((0..<16).map { _ in UInt8.random(in: .min ... .max) }) }

    /// Returns the beginning of the stamps of responses that may be used, or `nil` if there can be none.
    static func stamp(of epochs: [Data?]) -> Data? {
        var stamp = Data()
        for epoch in epochs.dropLast() {
            guard let epoch else { return nil }
            stamp += epoch
        }
        return stamp
    }

    /// Remembers epochs that were read.
    func note(_ epochs: [Data?], for name: String, at now: Date) {
        state.withLock { state in
            if let known = state.records[name], known.epochs == epochs { return }
            if state.records.count >= Self.maximumRecords {
                state.records.removeAll(keepingCapacity: true)
                state.droppedAt = now
            }
            state.records[name] = Record(epochs: epochs, since: now)
        }
    }

    /// Returns the epochs at the time of a request, or `nil` if they have changed since, or it is not known whether they have.
    func seen(for name: String, requestedAt date: Date) -> Seen? {
        state.withLock { state in
            guard let record = state.records[name] else { return date < state.droppedAt ? nil : .unknown }
            return date < record.since ? nil : .known(record.epochs)
        }
    }
}
