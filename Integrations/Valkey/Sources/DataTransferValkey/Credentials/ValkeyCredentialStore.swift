import Foundation
import NetworkAuthorization

/// A store of tokens on a server, so that one process of a fleet refreshes them and all others use the new ones.
///
/// ```swift
/// let credentials = oauth.refreshing(savedIn: ValkeyCredentialStore(client, name: "billing"))
/// ```
///
/// The lock is a lease that its holder extends while it works. If the holder dies, another process gets the lease after ``leaseTime``. Each lease has a
/// number (a fencing token): a holder that was suspended for longer than its lease cannot save over the tokens of a later holder.
///
/// The tokens are stored as they are: anybody with access to the server can use them. They survive a crash of the server only if it writes each change to its
/// disk (`appendonly yes`, `appendfsync always`), and a replica that takes its place may lack the last change; a refresh token that rotates can be lost
/// otherwise. Use `maxmemory-policy noeviction`, or a `volatile` one, for that server, as tokens have no time limit. While the server is away,
/// requests continue with the access token that the process has, until it expires.
public struct ValkeyCredentialStore: CredentialStore {
    private struct Lease: Sendable {
        var store: String
        var id: String
        var number: Int64
    }

    @TaskLocal private static var lease: Lease?

    private let client: ValkeyClient
    private let name: String
    /// The time after which the lease of a process that has died ends.
    public let leaseTime: Duration

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - client: The connections to the server.
    ///   - name: The name of the tokens, for example that of an API or a user.
    ///   - leaseTime: The time after which the lease of a process that has died ends. Default: 10 seconds, at least 100 milliseconds.
    public init(_ client: ValkeyClient, name: String, leaseTime: Duration = .seconds(10)) {
        self.client = client
        self.name = name
        self.leaseTime = max(.milliseconds(100), leaseTime)
    }

    private var recordKey: String { client.key("tokens", name) }
    private var leaseKey: String { recordKey + ":lease" }
    private var numberKey: String { recordKey + ":number" }

    /// Returns the record; `nil` if there is none.
    ///
    /// - Throws: `CredentialStoreError`: `unavailable`, `damaged`, `tooLarge` or `unsupportedVersion`.
    public func load() async throws(CredentialStoreError) -> CredentialRecord? {
        let reply = try await attempt { () async throws(ValkeyError) in try await client.send("GET", recordKey) }
        guard let bytes = reply.bytes else { return nil }
        return try CredentialRecord(json: bytes)
    }

    /// Saves a record, or removes it (`nil`), unless the lease of this task is an earlier one than the last.
    ///
    /// - Throws: `CredentialStoreError`: `unavailable`, `leaseLost`, `tooLarge` or `damaged`.
    public func save(_ record: CredentialRecord?) async throws(CredentialStoreError) {
        guard let lease = Self.lease, lease.store == recordKey else {
            throw CredentialStoreError(.leaseLost, "tokens can only be saved inside of withLock")
        }
        let bytes = try record?.json() ?? Data()
        let arguments = [Data(String(lease.number).utf8), bytes]
        let reply = try await attempt { () async throws(ValkeyError) in
            try await client.run(Self.saving, keys: [recordKey, numberKey], arguments)
        }
        guard reply == .integer(1) else {
            throw CredentialStoreError(.leaseLost, "another process has taken the lease, as this one did not extend it in time")
        }
    }

    /// Runs a closure while no other task or process of the fleet runs one for the same name.
    ///
    /// - Throws: `CredentialStoreError`: `lockTimedOut`, `cancelled` or `unavailable` while it waits; otherwise what `body` throws.
    public func withLock<Value: Sendable>(
        timeout: Duration, _ body: @Sendable () async throws -> Value
    ) async throws -> Value {
        let lease = try await take(within: timeout)
        let extending = Task { [self] in await extend(lease) }
        defer { extending.cancel() }
        let result: Result<Value, any Error>
        do {
            result = .success(try await Self.$lease.withValue(lease) { try await body() })
        } catch {
            result = .failure(error)
        }
        // If this fails, the lease ends by itself. In a separate task, as this one may have been cancelled.
        await Task { _ = try? await client.run(Self.releasing, keys: [leaseKey], [Data(lease.id.utf8)]) }.value
        return try result.get()
    }

    private func take(within timeout: Duration) async throws -> Lease {
        let id = UUID().uuidString
        let end = ContinuousClock.now + min(timeout, .seconds(86_400))
        let arguments = [Data(id.utf8), Data(milliseconds.utf8)]
        var pause = Duration.milliseconds(2)
        while true {
            if Task.isCancelled { throw Self.cancelled }
            var failure: ValkeyError?
            do throws(ValkeyError) {
                let reply = try await client.run(Self.taking, keys: [leaseKey, numberKey], arguments)
                if let number = reply.integer, number > 0 { return Lease(store: recordKey, id: id, number: number) }
            } catch {
                failure = error
            }
            guard ContinuousClock.now < end else {
                if let failure { throw Self.unavailable(failure) }
                throw CredentialStoreError(.lockTimedOut, "another process has locked the tokens for longer than \(timeout)")
            }
            do {
                try await Task.sleep(for: min(pause, max(.zero, ContinuousClock.now.duration(to: end))))
            } catch {
                throw Self.cancelled
            }
            pause = min(pause * 2, .milliseconds(50))
        }
    }

    private func extend(_ lease: Lease) async {
        while (try? await Task.sleep(for: leaseTime / 3)) != nil {
            _ = try? await client.run(Self.extending, keys: [leaseKey], [Data(lease.id.utf8), Data(milliseconds.utf8)])
        }
    }

    private var milliseconds: String { String(Int64(leaseTime / .milliseconds(1))) }

    /// Runs a command that may be repeated, up to three times.
    private func attempt(
        _ command: () async throws(ValkeyError) -> ValkeyReply
    ) async throws(CredentialStoreError) -> ValkeyReply {
        var attempts = 0
        while true {
            do throws(ValkeyError) {
                return try await command()
            } catch {
                attempts += 1
                guard attempts < 3, error.code == .timeout || error.code == .unreachable,
                    (try? await Task.sleep(for: .milliseconds(60))) != nil
                else { throw Self.unavailable(error) }
            }
        }
    }

    private static var cancelled: CredentialStoreError {
        CredentialStoreError(.cancelled, "cancelled while the lock of the tokens was awaited")
    }

    private static func unavailable(_ error: ValkeyError) -> CredentialStoreError {
        CredentialStoreError(.unavailable, error.description)
    }
}

extension ValkeyCredentialStore {
    /// The script is repeated if its reply was lost, and then finds its own lease.
    private static let taking = ValkeyScript(
        """
        local holder = redis.call('GET', KEYS[1])
        if holder == ARGV[1] then return tonumber(redis.call('GET', KEYS[2])) end
        if holder then return 0 end
        redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
        return redis.call('INCR', KEYS[2])
        """)
    private static let extending = ValkeyScript(
        "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0")
    private static let releasing = ValkeyScript(
        "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0")
    /// Saves if no later lease was taken. A server that has lost its contents has no number.
    private static let saving = ValkeyScript(
        """
        local number = redis.call('GET', KEYS[2])
        if number and tonumber(number) ~= tonumber(ARGV[1]) then return 0 end
        redis.call('SET', KEYS[2], ARGV[1])
        if ARGV[2] == '' then redis.call('DEL', KEYS[1]) else redis.call('SET', KEYS[1], ARGV[2]) end
        return 1
        """)
}

extension CredentialStoreError.Code {
    /// The server of a store cannot be used.
    public static let unavailable = Self(rawValue: "unavailable")
    /// The lease ended before the tokens were saved, and another process has taken it.
    public static let leaseLost = Self(rawValue: "leaseLost")
}
