import DataTransfer
import Foundation

/// One exchange under way, until it is an entry of the journal.
final class RecordingExchange: Sendable {
    /// The request to be sent: with a body that is noted as it is read.
    let request: NetworkRequest
    private let original: NetworkRequest
    private let sent: SentBody
    private let number: Int
    private let journal: RecordingJournal
    private let started = Date()
    private let began = ContinuousClock.now

    init(_ request: NetworkRequest, number: Int, journal: RecordingJournal) {
        original = request
        sent = SentBody(request.body, limit: journal.limits.bodyBytes)
        var request = request
        request.body = sent.content
        self.request = request
        self.number = number
        self.journal = journal
    }

    /// As ``end(_:)``, without blocking the thread of an async task: the files of the request's body are read for it.
    func endAside(_ result: Result<NetworkResponse, TransportError>) async {
        await aside { self.end(result) }
    }

    private func aside(_ work: @escaping @Sendable () -> Void) async {
        guard sent.looksAtFiles else { return work() }
        await BackgroundThreads.files.value(work)
    }

    func end(_ result: Result<NetworkResponse, TransportError>) {
        switch result {
        case .success(let response):
            let limit = journal.limits.bodyBytes
            record(response, body: response.body.prefix(limit), isTruncated: response.body.count > limit)
        case .failure(let error):
            record(nil, error: error)
        }
    }

    /// The same response; what is read of its body is recorded when it is over.
    func follow(_ response: StreamedResponse) -> StreamedResponse {
        let (body, received) = (response.body, BodyCapture(limit: journal.limits.bodyBytes))
        let state = Locked((isReading: false, isOver: false))
        let finish: @Sendable (_ isWhole: Bool, TransportError?) -> Void = { isWhole, error in
            let isFirst = state.withLock { state in
                defer { state.isOver = true }
                return !state.isOver
            }
            guard isFirst else { return }
            let head = NetworkResponse(
                statusCode: response.statusCode, headers: response.headers, url: response.url,
                timings: body.timings ?? response.timings)
            let (bytes, isCut) = received.content
            self.record(head, body: bytes, isTruncated: isCut || !isWhole, error: error)
        }
        var followed = response
        followed.body = ResponseStream { () async throws(TransportError) in
            state.withLock { $0.isReading = true }
            defer { state.withLock { $0.isReading = false } }
            do throws(TransportError) {
                var chunks = body.makeAsyncIterator()
                let chunk = try await chunks.next()
                if let chunk { received.append(chunk) } else { await self.aside { finish(true, nil) } }
                return chunk
            } catch {
                await self.aside { finish(true, error) }
                throw error
            }
        } end: {
            body.timings.map { StreamEnd(trailers: body.trailers, timings: $0) }
        } stop: {
            body.stop()
            // Who is reading gets an error of it.
            if !state.withLock({ $0.isReading }) { finish(false, nil) }
        }
        return followed
    }

    private func record(
        _ response: NetworkResponse?, body: Data = Data(), isTruncated: Bool = false, error: TransportError? = nil
    ) {
        if let error, error.isCancelled || error.code == .invalidRequest { return }
        let redactor = EntryRedactor(redaction: journal.redaction)
        let timings = response?.timings ?? error?.timings ?? TransferTimings()
        let version = EntryRedactor.version(timings.protocolName)
        var entry = HTTPArchive.Entry(
            started: started, request: redactor.request(original, sent: sent, timings: timings, version: version),
            response: HTTPArchive.Response(statusCode: 0, httpVersion: version),
            timings: HTTPArchive.Timings(timings, measured: began.duration(to: .now)))
        if let response {
            entry.response = redactor.response(response, body: body, isTruncated: isTruncated, version: version)
        }
        entry.failure = error.map { HTTPArchive.Failure($0.code, phase: $0.phase, message: $0.message) }
        journal.add(entry, number: number)
    }
}

/// Makes the parts of an entry, without secrets.
struct EntryRedactor {
    let redaction: Redaction

    func request(
        _ request: NetworkRequest, sent: SentBody, timings: TransferTimings, version: String
    ) -> HTTPArchive.Request {
        var recorded = HTTPArchive.Request(
            method: request.method, url: url(request.url), httpVersion: version, headers: headers(request.headers), bodySize: 0)
        guard request.body != nil else { return recorded }
        let (data, isTruncated) = sent.sent
        // Here a placeholder has to be told from a number: it matches any.
        recorded.body = body(data, type: request.headers["Content-Type"], isTruncated: isTruncated, keepsTypes: false)
        // What an engine tells of chunks that were sent includes their framing.
        recorded.bodySize = !isTruncated ? Int64(data.count) : timings.bytesSent > 0 ? timings.bytesSent : -1
        return recorded
    }

    func response(_ response: NetworkResponse, body: Data, isTruncated: Bool, version: String) -> HTTPArchive.Response {
        let received = response.timings.bytesReceived
        let isEncoded = response.headers.contains("Content-Encoding")
        return HTTPArchive.Response(
            statusCode: response.statusCode, statusText: LoopbackReasonPhrase.of(response.statusCode), httpVersion: version,
            headers: headers(response.headers),
            body: self.body(body, type: response.headers["Content-Type"], isTruncated: isTruncated, keepsTypes: true),
            bodySize: received > 0 ? received : isEncoded || isTruncated ? -1 : Int64(body.count), finalURL: url(response.url))
    }

    /// As HAR writes what ALPN calls `h2`.
    static func version(_ protocolName: String?) -> String {
        switch protocolName {
        case "http/1.0": "HTTP/1.0"
        case nil, "http/1.1": "HTTP/1.1"
        case "h2": "HTTP/2.0"
        case let name?: name
        }
    }

    private func body(_ data: Data, type: String?, isTruncated: Bool, keepsTypes: Bool) -> HTTPArchive.Body {
        let type = type ?? ""
        let mimeType = redaction.redacted(headerValue: type, for: "Content-Type")
        if let text = redaction.redactedContent(data, contentType: type.isEmpty ? nil : type, keepsTypes: keepsTypes) {
            return HTTPArchive.Body(Data(text.utf8), mimeType: mimeType, isTruncated: isTruncated, isRedacted: true)
        }
        return HTTPArchive.Body(data, mimeType: mimeType, isTruncated: isTruncated)
    }

    private func headers(_ headers: HTTPHeaders) -> HTTPHeaders {
        HTTPHeaders(headers.map { .init(name: $0.name, value: redaction.redacted(headerValue: $0.value, for: $0.name)) })
    }

    /// Angle brackets do not stand in URLs.
    private func url(_ url: URL) -> String {
        redaction.redacted(url: url).replacing(Redaction.placeholder, with: "%3Credacted%3E")
    }
}

extension HTTPArchive.Timings {
    /// - Parameter measured: For a session manager that tells nothing.
    init(_ timings: TransferTimings, measured: Duration) {
        self.init(blocked: timings.queued, dns: timings.nameLookup, ssl: timings.tls, send: timings.send, wait: timings.wait)
        if timings.connect != nil || timings.tls != nil { connect = (timings.connect ?? .zero) + (timings.tls ?? .zero) }
        let rest = max(.zero, (timings.total > .zero ? timings.total : measured) - total)
        // The phases are those of the last hop; what came before it kept the request from being sent.
        if timings.redirects > 0 {
            blocked = (blocked ?? .zero) + rest
        } else {
            receive = rest
        }
    }
}
