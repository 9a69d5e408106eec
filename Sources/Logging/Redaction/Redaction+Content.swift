import Foundation

extension Redaction {
    /// A body that is kept rather than shown, whole and without its secrets.
    ///
    /// Text is found by the content type and, where that names none, by the bytes. A multipart form comes part by part, with a line feed at
    /// the end of a line and a note in the place of bytes.
    ///
    /// - Returns: `nil` where nothing is hidden, and so for bytes that are no text: the body can be kept as it is.
    package func redactedContent(_ body: Data, contentType: String?) -> String? {
        let bytes = Array(body)
        // A placeholder is longer than what it hides, by less than that.
        let limit = bytes.count * 16 + 4096
        var content = shown(body: bytes, type: MediaType(contentType), limit: limit)
        if content.isSummary { content = shown(body: bytes, type: MediaType(nil), limit: limit) }
        guard !content.isSummary, content.text.contains(Redaction.placeholder) else { return nil }
        return content.text
    }
}
