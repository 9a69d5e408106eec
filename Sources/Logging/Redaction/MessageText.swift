import NetworkSupport

/// A text in an error or a description that may contain what a peer has sent.
///
/// Errors keep such a text, and redact it when it is read: an error that is not printed costs nothing. What is secret is decided then,
/// by the values that ``SecretValues`` has at that time, so that a value that was added after the error was made is redacted too. At most the
/// first 4,096 bytes are kept, so that a text of any length is read in bounded time. `dump` and mirrors show the redacted text only.
package struct MessageText: Sendable, Hashable {
    /// The maximum number of bytes that are kept.
    package static let maximumBytes = 4096

    private let text: String
    private let isCut: Bool

    /// Keeps the beginning of a text.
    package init(_ text: String) {
        isCut = text.utf8.count > Self.maximumBytes
        self.text = isCut ? VisibleText.start(of: text, bytes: Self.maximumBytes) : text
    }

    /// Whether the text is empty.
    package var isEmpty: Bool { text.isEmpty }

    /// The text with secrets redacted and with control, format and line separator characters escaped; `…` at the end if it was cut.
    package var shown: String {
        VisibleText.escaped(Redaction.default.redacted(start: TextStart(text.utf8, isCut: isCut))) + (isCut ? "…" : "")
    }

    /// The first 400 characters of the text, redacted and escaped as ``shown``.
    package var line: String {
        let text = Redaction.default.redacted(start: TextStart(text.utf8, isCut: isCut))
        return VisibleText.escaped(text, limit: 400)
    }
}

extension MessageText: RedactedStringConvertible {
    /// The text with secrets redacted and control characters escaped.
    package var description: String { shown }
}
