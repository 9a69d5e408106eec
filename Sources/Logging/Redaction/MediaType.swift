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
