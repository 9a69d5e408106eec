import DataTransfer
import Dispatch
import Foundation
import NetworkLogging
import NetworkSupport

/// A session manager that sends requests with another one and records the exchanges, with secrets redacted.
///
/// ```swift
/// let recording = RecordingSessionManager(DefaultSessionManager())
/// let service = DefaultDataTransferService(
///     configuration: api, sessionManager: recording)
/// _ = try await service.request(endpoint)
/// try recording.save(to: URL(fileURLWithPath: "movies.har"))
/// ```
///
/// Buffered and streamed exchanges and failures are recorded in the order in which they began; cancelled requests are not. A streamed exchange
/// is recorded when its body has ended or is released. ``NetworkLogging/Redaction`` decides which secrets are redacted: credentials, cookies,
/// secret query items, form fields and JSON keys. In a JSON response, a secret number becomes 0, so that it still decodes. Bodies that are not
/// UTF-8 text are recorded unchanged.
///
/// All members are safe to use from any thread. The recording is held in memory, up to ``RecordingLimits``.
public final class RecordingSessionManager: NetworkSessionManager {
    private let live: any NetworkSessionManager
    /// The identity of the other session manager.
    public var identity: SessionIdentity { live.identity }
    private let log: RecordingLog
    /// A serial queue that takes and writes snapshots, so that an older one never replaces a newer one.
    private let saving = DispatchQueue(label: "data-transfer.recording")

    /// Creates a session manager that records the requests sent with another one.
    ///
    /// - Parameters:
    ///   - live: The session manager that sends the requests.
    ///   - redaction: The rules for what is secret. Default: the built-in rules.
    ///   - limits: The limits beyond which exchanges are not recorded; ``save(to:)`` then throws.
    public init(
        _ live: any NetworkSessionManager, redaction: Redaction = .default, limits: RecordingLimits = RecordingLimits()
    ) {
        self.live = live
        log = RecordingLog(redaction: redaction, limits: limits)
    }

    /// The exchanges recorded so far, in the order in which they began.
    public var archive: HTTPArchive { log.archive }

    /// Writes the exchanges recorded so far to a file with mode 0600, which replaces an older file atomically.
    ///
    /// Creates the folder if it does not exist. Blocks while the disk is busy. When called from several tasks, the file finally contains the
    /// newest state.
    ///
    /// - Throws: ``HTTPArchiveError`` if the file cannot be written, or if an exchange was not recorded because of a limit: then nothing is
    ///   written.
    public func save(to file: URL) throws {
        try saving.sync {
            if let omission = log.omission { throw omission.named(file) }
            try? FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try log.archive.write(to: file)
        }
    }

    /// Sends a request, and records the exchange: at once, or when the body of a streamed response has ended.
    ///
    /// - Throws: The error of the other session manager.
    public func response(for request: NetworkRequest) async throws(TransportError) -> NetworkResponse {
        let exchange = log.begin(request)
        let result = await Result.from { () async throws(TransportError) in try await live.response(for: exchange.request) }
        return try await exchange.end(result).get()
    }
}

/// The limits of a ``RecordingSessionManager``. Negative values count as 0.
public struct RecordingLimits: Sendable, Hashable {
    /// The maximum size of a recorded body in bytes; a longer one is truncated there. Default: 16 MiB.
    public var maximumBodyBytes: Int
    /// The maximum size of all recorded bodies together, in bytes. Default: 128 MiB.
    public var maximumBytes: Int
    /// The maximum number of recorded exchanges. Default: 10,000.
    public var maximumEntries: Int

    /// Creates limits, with defaults for those not passed.
    public init(maximumBodyBytes: Int = 16 << 20, maximumBytes: Int = 128 << 20, maximumEntries: Int = 10_000) {
        self.maximumBodyBytes = maximumBodyBytes
        self.maximumBytes = maximumBytes
        self.maximumEntries = maximumEntries
    }
}

/// The exchanges of a recording, each stored under the number it got when it began.
final class RecordingLog: Sendable {
    private struct State {
        var entries: [Int: HTTPArchive.Entry] = [:]
        var begun = 0
        var bytes = 0
        var omission: HTTPArchiveError?
    }

    let redaction: Redaction
    let limits: RecordingLimits
    private let state = Locked(State())

    init(redaction: Redaction, limits: RecordingLimits) {
        self.redaction = redaction
        self.limits = RecordingLimits(
            maximumBodyBytes: max(0, limits.maximumBodyBytes), maximumBytes: max(0, limits.maximumBytes),
            maximumEntries: max(0, limits.maximumEntries))
    }

    var archive: HTTPArchive {
        let entries = state.withLock(\.entries)
        return HTTPArchive(entries: entries.sorted { $0.key < $1.key }.map(\.value))
    }

    /// The error for an exchange that was not recorded because of a limit.
    var omission: HTTPArchiveError? { state.withLock(\.omission) }

    /// Numbers an exchange that begins.
    func begin(_ request: NetworkRequest) -> RecordingExchange {
        let number = state.withLock { state in
            state.begun += 1
            return state.begun
        }
        return RecordingExchange(request, number: number, log: self)
    }

    /// Stores an entry, unless a limit would be exceeded.
    func add(_ entry: HTTPArchive.Entry, number: Int) {
        let bytes = (entry.request.body?.data?.count ?? 0) + (entry.response.body.data?.count ?? 0)
        state.withLock { state in
            if state.entries.count >= limits.maximumEntries {
                state.omission = HTTPArchiveError(
                    "log.entries", "would contain more than \(limits.maximumEntries) entries (maximumEntries)")
            } else if bytes > limits.maximumBytes - state.bytes {
                state.omission = HTTPArchiveError(
                    "log.entries", "would contain more than \(limits.maximumBytes) bytes of bodies (maximumBytes)")
            } else {
                state.bytes += bytes
                state.entries[number] = entry
            }
        }
    }
}

extension RecordingSessionManager {
    /// The store of the cookies that are added to requests; `nil` if there are none.
    public var cookieStore: CookieStore? { live.cookieStore }
}

extension RecordingSessionManager: RedactedStringConvertible {}
