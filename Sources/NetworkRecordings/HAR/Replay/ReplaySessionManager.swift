import DataTransfer
import Foundation
import NetworkLogging
import NetworkSupport

/// A session manager that replays responses from an HTTP archive, written by ``RecordingSessionManager`` or exported by a browser.
///
/// ```swift
/// let session = try ReplaySessionManager(contentsOf: file)
/// let service = DefaultDataTransferService(
///     configuration: api, sessionManager: session)
/// ```
///
/// An entry matches a request with the same method, URL and body. URLs are compared without user information and fragment, with a decoded
/// path, and with the query as items. Bodies are compared as JSON values, as forms, as multipart forms with any boundary, or literally.
/// `<redacted>` in the recording matches anything. If several entries match, each is used once, in their order, and then the last one
/// repeatedly. ``ReplayOptions`` changes these rules.
///
/// Redirects are followed if the archive has separate entries for them, as browsers write them. Replayed bodies are decoded, so
/// `Content-Encoding` and `Transfer-Encoding` are removed, and a recorded `Content-Length` is set to the length of the decoded body.
///
/// A request without a matching entry is sent with the fallback. Without a fallback it fails with
/// ``NetworkCore/TransportError/Code/notStubbed`` and a message that names the nearest entries and how they differ. Each session manager
/// counts its used entries separately: tests that run in parallel need one each.
public final class ReplaySessionManager: NetworkSessionManager {
    /// Unique for each session manager, because another archive contains other responses.
    public let identity = SessionIdentity.unique()
    private let exchanges: [RecordedExchange]
    private let options: ReplayOptions
    private let fallback: (any NetworkSessionManager)?
    private let name: String
    /// The entries of the archive that could not be read.
    private let skipped: [HTTPArchiveError]
    private let isUsed: Locked<[Bool]>

    /// Creates a session manager that replays an archive.
    ///
    /// - Parameters:
    ///   - archive: The recorded exchanges.
    ///   - options: How requests are matched and responses replayed.
    ///   - fallback: The session manager that sends requests without a matching entry. `nil`: such a request fails.
    public convenience init(
        _ archive: HTTPArchive, options: ReplayOptions = ReplayOptions(), fallback: (any NetworkSessionManager)? = nil
    ) {
        self.init(archive, name: "the archive", options: options, fallback: fallback)
    }

    /// Creates a session manager that replays an archive file. Reads the file on the calling thread.
    ///
    /// - Parameters:
    ///   - file: The file, in the format HAR 1.2.
    ///   - options: How requests are matched and responses replayed.
    ///   - fallback: The session manager that sends requests without a matching entry. `nil`: such a request fails.
    /// - Throws: ``HTTPArchiveError`` if the file cannot be read.
    public convenience init(
        contentsOf file: URL, options: ReplayOptions = ReplayOptions(), fallback: (any NetworkSessionManager)? = nil
    ) throws {
        let archive = try HTTPArchive(contentsOf: file)
        self.init(archive, name: file.lastPathComponent, options: options, fallback: fallback)
    }

    private init(_ archive: HTTPArchive, name: String, options: ReplayOptions, fallback: (any NetworkSessionManager)?) {
        exchanges = archive.entries.enumerated().map { RecordedExchange($0.element, index: $0.offset) }
        isUsed = Locked(Array(repeating: false, count: archive.entries.count))
        self.options = options
        self.fallback = fallback
        self.name = name
        skipped = archive.skipped
    }

    /// The entries that were not replayed yet, as `GET https://host/path`, in the order of the archive.
    public var unused: [String] {
        let isUsed = isUsed.withLock { $0 }
        return exchanges.filter { !isUsed[$0.index] }.map {
            "\($0.entry.request.method) \(URLText($0.entry.request.url).originAndPath)"
        }
    }

    /// Replays the response to a request. That of a streamed request has a body in pieces of 64 KiB; if the recorded transfer was
    /// interrupted, it fails after the recorded bytes.
    ///
    /// - Throws: ``NetworkCore/TransportError``: the recorded failure, or ``NetworkCore/TransportError/Code/notStubbed``.
    public func response(for request: NetworkRequest) async throws(TransportError) -> NetworkResponse {
        switch try await step(for: request) {
        case .pass(let request, let session): return try await session.response(for: request)
        case .replay(let exchange):
            if request.isStreamed {
                request.reportEnd()
                return try exchange.stream()
            }
            let result = Result { () throws(TransportError) in try exchange.response() }
            request.reportEnd(result)
            return try result.get()
        }
    }

    private enum Step {
        case replay(ReplayedResponse)
        case pass(NetworkRequest, any NetworkSessionManager)
    }

    /// Finds the next step for a request, and ends its progress if that fails.
    ///
    /// - Throws: The error of ``find(_:)``.
    private func step(for request: NetworkRequest) async throws(TransportError) -> Step {
        do throws(TransportError) {
            return try await find(request)
        } catch {
            request.reportEnd()
            throw error
        }
    }

    /// Finds the entry for a request, following recorded redirects.
    private func find(_ request: NetworkRequest) async throws(TransportError) -> Step {
        var request = request
        do throws(RequestGenerationError) {
            try request.validate()
        } catch {
            throw TransportError(.invalidRequest, error.description, request: request, underlying: error)
        }
        let rules = RedirectRules(SessionConfiguration { $0.allowsInsecureRedirects = true })
        var trail = RedirectTrail()
        while true {
            if Task.isCancelled { throw .taskCancelled(request) }
            if options.matchesBody, let body = request.body {
                // Reads the body once, so that redirected requests and the fallback use the bytes in memory.
                request.body = .data(try await body.collected(maximumBytes: options.maximumBodyBytes))
            }
            let wanted = ReplayedRequest(request, body: options.matchesBody ? request.body?.data ?? Data() : nil)
            guard let exchange = try take(wanted, for: request) else {
                if let fallback { return .pass(request, fallback) }
                throw unmatched(wanted, request)
            }
            try await delay(exchange.entry, request)
            let recorded = exchange.entry.response
            let next =
                recorded.finalURL == nil
                ? try rules.next(after: request, status: recorded.statusCode, headers: recorded.headers, trail: trail)
                : nil
            guard let next else { return .replay(ReplayedResponse(exchange: exchange, request: request)) }
            next.report(.redirected(next))
            trail.append(request)
            request = next
        }
    }

    private func delay(_ entry: HTTPArchive.Entry, _ request: NetworkRequest) async throws(TransportError) {
        guard options.reproducesDelays else { return }
        do {
            try await options.clock.sleep(bounded: entry.timings.total)
        } catch {
            throw .taskCancelled(request)
        }
    }

    /// Returns the first unused entry that matches, or else the last one that matches; `nil` if no entry matches.
    private func take(_ wanted: ReplayedRequest, for request: NetworkRequest) throws(TransportError) -> RecordedExchange? {
        let matching = exchanges.filter { $0.matches(wanted, options) }
        guard let last = matching.last else { return nil }
        let next = isUsed.withLock { isUsed in
            let next = matching.first { !isUsed[$0.index] }
            if let next { isUsed[next.index] = true }
            return next
        }
        if let next { return next }
        if options.repeatsLastResponse { return last }
        throw TransportError(
            .notStubbed,
            "\(name.printable) has \(matching.count) responses to this request, and all were used (repeatsLastResponse)",
            request: request)
    }

    private func unmatched(_ wanted: ReplayedRequest, _ request: NetworkRequest) -> TransportError {
        let nearest = exchanges.compactMap { exchange in
            exchange.difference(of: wanted, options).map { (exchange: exchange, difference: $0) }
        }.sorted { ($0.difference.rank, $0.exchange.index) < ($1.difference.rank, $1.exchange.index) }
        let list = nearest.prefix(3).map { exchange, difference in
            let recorded = exchange.entry.request
            let isSameOrigin = wanted.target.origin == exchange.target.origin
            let place = isSameOrigin ? exchange.target.path : URLText(recorded.url).originAndPath
            return "[\(exchange.index)] \(recorded.method.rawValue.printable) \(place.printable): \(difference.text)"
        }
        var entries = list.isEmpty ? "it is empty" : "nearest of \(exchanges.count) entries: " + list.joined(separator: "; ")
        if let first = skipped.first {
            entries += "; \(skipped.count) could not be read, such as: \(first.field) \(first.reason)"
        }
        return TransportError(.notStubbed, "\(name.printable) has no matching response; \(entries)", request: request)
    }
}

/// The options that decide how a ``ReplaySessionManager`` matches requests and replays responses.
public struct ReplayOptions: Sendable {
    /// Whether query items may be in another order than recorded. The order of items with the same name always matters. Default: `true`.
    public var ignoresQueryOrder: Bool
    /// The names of query items that are not compared, such as a time stamp. Default: none.
    public var ignoredQueryItems: Set<String>
    /// Whether scheme, host and port are not compared, for a server whose port changes with each run. Default: `false`.
    public var ignoresOrigin: Bool
    /// Whether bodies are compared. With `false` the body is not read. Default: `true`.
    public var matchesBody: Bool
    /// Whether the last matching entry is used again once all matching entries were used. With `false` the request fails. Default: `true`.
    public var repeatsLastResponse: Bool
    /// Whether a response is delayed by the recorded duration of its exchange. Default: `false`.
    public var reproducesDelays: Bool
    /// The clock that measures such a delay. Default: `ContinuousClock`.
    public var clock: any Clock<Duration>
    /// The rules with which multipart forms were redacted, as passed to the ``RecordingSessionManager``. Default: the built-in rules.
    public var redaction: Redaction
    /// The maximum size of a request body that is compared, in bytes; a request with a larger one fails. Default: 64 MiB.
    public var maximumBodyBytes: Int

    /// Creates options. The parameters are described at the properties of the same names.
    public init(
        ignoresQueryOrder: Bool = true, ignoredQueryItems: Set<String> = [], ignoresOrigin: Bool = false,
        matchesBody: Bool = true,
        repeatsLastResponse: Bool = true, reproducesDelays: Bool = false, clock: any Clock<Duration> = ContinuousClock(),
        redaction: Redaction = .default, maximumBodyBytes: Int = 64 << 20
    ) {
        self.ignoresQueryOrder = ignoresQueryOrder
        self.ignoredQueryItems = ignoredQueryItems
        self.ignoresOrigin = ignoresOrigin
        self.matchesBody = matchesBody
        self.repeatsLastResponse = repeatsLastResponse
        self.reproducesDelays = reproducesDelays
        self.clock = clock
        self.redaction = redaction
        self.maximumBodyBytes = maximumBodyBytes
    }
}

extension ReplaySessionManager {
    /// The store of the cookies that are added to requests; `nil` if there are none.
    public var cookieStore: CookieStore? { fallback?.cookieStore }
}

extension ReplaySessionManager: RedactedStringConvertible {}
