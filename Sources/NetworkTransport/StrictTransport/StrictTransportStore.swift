import Endpoints
import Foundation
import NetworkSupport

/// The known hosts of one session manager, in memory and perhaps in a file. It may be used from any thread.
package final class StrictTransportStore: Sendable {
    private struct State {
        var hosts = StrictTransportHosts()
        /// What was changed since the file was last written; `nil` for a host that was removed.
        var changes: [String: StrictTransportHosts.Entry?] = [:]
        /// The expiry of each host in the file.
        var saved: [String: StrictTransportHosts.Entry] = [:]
        var isSaving = false

        /// Forgets changes of hosts that are not kept any more, if the file could not be written for a long time.
        mutating func limitChanges() {
            guard changes.count > 2 * StrictTransportHosts.maximumHosts else { return }
            changes = changes.filter { hosts.entries[$0.key] != nil }
        }
    }

    /// The maximum size of a file, in bytes.
    static let maximumFileBytes = 4 << 20

    private let file: URL?
    private let now: @Sendable () -> Int64
    private let state: Locked<State>
    private let saving = SerialWork()

    /// Creates a store, and reads the file if there is one.
    ///
    /// - Parameter now: Returns the current time in seconds since 1970. Default: the system clock.
    /// - Returns: `nil` if the feature is off.
    /// - Throws: ``TransportError/Code/invalidConfiguration`` if the file cannot be used.
    package init?(
        _ configuration: StrictTransport, now: @escaping @Sendable () -> Int64 = { FileTime.now.nanoseconds / 1_000_000_000 }
    ) throws(TransportError) {
        var state = State()
        switch configuration.choice {
        case .off: return nil
        case .inMemory: file = nil
        case .file(let url):
            state.hosts = try Self.hosts(in: url, now: now())
            state.saved = state.hosts.entries
            file = url
        }
        self.now = now
        self.state = Locked(state)
    }

    private static func invalid(_ message: String) -> TransportError {
        TransportError(.invalidConfiguration, "strictTransport: \(message)")
    }

    private static func hosts(in url: URL, now: Int64) throws(TransportError) -> StrictTransportHosts {
        guard url.isFileURL else { throw invalid("the URL of the file is not a file URL") }
        let name = url.lastPathComponent.printable
        guard let descriptor = FileDescriptor.open(url.path, O_RDONLY, followsLink: true) else {
            let error = SystemError.last
            guard error.number == ENOENT else { throw invalid("the file \"\(name)\" cannot be opened: \(error.message)") }
            guard access(url.deletingLastPathComponent().path, W_OK | X_OK) == 0 else {
                throw invalid("the folder of the file \"\(name)\" does not exist or is not writable")
            }
            return StrictTransportHosts()
        }
        guard descriptor.status?.isRegular == true else { throw invalid("\"\(name)\" is not a file") }
        var bytes = [UInt8](repeating: 0, count: maximumFileBytes + 1)
        guard let count = bytes.withUnsafeMutableBytes({ descriptor.read(into: $0) }) else {
            throw invalid("the file \"\(name)\" cannot be read: \(SystemError.last.message)")
        }
        guard count <= maximumFileBytes else { throw invalid("the file \"\(name)\" is larger than \(maximumFileBytes) bytes") }
        guard let text = String(valid: bytes[..<count]) else {
            throw invalid("the file \"\(name)\" is damaged: it is not UTF-8")
        }
        do throws(StrictTransportHosts.Damage) {
            return try StrictTransportHosts(text: text, now: now)
        } catch {
            throw invalid("the file \"\(name)\" is damaged in line \(error.line)")
        }
    }

    /// The number of hosts, including expired ones that were not removed yet.
    package var count: Int { state.withLock { $0.hosts.entries.count } }

    /// The number of changes that are not in the file yet.
    var unwrittenCount: Int { state.withLock { $0.changes.count } }

    /// Receives the `Strict-Transport-Security` fields of a response that was received over TLS with a verified certificate. Only the first
    /// field counts, even if it is invalid (§8.1).
    package func receive(_ fields: [String], for request: NetworkRequest) {
        guard let first = fields.first, request.isSecure, let field = StrictTransportField(first),
            let host = Self.host(of: request.urlText)
        else { return }
        let now = now()
        let mustSave = state.withLock { state in
            state.hosts.apply(field, to: host, now: now)
            guard file != nil else { return false }
            let entry = state.hosts.entries[host]
            if let entry, let saved = state.saved[host], entry.includesSubdomains == saved.includesSubdomains,
                abs(entry.expires - saved.expires) < min(86_400, max(field.maximumAge / 10, 1))
            {
                return false
            }
            if entry == nil, state.saved[host] == nil, state.changes[host] == nil { return false }
            state.changes[host] = .some(entry)
            state.saved[host] = entry
            state.limitChanges()
            defer { state.isSaving = true }
            return !state.isSaving
        }
        if mustSave { saving.run { self.save() } }
    }

    /// Whether a host is contacted over TLS only.
    func contains(_ host: String) -> Bool {
        let now = now()
        return state.withLock { $0.hosts.contain(host, now: now) }
    }

    // MARK: The file

    /// Waits until all changes were written, or could not be.
    package func flush() async {
        await saving.perform {}
    }

    private func save() {
        guard let file else { return }
        // Otherwise, of the changes of two processes at the same time, only the later ones would remain.
        let lock = Self.lock(besides: file)
        defer { lock?.close() }
        let (changes, own) = state.withLock { state in
            state.isSaving = false
            return (state.changes, state.hosts)
        }
        guard lock != nil else { return }
        let now = now()
        // Another process may have changed the file. If it is damaged now, it is replaced by what is known here.
        var hosts = (try? Self.hosts(in: file, now: now)) ?? own
        let order = Dictionary(uniqueKeysWithValues: own.inOrder.enumerated().map { ($1, $0) })
        hosts.set(changes.sorted { order[$0.key, default: -1] < order[$1.key, default: -1] }.map { ($0.key, $0.value) }, now: now)
        let temporary = file.deletingLastPathComponent().appendingPathComponent(".hsts-\(UUID().uuidString)").path
        guard (try? NewFile.replace(file.path, with: Data(hosts.text(now: now).utf8), through: temporary)) != nil else { return }
        state.withLock { state in
            for (host, entry) in changes where state.changes[host] == .some(entry) { state.changes[host] = nil }
            state.saved = hosts.entries
            for (host, entry) in state.changes { state.saved[host] = entry }
        }
    }

    /// Locks the file beside the one of the hosts, for which it waits up to a second.
    ///
    /// - Returns: `nil` if another process has locked it longer, or if it cannot be opened.
    private static func lock(besides file: URL) -> FileDescriptor? {
        guard let lock = FileDescriptor.open(file.path + ".lock", O_RDWR | O_CREAT, mode: 0o600) else { return nil }
        for _ in 0..<200 {
            // A file system without locks still replaces the file in one step.
            if lock.lock() || (errno != EWOULDBLOCK && errno != EINTR) { return lock }
            usleep(5_000)
        }
        lock.close()
        return nil
    }
}
