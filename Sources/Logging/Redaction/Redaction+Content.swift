import Foundation

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
