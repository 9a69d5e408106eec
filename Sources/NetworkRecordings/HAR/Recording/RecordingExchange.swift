import DataTransfer
import Foundation
import NetworkTesting

/// An exchange in progress, which becomes an entry of the log when it ends.
final class RecordingExchange: Sendable {
    /// The request to send, with a body that is captured while it is read.
    let request: NetworkRequest
    private let original: NetworkRequest
    private let sent: SentBody
    private let number: Int
    private let log: RecordingLog
    private let started = Date()
    private let began = ContinuousClock.now

    init(_ request: NetworkRequest, number: Int, log: RecordingLog) {
        original = request
        sent = SentBody(request.body, limit: log.limits.maximumBodyBytes)
        var request = request
        request.body = sent.content
        self.request = request
        self.number = number
        self.log = log
    }

    /// Records the result of the exchange, or, if the body of the response is still arriving, the bytes that are read when it ends or
    /// is stopped. Reads the files of the request's body on a background thread.
    ///
    /// - Returns: The result, with a body that is followed.
    func end(_ result: Result<NetworkResponse, TransportError>) async -> Result<NetworkResponse, TransportError> {
        switch result {
        case .success(let response):
            guard let data = response.body.data else { return .success(followed(response)) }
            let limit = log.limits.maximumBodyBytes
            await inBackground {
                self.record(response, body: data.prefix(limit), isTruncated: data.count > limit)
            }
        case .failure(let error):
            await inBackground { self.record(nil, error: error) }
        }
        return result
    }

    private func inBackground(_ work: @escaping @Sendable () -> Void) async {
        guard sent.readsFiles else { return work() }
        await BackgroundThreads.files.value(work)
    }

    private func followed(_ response: NetworkResponse) -> NetworkResponse {
        let received = BodyCapture(limit: log.limits.maximumBodyBytes)
        let finish: @Sendable (_ isWhole: Bool, TransportError?) -> Void = { isWhole, error in
            let (bytes, isTruncated) = received.content
            self.record(response, body: bytes, isTruncated: isTruncated || !isWhole, error: error)
        }
        var followed = response
        followed.body = response.body.observed(onChunk: received.append) { error in
            await self.inBackground { finish(true, error) }
        } onStop: {
            finish(false, nil)
        }
        return followed
    }

    private func record(
        _ response: NetworkResponse?, body: Data = Data(), isTruncated: Bool = false, error: TransportError? = nil
    ) {
        if let error, error.isCancelled || error.code == .invalidRequest { return }
        let redactor = EntryRedactor(redaction: log.redaction)
        let timings = response?.timings ?? error?.timings ?? TransferTimings()
        let version = EntryRedactor.version(timings.protocolName)
        var entry = HTTPArchive.Entry(
            started: started, request: redactor.request(original, sent: sent, timings: timings, version: version),
            response: HTTPArchive.Response(statusCode: 0, httpVersion: version),
            timings: HTTPArchive.Timings(timings, measured: began.duration(to: .now)))
        if let response {
            entry.response = redactor.response(response, body: body, isTruncated: isTruncated, version: version)
        }
        entry.serverAddress = timings.serverAddress?.address
        entry.failure = error.map { HTTPArchive.Failure($0.code, phase: $0.phase, message: $0.message) }
        log.add(entry, number: number)
    }
}

/// Creates the request and response of an entry, with secrets redacted.
struct EntryRedactor {
    let redaction: Redaction

    func request(
        _ request: NetworkRequest, sent: SentBody, timings: TransferTimings, version: String
    ) -> HTTPArchive.Request {
        var recorded = HTTPArchive.Request(
            method: request.method, url: url(request.url), httpVersion: version, headers: headers(request.headers), bodySize: 0)
        guard request.body != nil else { return recorded }
        let (data, isTruncated) = sent.sent
        // A secret number becomes the placeholder, not 0: only the placeholder matches every number in a replay.
        recorded.body = body(data, type: request.headers["Content-Type"], isTruncated: isTruncated, keepsTypes: false)
        // The engine's count of sent bytes includes the framing of chunks, so it is only used for a truncated body.
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
            trailers: headers(response.trailers),
            bodySize: received > 0 ? received : isEncoded || isTruncated ? -1 : Int64(body.count), finalURL: url(response.url))
    }

    /// Returns the HTTP version in the notation of HAR: `HTTP/2.0` for the ALPN name `h2`.
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
        if let text = redaction.redactedContent(
            data, contentType: type.isEmpty ? nil : type, keepsTypes: keepsTypes, isCut: isTruncated)
        {
            return HTTPArchive.Body(Data(text.utf8), mimeType: mimeType, isTruncated: isTruncated, isRedacted: true)
        }
        return HTTPArchive.Body(data, mimeType: mimeType, isTruncated: isTruncated)
    }

    private func headers(_ headers: HeaderFields) -> HeaderFields {
        HeaderFields(headers.map { .init(name: $0.name, value: redaction.redacted(headerValue: $0.value, for: $0.name)) })
    }

    /// The redacted URL. Its placeholder is percent-encoded, since URLs cannot contain angle brackets.
    private func url(_ url: URL) -> String {
        redaction.redacted(url: url).replacing(Redaction.placeholder, with: "%3Credacted%3E")
    }
}

extension HTTPArchive.Timings {
    /// Creates timings from those of a transfer.
    ///
    /// - Parameter measured: The duration of the exchange, used if the session manager reports no total time.
    init(_ timings: TransferTimings, measured: Duration) {
        self.init(blocked: timings.queued, dns: timings.nameLookup, ssl: timings.tls, send: timings.send, wait: timings.wait)
        if timings.connect != nil || timings.tls != nil { connect = (timings.connect ?? .zero) + (timings.tls ?? .zero) }
        let rest = max(.zero, (timings.total > .zero ? timings.total : measured) - total)
        // The phases are those of the last request; the time of the redirects before it counts as `blocked`.
        if timings.redirects > 0 {
            blocked = (blocked ?? .zero) + rest
        } else {
            receive = rest
        }
    }
}
