import DataTransfer
import Foundation

/// Answers requests from an HTTP archive: one of ``RecordingSessionManager``, or one that a browser has exported. No network.
///
/// ```swift
/// let session = try ReplaySessionManager(contentsOf: URL(fileURLWithPath: "movies.har"))
/// let service = DefaultDataTransferService(configuration: api, sessionManager: session)
/// ```
///
/// A request is answered by an entry of the same method, URL and body. A URL is compared without user information and fragment, its path
/// decoded, its query as items. A body is compared as JSON value, as form, as multipart form whatever its boundary, or as it is. Where the
/// recording says `<redacted>`, anything matches. Of several entries, each is given once, in their order, and then the last one again;
/// ``ReplayOptions`` changes that.
///
/// Redirects are followed where the archive has them as entries of their own, as browsers write them. Bodies come decoded, so
/// `Content-Encoding` and `Transfer-Encoding` are left out, and `Content-Length` is that of the body as it comes.
///
/// A request without an answer fails with ``NetworkCore/TransportError/Code/notStubbed`` and names the nearest entries and what differs, or
/// goes on to a fallback. Each session manager keeps count on its own: tests that run at once have one each.
public final class ReplaySessionManager: NetworkSessionManager {
    private let exchanges: [RecordedExchange]
    private let options: ReplayOptions
    private let fallback: (any NetworkSessionManager)?
    private let name: String
    private let isUsed: Locked<[Bool]>

    /// - Parameter fallback: Sends what the archive has no answer for. `nil`: such a request fails.
    public convenience init(
        _ archive: HTTPArchive, options: ReplayOptions = ReplayOptions(), fallback: (any NetworkSessionManager)? = nil
    ) {
        self.init(archive, name: "the archive", options: options, fallback: fallback)
    }

    /// - Throws: ``HTTPArchiveError`` where the file cannot be read.
    public convenience init(
        contentsOf file: URL, options: ReplayOptions = ReplayOptions(), fallback: (any NetworkSessionManager)? = nil
    ) throws(HTTPArchiveError) {
        let archive = try HTTPArchive(contentsOf: file)
        self.init(archive, name: file.lastPathComponent, options: options, fallback: fallback)
    }

    private init(_ archive: HTTPArchive, name: String, options: ReplayOptions, fallback: (any NetworkSessionManager)?) {
        exchanges = archive.entries.enumerated().map { RecordedExchange($0.element, index: $0.offset) }
        isUsed = Locked(Array(repeating: false, count: archive.entries.count))
        self.options = options
        self.fallback = fallback
        self.name = name
    }

    /// Entries that have answered no request yet, as `GET https://host/path`, in the order of the archive.
    public var unused: [String] {
        let isUsed = isUsed.withLock { $0 }
        return exchanges.filter { !isUsed[$0.index] }.map {
            "\($0.entry.request.method) \(URLText($0.entry.request.url).originAndPath)"
        }
    }

    /// Answers a request.
    ///
    /// - Parameter completion: Runs exactly once, on a background thread.
    /// - Returns: A handle that calls the request off.
    @discardableResult
    public func request(
        _ request: NetworkRequest,
        completion: @escaping @Sendable (Result<NetworkResponse, TransportError>) -> Void
    ) -> any NetworkCancellable {
        TaskCancellable { () async throws(TransportError) in
            try await self.response(for: request)
        } completion: {
            completion($0)
        }
    }

    /// Answers a request.
    ///
    /// - Throws: ``TransportError``: the recorded failure, or ``NetworkCore/TransportError/Code/notStubbed``.
    public func response(for request: NetworkRequest) async throws(TransportError) -> NetworkResponse {
        switch try await step(for: request) {
        case .pass(let request, let session): return try await session.response(for: request)
        case .answer(let answer):
            let result = Result { () throws(TransportError) in try answer.response() }
            request.reportEnd(result)
            return try result.get()
        }
    }

    /// Answers a request with a body that comes in pieces of 64 KiB. Where the recorded transfer broke off, the body fails after what had come.
    ///
    /// - Throws: ``TransportError``: the recorded failure, or ``NetworkCore/TransportError/Code/notStubbed``.
    public func stream(for request: NetworkRequest) async throws(TransportError) -> StreamedResponse {
        switch try await step(for: request) {
        case .pass(let request, let session): return try await session.stream(for: request)
        case .answer(let answer):
            request.reportEnd()
            return try answer.stream()
        }
    }

    private enum Step {
        case answer(ReplayAnswer)
        case pass(NetworkRequest, any NetworkSessionManager)
    }

    /// - Throws: What ``find(_:)`` throws, after the request's progress has ended.
    private func step(for request: NetworkRequest) async throws(TransportError) -> Step {
        do throws(TransportError) {
            return try await find(request)
        } catch {
            request.reportEnd()
            throw error
        }
    }

    /// Follows redirects.
    private func find(_ request: NetworkRequest) async throws(TransportError) -> Step {
        var request = request
        do throws(RequestGenerationError) {
            try request.validate()
        } catch {
            throw TransportError(.invalidRequest, error.description, request: request, underlying: error)
        }
        let rules = RedirectRules(SessionConfiguration { $0.allowsInsecureRedirects = true })
        for followed in 0... {
            if Task.isCancelled { throw TransportError(.cancelled, "the task was cancelled", request: request) }
            if options.matchesBody, let body = request.body {
                // Read once: a second attempt, and the fallback, have it from memory.
                request.body = .data(try await body.collected(upTo: options.maximumBodyBytes))
            }
            let asked = ReplayedRequest(request, body: options.matchesBody ? request.body?.data ?? Data() : nil)
            guard let exchange = try take(asked, for: request) else {
                if let fallback { return .pass(request, fallback) }
                throw unmatched(asked, request)
            }
            try await delay(exchange.entry, request)
            let recorded = exchange.entry.response
            let next =
                recorded.finalURL == nil
                ? try rules.next(
                    after: request, status: recorded.statusCode, locations: recorded.headers.values(for: "Location"),
                    followed: followed)
                : nil
            guard let next else { return .answer(ReplayAnswer(exchange: exchange, request: request)) }
            request = next
        }
        throw TransportError(.tooManyRedirects, "the redirects have no end", request: request)
    }

    private func delay(_ entry: HTTPArchive.Entry, _ request: NetworkRequest) async throws(TransportError) {
        guard options.reproducesDelays else { return }
        do {
            try await options.clock.sleep(bounded: entry.timings.total)
        } catch {
            throw TransportError(.cancelled, "the task was cancelled", request: request)
        }
    }

    /// The first unused entry that matches, or the last one; `nil` where none does.
    private func take(_ asked: ReplayedRequest, for request: NetworkRequest) throws(TransportError) -> RecordedExchange? {
        let matching = exchanges.filter { $0.matches(asked, options) }
        guard let last = matching.last else { return nil }
        let next = isUsed.withLock { isUsed in
            let next = matching.first { !isUsed[$0.index] }
            if let next { isUsed[next.index] = true }
            return next
        }
        if let next { return next }
        if options.repeatsLastAnswer { return last }
        throw TransportError(
            .notStubbed,
            "\(name.printable) holds \(matching.count) answers to this request, and all were given (repeatsLastAnswer)",
            request: request)
    }

    private func unmatched(_ asked: ReplayedRequest, _ request: NetworkRequest) -> TransportError {
        let nearest = exchanges.compactMap { exchange in
            exchange.difference(of: asked, options).map { (exchange: exchange, difference: $0) }
        }.sorted { ($0.difference.rank, $0.exchange.index) < ($1.difference.rank, $1.exchange.index) }
        let list = nearest.prefix(3).map { exchange, difference in
            let recorded = exchange.entry.request
            let place = asked.target.origin == exchange.target.origin ? exchange.target.path : URLText(recorded.url).originAndPath
            return "[\(exchange.index)] \(recorded.method.rawValue.printable) \(place.printable): \(difference.text)"
        }
        let entries = list.isEmpty ? "it is empty" : "nearest of \(exchanges.count) entries: " + list.joined(separator: "; ")
        return TransportError(.notStubbed, "\(name.printable) has no answer; \(entries)", request: request)
    }
}

/// How a ``ReplaySessionManager`` finds answers and gives them.
public struct ReplayOptions: Sendable {
    /// Whether query items may stand in another order than recorded; those of one name may not. `true`.
    public var ignoresQueryOrder = true
    /// Names of query items that do not matter, such as a time stamp. None.
    public var ignoredQueryItems: Set<String> = []
    /// Whether scheme, host and port do not matter, as with a server on a port of its own in each run. `false`.
    public var ignoresOrigin = false
    /// Whether the body matters. `true`; with `false` it is not even read.
    public var matchesBody = true
    /// Whether a request that was answered as often as it was recorded gets the last of these answers again. `true`; with `false` it fails.
    public var repeatsLastAnswer = true
    /// Whether an answer takes as long as it did when it was recorded. `false`.
    public var reproducesDelays = false
    /// What such a delay is measured with.
    public var clock: any Clock<Duration> = ContinuousClock()
    /// What secrets a recorded multipart form has lost; as given to the ``RecordingSessionManager``.
    public var redaction = Redaction.default
    /// The largest request body that is compared, in bytes. 64 MiB.
    public var maximumBodyBytes = 64 << 20

    /// The defaults.
    public init() {}

    /// Made in place: `ReplayOptions { $0.ignoresOrigin = true }`.
    ///
    /// - Parameter change: Runs at once.
    public init(_ change: (inout ReplayOptions) -> Void) {
        change(&self)
    }
}
