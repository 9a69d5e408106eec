import Foundation
import NetworkJSON
import NetworkSupport

/// The text of log entries: redacted, limited in length, and escaped so that remote data cannot forge a line.
///
/// The first line of an entry starts with `[network]`, further lines with four spaces and a bar.
struct LogText: Sendable {
    var redaction: Redaction
    var maximumBodyBytes: Int

    /// The maximum length in bytes of a URL, header field or error text that is printed.
    private static let maximumLineBytes = 4096

    func request(_ request: LoggedRequest, isDetailed: Bool) -> String {
        var line = "[network] > \(head(of: request))"
        if let body = request.body { line += " (\(Self.size(of: body)))" }
        guard isDetailed else { return line }
        line += fields(request.headers)
        if case .data(let data) = request.body { line += body(data, contentType: request.header("Content-Type")) }
        return line
    }

    func response(_ response: LoggedResponse, for request: LoggedRequest?, isDetailed: Bool) -> String {
        let place = request.map { " \(head(of: $0))" } ?? ""
        var line = "[network] < \(response.statusCode)\(place) in \(Self.milliseconds(response.duration))"
        if let body = response.body { line += ", \(Self.bytes(Int64(body.count)))" }
        guard isDetailed else { return line }
        if let url = response.receivedURL, url != request?.sentURL { line += Self.continuation("URL: \(printed(url))") }
        var facts = response.phases.map { "\($0.name) \(Self.milliseconds($0.duration))" }
        if let name = response.protocolName { facts.insert(name, at: 0) }
        if let isReused = response.isReusedConnection { facts.append(isReused ? "reused connection" : "new connection") }
        if let count = response.bytesSent, count > 0 { facts.append("sent \(Self.bytes(count))") }
        if let count = response.bytesReceived { facts.append("received \(Self.bytes(count))") }
        if response.attempt > 1 { facts.append("attempt \(response.attempt)") }
        if !facts.isEmpty { line += Self.continuation("(\(facts.joined(separator: ", ")))") }
        line += fields(response.headers)
        if let data = response.body { line += body(data, contentType: response.header("Content-Type")) }
        return line
    }

    func error(_ error: any Error, for request: LoggedRequest?) -> String {
        let place = request.map { " \(head(of: $0)):" } ?? ""
        return "[network] !\(place) \(printed(String(describing: error)))"
    }

    /// Returns the entry for an outcome: `[network] = #3 GET https://…: 200, from cache, 0 attempts in 0.1 ms`.
    func outcome(_ outcome: LoggedOutcome, for request: LoggedRequest) -> String {
        "[network] = \(head(of: request)): \(summary(outcome))"
    }

    func summary(_ outcome: LoggedOutcome) -> String {
        let result = outcome.statusCode.map(String.init) ?? (outcome.error == nil ? "completed" : "failed")
        let attempts = outcome.attempts == 1 ? "1 attempt" : "\(outcome.attempts) attempts"
        let failure = outcome.error != nil && outcome.statusCode != nil ? ", not accepted" : ""
        return
            "\(result)\(failure), from \(printed(outcome.source.rawValue)), \(attempts) in \(Self.milliseconds(outcome.duration))"
    }

    // MARK: Parts

    private func head(of request: LoggedRequest) -> String {
        let attempt = request.attempt > 1 ? " attempt \(request.attempt)" : ""
        return "#\(request.identifier)\(attempt) \(printed(request.method)) \(printed(request.sentURL))"
    }

    private func printed(_ url: URL) -> String {
        let start = Self.start(of: url.absoluteString)
        return Self.cut(redaction.redacted(url: start), of: start)
    }

    func printed(_ text: String) -> String {
        let start = Self.start(of: text)
        return Self.cut(redaction.redacted(start: start), of: start)
    }

    /// Returns the part of a text that is redacted, because what is far beyond the limit is never shown.
    private static func start(of text: String) -> TextStart {
        TextStart(text.utf8, bytes: maximumLineBytes + TextStart.lookahead)
    }

    /// Returns a redacted text, escaped and cut at the limit, with a note of how many bytes of the whole text were omitted.
    private static func cut(_ redacted: String, of start: TextStart) -> String {
        let escaped = VisibleText.escaped(redacted)
        let shown = VisibleText.start(of: escaped, bytes: maximumLineBytes)
        return VisibleText.cut(shown, omittedBytes: escaped.utf8.count - shown.utf8.count + start.total - start.bytes.count)
    }

    private func fields(_ fields: [LoggedField]) -> String {
        fields.map { field in
            let start = Self.start(of: field.sentValue)
            let value = redaction.redacted(headerValue: start, for: field.name)
            return Self.continuation("\(field.name): \(Self.cut(value, of: start))")
        }.joined()
    }

    private func body(_ data: Data, contentType: String?) -> String {
        guard !data.isEmpty, maximumBodyBytes > 0 else { return "" }
        let shown = redaction.shown(body: data, contentType: contentType, limit: maximumBodyBytes)
        let isIndented = shown.isJSON && !shown.isSummary
        let text = VisibleText.cut(
            isIndented ? Array(shown.text.utf8).withUnsafeBufferPointer { JSONTokens($0).indented().text } : shown.text,
            omittedBytes: shown.bytesLeft)
        // Scalars, not characters, because CR LF is one character.
        return text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map {
            Self.continuation(String($0.last == "\r" ? $0.dropLast() : $0))
        }.joined()
    }

    /// Returns a further line of an entry, with line-breaking and control characters escaped.
    private static func continuation(_ text: String) -> String {
        "\n    | \(VisibleText.escaped(text))"
    }

    private static func size(of body: LoggedBody) -> String {
        switch body {
        case .data(let data): bytes(Int64(data.count))
        case .file(_, let count): "file, \(count.map(bytes) ?? "unknown size")"
        case .stream(let count): "stream, \(count.map(bytes) ?? "unknown size")"
        }
    }

    static func bytes(_ count: Int64) -> String {
        count == 1 ? "1 byte" : "\(count) bytes"
    }

    /// Returns a duration in milliseconds with one decimal: `12.3 ms`.
    static func milliseconds(_ duration: Duration) -> String {
        let tenths = (duration / .milliseconds(1) * 10).rounded()
        return "\(tenths / 10) ms"
    }
}
