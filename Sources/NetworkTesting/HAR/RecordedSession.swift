import DataTransfer
import Foundation

/// A session manager that is live once, and recorded from then on: one line turns a test into one without a network.
///
/// ```swift
/// let session = try RecordedSession("Fixtures/movies.har", mode: .once, live: DefaultSessionManager())
/// let service = DefaultDataTransferService(configuration: api, sessionManager: session)
/// ```
///
/// A path that is not absolute is taken from the folder of the source file that calls. `DATA_TRANSFER_RECORD` in the environment takes the
/// place of the mode: `1` or `record` records anew, `0` or `replay` never goes live, `once` records where there is no file.
///
/// While it records, the file is written after each exchange, before its completion runs or its stream ends, so that there is nothing to call
/// at the end of a test; an exchange whose file cannot be written fails. Each test has a file of its own: sessions that record into one file
/// replace what the others wrote. A test that failed while it was recorded left part of a file: record it anew. See ``RecordingSessionManager`` for what is hidden in it, and
/// ``ReplaySessionManager`` for how requests are matched.
public final class RecordedSession: NetworkSessionManager {
    /// When to be live.
    public struct Mode: RawRepresentable, Hashable, Sendable {
        /// The mode's name.
        public var rawValue: String

        /// A mode of any name; one that is not known is an error when a session is made.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Never: what is not recorded fails, and so does a missing file.
        public static let replay = Mode(rawValue: "replay")
        /// Always: a file that is there is replaced.
        public static let record = Mode(rawValue: "record")
        /// Where there is no file yet.
        public static let once = Mode(rawValue: "once")
    }

    private enum Part {
        case replay(ReplaySessionManager)
        case recording(RecordingSessionManager)
    }

    /// The archive.
    public let file: URL
    private let part: Part

    /// - Parameters:
    ///   - path: Of the file.
    ///   - mode: When to be live; ``Mode/replay`` unless given. The environment comes first.
    ///   - live: Made only where it records.
    ///   - options: How requests are matched.
    ///   - redaction: What is hidden.
    ///   - environment: Of the process, unless given.
    ///   - source: The source file that calls.
    /// - Throws: ``HTTPArchiveError`` where the file cannot be read, or the mode is not known.
    public init(
        _ path: String, mode: Mode = .replay, live: @autoclosure () -> any NetworkSessionManager,
        options: ReplayOptions = ReplayOptions(), redaction: Redaction = .default,
        environment: [String: String] = ProcessInfo.processInfo.environment, source: String = #filePath
    ) throws(HTTPArchiveError) {
        let folder = URL(fileURLWithPath: source).deletingLastPathComponent()
        file = path.hasPrefix("/") ? URL(fileURLWithPath: path) : folder.appendingPathComponent(path)
        let mode = Self.mode(environment["DATA_TRANSFER_RECORD"] ?? "") ?? mode
        switch mode {
        case .once where !FileManager.default.fileExists(atPath: file.path), .record:
            part = .recording(RecordingSessionManager(live(), redaction: redaction))
        case .once, .replay:
            var options = options
            options.redaction = redaction
            part = .replay(try ReplaySessionManager(contentsOf: file, options: options))
        default:
            throw HTTPArchiveError(
                "", "has the mode \"\(mode.rawValue.printable)\"; replay, record and once are known", file: path)
        }
    }

    private static func mode(_ text: String) -> Mode? {
        switch text {
        case "": nil
        case "1": .record
        case "0": .replay
        default: Mode(rawValue: text)
        }
    }

    /// Whether requests go to the live session manager.
    public var isRecording: Bool {
        if case .recording = part { true } else { false }
    }

    /// What a replay has not given yet (``ReplaySessionManager/unused``); empty while recording.
    public var unused: [String] {
        if case .replay(let session) = part { session.unused } else { [] }
    }

    /// Sends a request or answers it.
    ///
    /// - Parameter completion: Runs exactly once, on a background thread; while recording, when the file has been written.
    /// - Returns: A handle that calls the request off.
    @discardableResult
    public func request(
        _ request: NetworkRequest,
        completion: @escaping @Sendable (Result<NetworkResponse, TransportError>) -> Void
    ) -> any NetworkCancellable {
        switch part {
        case .replay(let session):
            return session.request(request, completion: completion)
        case .recording(let session):
            let file = file
            return session.request(request) { result in
                if let error = Self.save(session, to: file, request) { return completion(.failure(error)) }
                completion(result)
            }
        }
    }

    /// Answers from the file, or passes the request on and writes the exchange.
    ///
    /// - Throws: ``TransportError``, with ``TransportError/Code/other`` where the exchange cannot be written.
    public func response(for request: NetworkRequest) async throws(TransportError) -> NetworkResponse {
        switch part {
        case .replay(let session):
            return try await session.response(for: request)
        case .recording(let session):
            let result: Result<NetworkResponse, TransportError>
            do throws(TransportError) {
                result = .success(try await session.response(for: request))
            } catch {
                result = .failure(error)
            }
            try await Self.saveAside(session, to: file, request)
            return try result.get()
        }
    }

    /// Sends a request or answers it, with a body that is read while it comes.
    ///
    /// - Throws: ``TransportError``. While recording, the file is written when the body ends, and a failure of that is thrown there.
    public func stream(for request: NetworkRequest) async throws(TransportError) -> StreamedResponse {
        switch part {
        case .replay(let session):
            return try await session.stream(for: request)
        case .recording(let session):
            return try await record(request, with: session)
        }
    }

    private func record(
        _ request: NetworkRequest, with session: RecordingSessionManager
    ) async throws(TransportError) -> StreamedResponse {
        let file = file
        let isSaved = Locked(false)
        let save: @Sendable () async throws(TransportError) -> Void = { () async throws(TransportError) in
            isSaved.withLock { $0 = true }
            try await Self.saveAside(session, to: file, request)
        }
        var response: StreamedResponse
        do throws(TransportError) {
            response = try await session.stream(for: request)
        } catch {
            try await save()
            throw error
        }
        let body = response.body
        response.body = ResponseStream { () async throws(TransportError) in
            let chunk: Data?
            do throws(TransportError) {
                var chunks = body.makeAsyncIterator()
                chunk = try await chunks.next()
            } catch {
                try await save()
                throw error
            }
            if chunk == nil { try await save() }
            return chunk
        } end: {
            body.timings.map { StreamEnd(trailers: body.trailers, timings: $0) }
        } stop: {
            body.stop()
            // Let go of before its end. What goes wrong here goes wrong again with the next exchange, and is told there.
            if !isSaved.withLock({ $0 }) { BackgroundThreads.files.run { _ = Self.save(session, to: file, request) } }
        }
        return response
    }

    /// - Returns: Why the file could not be written.
    private static func saveAside(
        _ session: RecordingSessionManager, to file: URL, _ request: NetworkRequest
    ) async throws(TransportError) {
        if let error = await BackgroundThreads.files.value({ save(session, to: file, request) }) { throw error }
    }

    private static func save(
        _ session: RecordingSessionManager, to file: URL, _ request: NetworkRequest
    ) -> TransportError? {
        do throws(HTTPArchiveError) {
            try session.save(to: file)
            return nil
        } catch {
            return TransportError(.other, "the exchange cannot be recorded: \(error)", request: request, underlying: error)
        }
    }
}
