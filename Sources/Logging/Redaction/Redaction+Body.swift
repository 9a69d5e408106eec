import Foundation

extension Redaction {
    /// A body as text that can be shown: redacted, and cut after `limit` bytes with a note of how many follow.
    ///
    /// JSON loses the values of secret keys at any depth, forms and multipart forms those of secret fields, other text what
    /// ``redacted(text:)`` finds. Bytes that are no text become `<123 bytes of image/png>`. Without a content type the bytes
    /// decide. Line breaks and control characters of the body stay; who writes to a terminal has to escape them.
    ///
    /// - Parameters:
    ///   - body: The bytes; damaged and truncated ones are welcome.
    ///   - contentType: The Content-Type header, parameters included.
    ///   - limit: The most bytes of text, the note not counted. 4096 by default.
    public func redacted(body: Data, contentType: String?, limit: Int = 4096) -> String {
        shown(body: Array(body), type: MediaType(contentType), limit: max(0, limit)).noted
    }

    func shown(body: [UInt8], type: MediaType, limit: Int, keepsTypes: Bool = false) -> ShownBody {
        guard !body.isEmpty else { return ShownBody(text: "", isJSON: false) }
        // Of what no document has, the sums below would overflow.
        let limit = min(max(0, limit), 1 << 40)
        // A little more than is shown, so that the cut can fall between characters.
        let limitOfScan = limit + 8
        if type.isMultipart {
            var printer = MultipartRedactor(body, type: type, redaction: self, limit: limit)
            return printer.run() ?? .bytes(body.count, type)
        }
        // Enough to tell text from other bytes, however long the body is.
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

    /// UTF-8, possibly cut within a character, without the control characters that no text has.
    private static func looksLikeText(_ bytes: ArraySlice<UInt8>) -> Bool {
        for byte in bytes where byte < 0x20 && !byte.isWhitespace && byte != 0x1B && byte != 0x0C && byte != 0x1E { return false }
        if String(bytes: bytes, encoding: .utf8) != nil { return true }
        return (1...3).contains { bytes.count > $0 && String(bytes: bytes.dropLast($0), encoding: .utf8) != nil }
    }
}

/// A body's text, and what of the body it leaves out.
struct ShownBody {
    var text: String
    var isJSON: Bool
    /// How many bytes follow, 0 when the text is complete.
    var bytesLeft = 0
    /// Whether the text only tells size and type.
    var isSummary = false

    init(text: String, isJSON: Bool) {
        self.text = text
        self.isJSON = isJSON
    }

    /// Cuts `output` to the limit on a character boundary.
    init(_ output: [UInt8], read: Int, total: Int, limit: Int, isJSON: Bool) {
        // As a whole: a value may go over the edge of a token, or stand in a name.
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

    /// The text, with the note of what follows.
    var noted: String { bytesLeft > 0 ? "\(text)… (\(bytesLeft) more bytes)" : text }
}

extension Redaction {
    /// A body that is kept rather than shown, whole and without its secrets.
    ///
    /// Text is found by the content type and, where that names none, by the bytes. A multipart form comes part by part, with a line feed at
    /// the end of a line and a note in the place of bytes.
    ///
    /// - Parameter keepsTypes: Whether in JSON a secret number becomes 0, and `true`, `false` and `null` stay, so that what reads the body
    ///   again finds the type it looks for.
    /// - Returns: `nil` where nothing is hidden, and so for bytes that are no text: the body can be kept as it is.
    package func redactedContent(_ body: Data, contentType: String?, keepsTypes: Bool = false) -> String? {
        let bytes = Array(body)
        let type = MediaType(contentType)
        // A placeholder is longer than what it hides, by less than that.
        let limit = bytes.count * 16 + 4096
        var content = shown(body: bytes, type: type, limit: limit, keepsTypes: keepsTypes)
        let isMultipart = type.isMultipart && !content.isSummary
        if content.isSummary { content = shown(body: bytes, type: MediaType(nil), limit: limit, keepsTypes: keepsTypes) }
        if content.isSummary { return nil }
        // A form looks different in any case, and so does text in another charset.
        let looksDifferent = isMultipart || String(validating: bytes, as: UTF8.self) == nil
        let hides =
            looksDifferent ? content.text.contains(Redaction.placeholder) : content.text != String(decoding: bytes, as: UTF8.self)
        return hides ? content.text : nil
    }
}

/// A Content-Type as far as showing a body needs it (RFC 9110 §8.3.1).
struct MediaType {
    /// Type and subtype in lower case; empty where none was given.
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

    /// The values of all parameters whose name starts so: `name` also finds `name*` and `name*0` (RFC 2231).
    func values(ofParametersWithPrefix prefix: String) -> [[UInt8]] {
        parameters.filter { $0.name == prefix || $0.name.hasPrefix(prefix + "*") }.map(\.value)
    }

    var isMultipart: Bool { essence.hasPrefix("multipart/") }
    var isForm: Bool { essence == "application/x-www-form-urlencoded" }

    var isJSON: Bool {
        essence.hasSuffix("+json") || essence.hasSuffix("/json") || essence.hasSuffix("json-seq")
            || essence.hasSuffix("ndjson") || essence.hasSuffix("/jsonl") || essence.hasSuffix("/json5")
    }

    /// Whether bodies of this type are text that can be shown as UTF-8.
    var isText: Bool {
        let charset = values(ofParametersWithPrefix: "charset").first.map { $0.text.lowercased() } ?? "utf-8"
        guard ["utf-8", "utf8", "us-ascii", "iso-8859-1", "windows-1252"].contains(charset) else { return false }
        if essence.hasPrefix("text/") || essence.hasSuffix("+xml") || isJSON || isForm { return true }
        return [
            "application/xml", "application/javascript", "application/graphql", "application/yaml", "application/x-yaml",
            "application/sql", "application/toml", "application/x-plist",
        ].contains(essence)
    }

    /// The essence, cut and limited to characters that a media type may have.
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
