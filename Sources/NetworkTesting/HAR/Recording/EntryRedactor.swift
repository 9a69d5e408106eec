import DataTransfer
import Foundation

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
