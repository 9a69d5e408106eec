import Foundation

/// An absolute URL that is kept as text until a `URL` is needed.
///
/// Foundation takes about as long to create a `URL` as this package takes to compose its text, and most programs never read the `URL` of
/// a request or response.
package enum LazyURL: Sendable {
    case url(URL)
    /// A text that `URL(string:)` accepts, and does not change.
    case text(String)

    /// The text of the URL, resolved against its base URL if it has one.
    package var text: String {
        switch self {
        case .url(let url): url.absoluteString
        case .text(let text): text
        }
    }

    /// The URL, created from the text each time it is read.
    package var url: URL {
        switch self {
        case .url(let url): url
        case .text(let text): URL(string: text) ?? .missing
        }
    }
}

extension URL {
    /// A URL from which no request can be built.
    static var missing: URL { URL(string: "none:") ?? URL(fileURLWithPath: "/") }
}
