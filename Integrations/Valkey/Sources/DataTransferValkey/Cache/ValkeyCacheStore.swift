import Foundation
import NetworkCache

/// A store of cached responses on a server, which all processes of a fleet share.
///
/// ```swift
/// let cache = CacheInterceptor(store: ValkeyCacheStore(client))
/// ```
///
/// **Isolation.** A response is stored under a digest of its whole key: method, URL, partition and the content of a QUERY. The partition
/// is that of the credentials, so one user never gets the response of another one. What is read is compared with the key again.
///
/// **Removal.** A removed response is not returned in any process, and neither is one that another process had requested before the removal and
/// saves later. A selection by date removes all responses, as the server does not know their dates. If the server is restarted without its data, or
/// replaced by a replica that lacks the last changes, a response that was requested before a removal may be stored after it.
///
/// **Limits.** The server removes a response when it cannot be used any more (``ValkeyCacheOptions``). What all of them take together is limited
/// by `maxmemory` of the server alone, for which `maxmemory-policy allkeys-lru` is the right choice if it has no other contents. With
/// `noeviction`, nothing more is stored when it is full.
///
/// **Failures.** While the server is away, too slow or full, each read is a miss and nothing is stored: no request fails because of it. The
/// closure of ``ValkeyClient`` receives the error. Only a removal throws, so that the cache of this process no longer uses what it was to remove;
/// others may, until it has expired.
///
/// **Trust.** Anybody with access to the server can insert responses. Contents are not encrypted. The clocks of the processes should agree within
/// one second.
public final class ValkeyCacheStore: CacheStore {
    private let client: ValkeyClient
    private let options: ValkeyCacheOptions
    private let epochs = CacheEpochs()

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - client: The connections. Several stores may share them, and its key prefix separates their contents.
    ///   - options: How long and how many responses are stored.
    public init(_ client: ValkeyClient, options: ValkeyCacheOptions = ValkeyCacheOptions()) {
        self.client = client
        self.options = options
    }

    /// The maximum size of an entry: ``ValkeyConfiguration/maximumValueBytes``.
    public var maximumEntryBytes: Int { client.configuration.maximumValueBytes }

    /// The maximum size of all variants of a key, which are read together.
    private var maximumKeyBytes: Int {
        max(0, client.configuration.maximumReplyBytes - (64 << 10) - 256 * options.maximumVariants)
    }

    /// Returns all variants that are stored under a key. Does not throw: a failure of the server is reported and counts as a miss.
    public func entries(for key: CacheKey) async -> [CacheEntry] {
        let names = CacheNames(key, client)
        let commands = [["MGET"] + names.epochs, ["HGETALL", names.entries]].map { $0.map { Data($0.utf8) } }
        let replies: [ValkeyReply]
        do throws(ValkeyError) {
            replies = try await client.send(commands)
        } catch {
            return []
        }
        guard replies.count == 2, let current = replies[0].elements?.map(\.bytes), let fields = replies[1].elements,
            current.count == names.epochs.count
        else { return [] }
        epochs.note(current, for: names.entries, at: Date())
        guard let stamp = CacheEpochs.stamp(of: current) else { return [] }
        return await entries(in: fields, with: stamp, key, names)
    }

    private func entries(
        in fields: [ValkeyReply], with stamp: Data, _ key: CacheKey, _ names: CacheNames
    ) async -> [CacheEntry] {
        var stamps: [String: Data] = [:]
        var values: [String: Data] = [:]
        for index in stride(from: 0, to: fields.count - 1, by: 2) {
            guard let name = fields[index].text, let value = fields[index + 1].bytes else { continue }
            if name.hasPrefix("s") { stamps[String(name.dropFirst())] = value }
            if name.hasPrefix("v") { values[String(name.dropFirst())] = value }
        }
        var entries: [CacheEntry] = []
        let now = Date()
        for (variant, value) in values where stamps[variant]?.starts(with: stamp) == true {
            guard let entry = try? CacheEntry(encoded: value), entry.key == key, entry.variantDigest == variant else {
                // It is damaged, or was written in another version of the format.
                _ = try? await client.send("HDEL", names.entries, "v" + variant, "s" + variant)
                continue
            }
            if options.keepingTime(of: entry, at: now) > .zero { entries.append(entry) }
        }
        return entries
    }

    /// Stores a response, unless it is too large, can never be used, or was removed since it was requested; the one that it would replace is
    /// then removed. Does not throw: a failure of the server is reported.
    public func save(_ entry: CacheEntry) async {
        let names = CacheNames(entry.key, client)
        let encoded = entry.encoded()
        let variant = entry.variantDigest
        let time = options.keepingTime(of: entry, at: Date())
        guard time > .zero, entry.footprint <= maximumEntryBytes, encoded.count <= maximumEntryBytes else {
            _ = try? await client.send("HDEL", names.entries, "v" + variant, "s" + variant)
            return
        }
        guard let seen = epochs.seen(for: names.entries, requestedAt: entry.requestedAt) else { return }
        let numbers = [Int(time.components.seconds) * 1000, options.maximumVariants, maximumKeyBytes]
        var arguments = [Data(variant.utf8), encoded, CacheEpochs.new()] + numbers.map { Data(String($0).utf8) }
        switch seen {
        case .unknown: arguments.append(Data("0".utf8))
        case .known(let expected): arguments += [Data("1".utf8)] + expected.map { $0 ?? Data() }
        }
        _ = try? await client.run(Self.saving, keys: [names.entries] + names.epochs, arguments)
    }

    /// Removes responses: exactly those of a key, and otherwise at least the selected ones.
    ///
    /// - Returns: The number of removed variants of a key. Zero for other selections, whose responses are no longer returned but take memory until
    ///   they expire.
    /// - Throws: ``NetworkCache/CacheStoreError/Code/unavailable`` if the server cannot be used.
    @discardableResult
    public func remove(
        _ selection: CacheSelection, because reason: CacheRemoval = .removed
    ) async throws(CacheStoreError) -> Int {
        do throws(ValkeyError) {
            guard let key = selection.onlyKey else {
                try await renew(CacheNames.epoch(selection.tags.first ?? CacheNames.all, client))
                return 0
            }
            let names = CacheNames(key, client)
            let replies = try await client.send(
                [["HLEN", names.entries], ["UNLINK", names.entries]].map { $0.map { Data($0.utf8) } })
            try await renew(names.removal)
            return Int(clamping: (replies.first?.integer ?? 0) / 2)
        } catch {
            throw CacheStoreError(.unavailable, error.description, underlying: error)
        }
    }

    /// Replaces an epoch, so that responses of the previous one are not used, and those that were requested before are not stored.
    private func renew(_ name: String) async throws(ValkeyError) {
        let limit = String(options.maximumRequestTime.components.seconds * 1000)
        do throws(ValkeyError) {
            let arguments = [Data("SET".utf8), Data(name.utf8), CacheEpochs.new(), Data("PX".utf8), Data(limit.utf8)]
            _ = try await client.send(arguments)
        } catch {
            guard error.code == .outOfMemory else { throw error }
            // This is permitted when the memory is full, when nothing can be stored anyway.
            _ = try await client.send("UNLINK", name)
        }
    }

    /// Stores a variant if the epochs are still those that were seen, and removes the oldest variants beyond the limits.
    private static let saving = ValkeyScript(
        """
        local time = redis.call('TIME')
        local lifetime = tonumber(ARGV[4])
        local current = redis.call('MGET', unpack(KEYS, 2))
        if ARGV[7] == '1' then
            for i = 1, #current do
                if (current[i] or '') ~= ARGV[7 + i] then return 0 end
            end
        end
        local stamp = ''
        for i = 1, 4 do
            if not current[i] then
                current[i] = ARGV[3]
                redis.call('SET', KEYS[i + 1], current[i], 'PX', lifetime)
            elseif redis.call('PTTL', KEYS[i + 1]) < lifetime then
                redis.call('PEXPIRE', KEYS[i + 1], lifetime)
            end
            stamp = stamp .. current[i]
        end
        local name = KEYS[1]
        local before = redis.call('PTTL', name)
        redis.call('HSET', name, 'v' .. ARGV[1], ARGV[2], 's' .. ARGV[1], stamp .. string.format('%010d%06d', time[1], time[2]))
        redis.call('PEXPIRE', name, math.max(before, lifetime))
        while true do
            local count, bytes, oldest, oldestTime = 0, 0, nil, nil
            for _, field in ipairs(redis.call('HKEYS', name)) do
                if string.sub(field, 1, 1) == 's' then
                    local variant = string.sub(field, 2)
                    count = count + 1
                    bytes = bytes + redis.call('HSTRLEN', name, 'v' .. variant)
                    local saved = string.sub(redis.call('HGET', name, field), -16)
                    if variant ~= ARGV[1] and (not oldest or saved < oldestTime) then
                        oldest, oldestTime = variant, saved
                    end
                end
            end
            if not oldest or (count <= tonumber(ARGV[5]) and bytes <= tonumber(ARGV[6])) then return 1 end
            redis.call('HDEL', name, 'v' .. oldest, 's' .. oldest)
        end
        """)
}

extension CacheStoreError.Code {
    /// The server of a store cannot be used. The underlying error is a ``ValkeyError``.
    public static let unavailable = Self(rawValue: "unavailable")
}
