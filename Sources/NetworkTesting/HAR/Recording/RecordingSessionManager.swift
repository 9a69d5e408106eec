import DataTransfer
import Dispatch
import Foundation

/// Sends requests with another session manager, and records what comes of them, without secrets.
///
/// ```swift
/// let recording = RecordingSessionManager(DefaultSessionManager())
/// let service = DefaultDataTransferService(configuration: api, sessionManager: recording)
/// _ = try await service.request(endpoint)
/// try recording.save(to: URL(fileURLWithPath: "movies.har"))
/// ```
///
/// Buffered and streamed exchanges and failures are recorded, in the order in which they began; what was called off is not. A streamed exchange
/// is recorded when its body has ended or been let go of. Hidden are the secrets that ``NetworkLogging/Redaction`` knows of: credentials,
/// cookies, secret query items, form fields and JSON keys. In the JSON of an answer a secret number becomes 0, so that it still decodes. Bytes
/// that are no UTF-8 text are kept as they are.
///
/// Everything is safe from any number of threads. Within the limits, all is held in memory.
public final class RecordingSessionManager: NetworkSessionManager {
    private let live: any NetworkSessionManager
    private let journal: RecordingJournal
    /// Snapshots are taken and written in one order, so that an older one never replaces a newer one.
    private let saving = DispatchQueue(label: "data-transfer.recording")

    /// - Parameters:
    ///   - live: Sends the requests.
    ///   - redaction: What is secret; the built-in rules unless given.
    ///   - limits: What is not recorded beyond; ``save(to:)`` then says so.
    public init(
        _ live: any NetworkSessionManager, redaction: Redaction = .default, limits: RecordingLimits = RecordingLimits()
    ) {
        self.live = live
        journal = RecordingJournal(redaction: redaction, limits: limits)
    }

    /// What has been recorded so far, in the order in which the exchanges began.
    public var archive: HTTPArchive { journal.archive }

    /// Writes what has been recorded so far, with mode 0600, and in one step (``HTTPArchive/write(to:)``). Makes the folder where there is none.
    ///
    /// Blocks for as long as the disk takes. When called from several tasks, the file ends with what was there last.
    ///
    /// - Throws: ``HTTPArchiveError``, also where a limit has kept an exchange from being recorded: then nothing is written.
    public func save(to file: URL) throws(HTTPArchiveError) {
        let result: Result<Void, HTTPArchiveError> = saving.sync {
            do throws(HTTPArchiveError) {
                if let omission = journal.omission { throw omission.named(file) }
                try? FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                return .success(try journal.archive.write(to: file))
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }

    /// Sends a request, and records what comes of it before the completion runs.
    ///
    /// - Parameter completion: Runs exactly once, where the other session manager runs it.
    /// - Returns: The handle of the other session manager.
    @discardableResult
    public func request(
        _ request: NetworkRequest,
        completion: @escaping @Sendable (Result<NetworkResponse, TransportError>) -> Void
    ) -> any NetworkCancellable {
        let exchange = journal.begin(request)
        return live.request(exchange.request) { result in
            exchange.end(result)
            completion(result)
        }
    }

    /// Sends a request, and records what comes of it.
    ///
    /// - Throws: What the other session manager throws.
    public func response(for request: NetworkRequest) async throws(TransportError) -> NetworkResponse {
        let exchange = journal.begin(request)
        do throws(TransportError) {
            let response = try await live.response(for: exchange.request)
            await exchange.endAside(.success(response))
            return response
        } catch {
            await exchange.endAside(.failure(error))
            throw error
        }
    }

    /// Sends a request, and records its body as it is read.
    ///
    /// - Throws: What the other session manager throws.
    public func stream(for request: NetworkRequest) async throws(TransportError) -> StreamedResponse {
        let exchange = journal.begin(request)
        do throws(TransportError) {
            return exchange.follow(try await live.stream(for: exchange.request))
        } catch {
            await exchange.endAside(.failure(error))
            throw error
        }
    }
}

/// Bounds of a ``RecordingSessionManager``.
public struct RecordingLimits: Sendable, Hashable {
    /// Of one body, in bytes; a longer one is cut there, and replayed that far. 16 MiB.
    public var bodyBytes: Int
    /// Of all bodies together, in bytes. 128 MiB.
    public var totalBytes: Int
    /// Exchanges. 10,000.
    public var entries: Int

    /// Limits; those not given have their defaults.
    public init(bodyBytes: Int = 16 << 20, totalBytes: Int = 128 << 20, entries: Int = 10_000) {
        self.bodyBytes = bodyBytes
        self.totalBytes = totalBytes
        self.entries = entries
    }
}

/// The exchanges of a recording, each under the number it got when it began.
final class RecordingJournal: Sendable {
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
        // Less than nothing is nothing.
        self.limits = RecordingLimits(
            bodyBytes: max(0, limits.bodyBytes), totalBytes: max(0, limits.totalBytes), entries: max(0, limits.entries))
    }

    var archive: HTTPArchive {
        let entries = state.withLock(\.entries)
        return HTTPArchive(entries: entries.sorted { $0.key < $1.key }.map(\.value))
    }

    /// The limit that has kept something from being recorded.
    var omission: HTTPArchiveError? { state.withLock(\.omission) }

    func begin(_ request: NetworkRequest) -> RecordingExchange {
        let number = state.withLock { state in
            state.begun += 1
            return state.begun
        }
        return RecordingExchange(request, number: number, journal: self)
    }

    func add(_ entry: HTTPArchive.Entry, number: Int) {
        let bytes = (entry.request.body?.data?.count ?? 0) + (entry.response.body.data?.count ?? 0)
        state.withLock { state in
            if state.entries.count >= limits.entries {
                state.omission = HTTPArchiveError("log.entries", "would hold more than \(limits.entries) entries (entries)")
            } else if bytes > limits.totalBytes - state.bytes {
                state.omission = HTTPArchiveError(
                    "log.entries", "would hold more than \(limits.totalBytes) bytes of bodies (totalBytes)")
            } else {
                state.bytes += bytes
                state.entries[number] = entry
            }
        }
    }
}
