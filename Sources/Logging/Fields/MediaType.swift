import NetworkJSON
import NetworkSupport

/// The parts of a `Content-Type` that are needed to show a body (RFC 9110 §8.3.1).
struct MediaType {
    /// The type and subtype in lower case; empty if there is no content type.
    let essence: String
    private let parameters: [(name: String, value: [UInt8])]

    /// Parses at most the first 2,048 bytes of a field.
    init(_ text: String?) {
        let field = FieldParameters(Substring((text ?? "").utf8.prefix(2048)))
        essence = field.value
        parameters = field.parameters.map { ($0.name, Self.unquoted(Array(($0.value ?? "").utf8))) }
    }

    /// Returns the values of the parameters with a name, including its extended and continued forms: `name` also matches `name*` and
    /// `name*0` (RFC 2231).
    func values(ofParametersWithPrefix prefix: String) -> [[UInt8]] {
        parameters.filter { $0.name == prefix || $0.name.begins(with: prefix + "*") }.map(\.value)
    }

    var isMultipart: Bool { essence.begins(with: "multipart/") }
    var isForm: Bool { essence == "application/x-www-form-urlencoded" }

    var isJSON: Bool {
        ["+json", "/json", "json-seq", "ndjson", "/jsonl", "/json5"].contains { essence.ends(with: $0) }
    }

    /// Whether bodies of this type are text that can be decoded as UTF-8.
    var isText: Bool {
        let charset = values(ofParametersWithPrefix: "charset").first.map { $0.text.asciiLowercased } ?? "utf-8"
        guard ["utf-8", "utf8", "us-ascii", "iso-8859-1", "windows-1252"].contains(charset) else { return false }
        if essence.begins(with: "text/") || essence.ends(with: "+xml") || isJSON || isForm { return true }
        return [
            "application/xml", "application/javascript", "application/graphql", "application/yaml", "application/x-yaml",
            "application/sql", "application/toml", "application/x-plist",
        ].contains(essence)
    }

    /// The essence, cut at 80 characters, with characters that are not allowed in a media type replaced by `?`.
    var label: String {
        String(essence.prefix(80).map { $0.isASCII && ($0.isLetter || $0.isNumber || "/+-._".contains($0)) ? $0 : "?" })
    }

    /// Returns a value without quotes. JSON escapes are decoded too, because clients write both.
    private static func unquoted(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.first == .quote else { return bytes }
        let content = Array(bytes.dropFirst().prefix(bytes.count > 1 && bytes.last == .quote ? bytes.count - 2 : bytes.count))
        return content.contains(.backslash) ? JSONEscapes.decoded(content) : content
    }
}
