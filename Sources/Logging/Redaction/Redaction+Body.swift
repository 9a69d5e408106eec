import Foundation

extension Redaction {
    /// Returns a body as redacted text, cut after `limit` bytes with a note of how many bytes were omitted.
    ///
    /// In JSON, the values of secret keys are redacted at any depth; in forms and multipart forms, those of secret fields; in other text,
    /// the secrets that ``redacted(text:)`` finds. A body that is not text becomes `<123 bytes of image/png>`. Without a content type,
    /// the bytes determine the format. Line breaks and control characters in the body are kept; escape them before writing to a terminal.
    ///
    /// - Parameters:
    ///   - body: The body; it may be malformed or truncated.
    ///   - contentType: The value of the `Content-Type` header field, including parameters.
    ///   - limit: The maximum number of bytes of text, not counting the note. Default: 4096.
    public func redacted(body: Data, contentType: String?, limit: Int = 4096) -> String {
        shown(body: Array(body), type: MediaType(contentType), limit: max(0, limit)).noted
    }

    func shown(body: [UInt8], type: MediaType, limit: Int, keepsTypes: Bool = false) -> ShownBody {
        guard !body.isEmpty else { return ShownBody(text: "", isJSON: false) }
        // Prevents overflow in the sums below.
        let limit = min(max(0, limit), 1 << 40)
        // Slightly more than is shown, so that the text can be cut between characters.
        let limitOfScan = limit + 8
        if type.isMultipart {
            var printer = MultipartRedactor(body, type: type, redaction: self, limit: limit)
            return printer.run() ?? .bytes(body.count, type)
        }
        // Sufficient to distinguish text from binary data, whatever the length of the body.
        let start = body.prefix(max(limitOfScan, 8192))
        if type.essence.isEmpty ? !Self.looksLikeText(start) : !type.isText || start.contains(0) {
            return .bytes(body.count, type)
        }
        if type.isForm {
            let items = redactedItems(body, isForm: true, limit: limitOfScan)
            return ShownBody(items.output, read: items.read, total: body.count, limit: limit, isJSON: false)
        }
        let first = body.first { !$0.isWhitespace && $0 < 0x80 && $0 != 0x1E }
        if type.isJSON || first == .openBrace || first == .openBracket {
            var scanner = JSONRedactor(body, redaction: self, limit: limitOfScan, keepsTypes: keepsTypes)
            let text = scanner.run()
            return ShownBody(text, read: scanner.index, total: body.count, limit: limit, isJSON: true)
        }
        var scanner = TextRedactor(body, redaction: self, limit: limitOfScan)
        let text = scanner.run()
        return ShownBody(text, read: scanner.index, total: body.count, limit: limit, isJSON: false)
    }

    /// Returns whether the bytes are UTF-8, possibly cut within a character, without control characters that do not occur in text.
    private static func looksLikeText(_ bytes: ArraySlice<UInt8>) -> Bool {
        for byte in bytes where byte < 0x20 && !byte.isWhitespace && byte != 0x1B && byte != 0x0C && byte != 0x1E { return false }
        if String(bytes: bytes, encoding: .utf8) != nil { return true }
        return (1...3).contains { bytes.count > $0 && String(bytes: bytes.dropLast($0), encoding: .utf8) != nil }
    }
}

/// The text of a body, and how much of the body it omits.
struct ShownBody {
    var text: String
    var isJSON: Bool
    /// The number of omitted bytes; 0 if the text is complete.
    var bytesLeft = 0
    /// Whether the text contains only the size and type of the body.
    var isSummary = false

    init(text: String, isJSON: Bool) {
        self.text = text
        self.isJSON = isJSON
    }

    /// Creates a text from redacted output, cut at the limit on a character boundary.
    init(_ output: [UInt8], read: Int, total: Int, limit: Int, isJSON: Bool) {
        // Searched as a whole, because a secret value may extend across tokens or occur in a name.
        let output = SecretValues.masked(output, isCut: read < total)
        var end = min(output.count, limit)
        while end > 0, end < output.count, output[end] & 0xC0 == 0x80, limit - end < 4 { end -= 1 }
        text = String(decoding: output[..<end], as: UTF8.self)
        bytesLeft = end < output.count || read < total ? max(1, total - read + output.count - end) : 0
        self.isJSON = isJSON
    }

    static func bytes(_ count: Int, _ type: MediaType) -> ShownBody {
        let bytes = count == 1 ? "1 byte" : "\(count) bytes"
        var body = ShownBody(text: type.essence.isEmpty ? "<\(bytes)>" : "<\(bytes) of \(type.label)>", isJSON: false)
        body.isSummary = true
        return body
    }

    /// The text with a note of the number of omitted bytes.
    var noted: String { bytesLeft > 0 ? "\(text)… (\(bytesLeft) more bytes)" : text }
}

extension Redaction {
    /// Returns a complete body with its secrets redacted, to be stored rather than shown.
    ///
    /// Whether the body is text is determined by the content type, and by the bytes if the content type is not a text type. A multipart
    /// form is converted part by part, with line feeds as line endings and a note in place of binary content.
    ///
    /// - Parameter keepsTypes: Whether a secret number in JSON becomes 0, and `true`, `false` and `null` are kept, so that the body can
    ///   still be decoded into the same types.
    /// - Returns: `nil` if nothing was redacted, in particular if the body is not text: the body can be stored unchanged.
    package func redactedContent(_ body: Data, contentType: String?, keepsTypes: Bool = false) -> String? {
        let bytes = Array(body)
        let type = MediaType(contentType)
        // A placeholder can be longer than the secret that it replaces. This limit allows for that.
        let limit = bytes.count * 16 + 4096
        var content = shown(body: bytes, type: type, limit: limit, keepsTypes: keepsTypes)
        let isMultipart = type.isMultipart && !content.isSummary
        if content.isSummary { content = shown(body: bytes, type: MediaType(nil), limit: limit, keepsTypes: keepsTypes) }
        if content.isSummary { return nil }
        // The text of a multipart form, or of a body in another charset, differs from the body even if nothing was redacted.
        let looksDifferent = isMultipart || String(validating: bytes, as: UTF8.self) == nil
        let hides =
            looksDifferent ? content.text.contains(Redaction.placeholder) : content.text != String(decoding: bytes, as: UTF8.self)
        return hides ? content.text : nil
    }
}

/// The parts of a `Content-Type` that are needed to show a body (RFC 9110 §8.3.1).
struct MediaType {
    /// The type and subtype in lower case; empty if there is no content type.
    let essence: String
    private let parameters: [(name: String, value: [UInt8])]

    init(_ text: String?) {
        let parts = Self.split(Array((text ?? "").utf8.prefix(2048)))
        essence = Self.trimmed(parts.first ?? []).text.lowercased()
        parameters = parts.dropFirst().map { part in
            let end = part.firstIndex(of: .equals) ?? part.endIndex
            let name = Self.trimmed(Array(part[..<end])).text.lowercased()
            return (name, Self.unquoted(Self.trimmed(Array(part[end...].dropFirst()))))
        }
    }

    /// Returns the values of the parameters with a name, including its extended and continued forms: `name` also matches `name*` and
    /// `name*0` (RFC 2231).
    func values(ofParametersWithPrefix prefix: String) -> [[UInt8]] {
        parameters.filter { $0.name == prefix || $0.name.hasPrefix(prefix + "*") }.map(\.value)
    }

    var isMultipart: Bool { essence.hasPrefix("multipart/") }
    var isForm: Bool { essence == "application/x-www-form-urlencoded" }

    var isJSON: Bool {
        essence.hasSuffix("+json") || essence.hasSuffix("/json") || essence.hasSuffix("json-seq")
            || essence.hasSuffix("ndjson") || essence.hasSuffix("/jsonl") || essence.hasSuffix("/json5")
    }

    /// Whether bodies of this type are text that can be decoded as UTF-8.
    var isText: Bool {
        let charset = values(ofParametersWithPrefix: "charset").first.map { $0.text.lowercased() } ?? "utf-8"
        guard ["utf-8", "utf8", "us-ascii", "iso-8859-1", "windows-1252"].contains(charset) else { return false }
        if essence.hasPrefix("text/") || essence.hasSuffix("+xml") || isJSON || isForm { return true }
        return [
            "application/xml", "application/javascript", "application/graphql", "application/yaml", "application/x-yaml",
            "application/sql", "application/toml", "application/x-plist",
        ].contains(essence)
    }

    /// The essence, cut at 80 characters, with characters that are not allowed in a media type replaced by `?`.
    var label: String {
        String(essence.prefix(80).map { $0.isASCII && ($0.isLetter || $0.isNumber || "/+-._".contains($0)) ? $0 : "?" })
    }

    private static func split(_ bytes: [UInt8]) -> [[UInt8]] {
        var parts: [[UInt8]] = [[]]
        var isQuoted = false
        var isEscaped = false
        for byte in bytes {
            if byte == .semicolon, !isQuoted {
                parts.append([])
                continue
            }
            if byte == .quote, !isEscaped { isQuoted.toggle() }
            isEscaped = isQuoted && byte == .backslash && !isEscaped
            parts[parts.count - 1].append(byte)
        }
        return parts
    }

    private static func trimmed(_ bytes: [UInt8]) -> [UInt8] {
        Array(Array(bytes.drop { $0.isWhitespace }.reversed()).drop { $0.isWhitespace }.reversed())
    }

    private static func unquoted(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.first == .quote else { return bytes }
        let content = Array(bytes.dropFirst().prefix(bytes.count > 1 && bytes.last == .quote ? bytes.count - 2 : bytes.count))
        return content.contains(.backslash) ? JSONText.unescaped(content) : content
    }
}
