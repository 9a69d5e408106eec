import Endpoints

/// Why there is no next page of a list. It is the ``ParsingFailure/underlying`` cause of the failure that a sequence of pages throws.
public enum PageError: Error, Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// The link to the next page is no URL.
    case malformedLink(String)
    /// The link leads from https to http, where anybody on the way could read and change the page.
    case insecureLink
    /// The next page is one that has been there before.
    case loop
    /// There are more pages than the limit allows.
    case tooManyPages(limit: Int)

    /// What is wrong, in words.
    public var description: String {
        switch self {
        case .malformedLink(let target): "the link to the next page is no http URL: \"\(target.printable)\""
        case .insecureLink: "the link to the next page leads from https to http"
        case .loop: "the next page has been there before"
        case .tooManyPages(let limit): "there are more than \(limit) pages (maximumPages)"
        }
    }

    /// The description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
