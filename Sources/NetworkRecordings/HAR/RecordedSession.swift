import DataTransfer
import Foundation
import NetworkLogging

/// A session manager that records live exchanges once and replays them from then on, so that a test runs without a network.
///
/// ```swift
/// let session = try RecordedSession(
///     "Fixtures/movies.har", mode: .once, live: DefaultSessionManager())
/// let service = DefaultDataTransferService(
///     configuration: api, sessionManager: session)
/// ```
///
/// A relative path is resolved against the folder of the calling source file. The environment variable `DATA_TRANSFER_RECORD` overrides the
/// mode: `1` or `record` records again, `0` or `replay` only replays, `once` records if the file does not exist.
///
/// While recording, the file is written after each exchange, before its completion runs or its stream ends, so a test need not call anything
/// at its end. An exchange whose file cannot be written fails. Use a separate file for each test: sessions that record into the same file
/// overwrite each other. A test that fails while recording leaves an incomplete file: record it again. See ``RecordingSessionManager`` for
/// what is redacted, and ``ReplaySessionManager`` for how requests are matched.
public final class RecordedSession: NetworkSessionManager {
    /// A mode that decides when requests are sent to the live session manager.
    public enum Mode: String, Hashable, Sendable {
        /// Never sends requests: a request that is not recorded fails, and a missing file is an error.
        case replay
        /// Always sends requests and replaces an existing file.
        case record
        /// Records if the file does not exist; otherwise replays it.
        case once
    }

    private enum Part {
        case replay(ReplaySessionManager)
        case recording(RecordingSessionManager)
    }

    /// The URL of the archive file.
    package let file: URL
    private let part: Part

    /// Creates a session that records into an archive file or replays it.
    ///
    /// - Parameters:
    ///   - path: The path of the file, absolute or relative to the folder of `source`.
    ///   - mode: When to record. Default: ``Mode/replay``. The environment overrides it.
    ///   - live: The session manager that sends requests. Evaluated only when recording.
    ///   - options: How requests are matched. `redaction` replaces the one in the options.
    ///   - redaction: The rules for what is secret.
    ///   - environment: The environment variables. Default: those of the process.
    ///   - source: The path of the calling source file.
    /// - Throws: ``HTTPArchiveError`` if the file cannot be read or the mode is unknown.
    public init(
        _ path: String, mode: Mode = .replay, live: @autoclosure () -> any NetworkSessionManager,
        options: ReplayOptions = ReplayOptions(), redaction: Redaction = .default,
        environment: [String: String] = ProcessInfo.processInfo.environment, source: String = #filePath
    ) throws {
        let folder = URL(fileURLWithPath: source).deletingLastPathComponent()
        file = path.hasPrefix("/") ? URL(fileURLWithPath: path) : folder.appendingPathComponent(path)
        let mode = try Self.mode(environment["DATA_TRANSFER_RECORD"] ?? "", file: path) ?? mode
        switch mode {
        case .once where !FileManager.default.fileExists(atPath: file.path), .record:
            part = .recording(RecordingSessionManager(live(), redaction: redaction))
        case .once, .replay:
            var options = options
            options.redaction = redaction
            part = .replay(try ReplaySessionManager(contentsOf: file, options: options))
        }
    }

    private static func mode(_ text: String, file: String) throws(HTTPArchiveError) -> Mode? {
        switch text {
        case "": return nil
        case "1": return .record
        case "0": return .replay
        default:
            if let mode = Mode(rawValue: text) { return mode }
            throw HTTPArchiveError("", "has the unknown mode \"\(text.printable)\"; use replay, record or once", file: file)
        }
    }

    /// Whether requests are sent to the live session manager and recorded.
    package var isRecording: Bool {
        if case .recording = part { true } else { false }
    }

    /// The entries that were not replayed yet (``ReplaySessionManager/unused``); empty while recording.
    public var unused: [String] {
        if case .replay(let session) = part { session.unused } else { [] }
    }

    /// Replays the response to a request, or sends and records the request.
    ///
    /// - Throws: ``NetworkCore/TransportError``, with ``NetworkCore/TransportError/Code/other`` if the exchange cannot be
    ///   written. A streamed exchange is written when its body ends, and the body throws the error.
    public func response(for request: NetworkRequest) async throws(TransportError) -> NetworkResponse {
        switch part {
        case .replay(let session): try await session.response(for: request)
        case .recording(let session): try await record(request, with: session)
        }
    }

    private func record(
        _ request: NetworkRequest, with session: RecordingSessionManager
    ) async throws(TransportError) -> NetworkResponse {
        let file = file
        let result = await Result.from { () async throws(TransportError) in try await session.response(for: request) }
        guard case .success(var response) = result, response.body.data == nil else {
            try await Self.saveInBackground(session, to: file, request)
            return try result.get()
        }
        response.body = response.body.observed { (_) async throws(TransportError) in
            try await Self.saveInBackground(session, to: file, request)
        } onStop: {
            // Stopped before its end. An error here occurs again with the next exchange, which reports it.
            BackgroundThreads.files.run { _ = Self.save(session, to: file, request) }
        }
        return response
    }

    /// Writes the file on a thread of `BackgroundThreads.files`.
    private static func saveInBackground(
        _ session: RecordingSessionManager, to file: URL, _ request: NetworkRequest
    ) async throws(TransportError) {
        if let error = await BackgroundThreads.files.value({ save(session, to: file, request) }) { throw error }
    }

    /// Writes the file; returns the error if that fails.
    private static func save(
        _ session: RecordingSessionManager, to file: URL, _ request: NetworkRequest
    ) -> TransportError? {
        do {
            try session.save(to: file)
            return nil
        } catch {
            return TransportError(.other, "the exchange cannot be recorded: \(error)", request: request, underlying: error)
        }
    }
}

extension RecordedSession {
    /// The identity of the live session manager when recording, and a unique one when replaying.
    public var identity: SessionIdentity {
        switch part {
        case .replay(let session): session.identity
        case .recording(let session): session.identity
        }
    }
}

extension RecordedSession {
    /// The store of the cookies that are added to requests; `nil` if there are none.
    public var cookieStore: CookieStore? {
        switch part {
        case .replay(let session): session.cookieStore
        case .recording(let session): session.cookieStore
        }
    }
}

extension RecordedSession: RedactedStringConvertible {}
