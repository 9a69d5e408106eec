import Foundation

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

    func response(_ response: LoggedResponse, for request: LoggedRequest, isDetailed: Bool) -> String {
        var line = "[network] < \(response.statusCode) \(head(of: request)) in \(Self.milliseconds(response.duration))"
        if let body = response.body { line += ", \(Self.bytes(Int64(body.count)))" }
        guard isDetailed else { return line }
        if let url = response.url, url != request.url { line += Self.continuation("URL: \(printed(url))") }
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
        return "#\(request.identifier)\(attempt) \(printed(request.method)) \(printed(request.url))"
    }

    private func printed(_ url: URL) -> String {
        VisibleText.cut(VisibleText.escaped(redaction.redacted(url: url)), limit: Self.maximumLineBytes)
    }

    private func printed(_ text: String) -> String {
        VisibleText.cut(VisibleText.escaped(redaction.redacted(text: text)), limit: Self.maximumLineBytes)
    }

    private func fields(_ fields: [LoggedField]) -> String {
        fields.map { field in
            let value = redaction.redacted(headerValue: field.value, for: field.name)
            return Self.continuation(VisibleText.cut("\(field.name): \(value)", limit: Self.maximumLineBytes))
        }.joined()
    }

    private func body(_ data: Data, contentType: String?) -> String {
        guard !data.isEmpty, maximumBodyBytes > 0 else { return "" }
        let shown = redaction.shown(body: Array(data), type: MediaType(contentType), limit: maximumBodyBytes)
        var text = shown.noted
        if shown.isJSON, !shown.isSummary {
            text = JSONText.indented(Array(shown.text.utf8)).text
            if shown.bytesLeft > 0 { text += "… (\(shown.bytesLeft) more bytes)" }
        }
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

/// Escaping of remote text for terminals and log files.
enum VisibleText {
    /// Returns the text with characters that move a cursor, end a line or change the reading direction escaped as `\n`, `\u{1B}`
    /// or `\u{202E}`.
    static func escaped(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isHarmful) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            default:
                if isHarmful(scalar) {
                    result += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
                } else {
                    result.unicodeScalars.append(scalar)
                }
            }
        }
        return result
    }

    /// Whether a scalar is escaped: C0, C1 and DEL; line and paragraph separators; direction marks, embeddings and isolates (Unicode
    /// TR 9); invisible format characters and tags.
    static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F: true
        case 0xAD, 0x61C, 0x180E, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF, 0xFFF9...0xFFFB: true
        case 0xE0000...0xE007F: true
        default: false
        }
    }

    /// Returns at most the first `limit` bytes of the text, cut on a scalar boundary, with a note of how many bytes were omitted.
    static func cut(_ text: String, limit: Int) -> String {
        let bytes = text.utf8
        guard bytes.count > limit else { return text }
        var end = bytes.index(bytes.startIndex, offsetBy: max(0, limit))
        while end > bytes.startIndex, bytes[end] & 0xC0 == 0x80 { end = bytes.index(before: end) }
        return "\(text[..<end])… (\(bytes.distance(from: end, to: bytes.endIndex)) more bytes)"
    }
}
