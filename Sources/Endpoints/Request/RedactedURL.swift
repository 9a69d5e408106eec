import NetworkLogging

/// The URL of a request as text for logs and traces: its user information and the values of secret query items are redacted with
/// ``NetworkLogging/Redaction/default``.
///
/// The text is made each time that ``description`` is read, so that it costs nothing where a log level or a sampler drops it.
public struct RedactedURL: Sendable {
    private let url: LazyURL

    init(_ url: LazyURL) {
        self.url = url
    }
}

extension RedactedURL: RedactedStringConvertible {
    /// The redacted text of the URL.
    public var description: String { Redaction.default.redacted(url: url.text) }
}
