import Endpoints

/// The method and URL of a request in an error. The text is made when it is read, because a redirect can lead to a URL of any length.
struct RequestLabel: Sendable {
    private enum Source {
        case text(String)
        case request(RequestMethod, url: String)
    }

    /// The maximum number of bytes of the URL that the text shows.
    private static let maximumBytes = 8192

    private let source: Source

    init(_ text: String) {
        source = .text(text)
    }

    init(_ request: NetworkRequest) {
        source = .request(request.method, url: request.urlText)
    }

    /// The method and URL without query and credentials, such as `GET https://host/path`.
    var text: String {
        switch source {
        case .text(let text): return text
        case .request(let method, let url):
            guard url.utf8.count > Self.maximumBytes else { return "\(method) \(URLText(url).originAndPath)" }
            let start = URLText(String(decoding: url.utf8.prefix(Self.maximumBytes), as: UTF8.self))
            // Of an authority without an end, the beginning may be a password.
            return "\(method) \(start.path.isEmpty ? "" : start.originAndPath)…"
        }
    }
}
