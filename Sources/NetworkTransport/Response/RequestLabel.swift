import Endpoints

/// The method and URL of a request in an error. The text is made when it is read, and shows only the beginning of a long
/// URL, because a redirect can lead to a URL of any length.
struct RequestLabel: Sendable {
    private enum Source {
        case text(String)
        case request(RequestMethod, url: String)
    }

    private let source: Source

    init(_ text: String) {
        source = .text(text)
    }

    init(_ request: NetworkRequest) {
        source = .request(request.method, url: request.urlText)
    }

    /// The method and URL without query and credentials, such as `GET https://host/path`.
    package var text: String {
        switch source {
        case .text(let text): text
        case .request(let method, let url): "\(method) \(URLText(url).originAndPath)"
        }
    }
}
