/// Why there is no next page of a list. It is the ``ParsingFailure/underlying`` cause of the failure that a sequence of pages throws.
public enum PageError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The link to the next page is no URL.
    case malformedLink(String)
    /// The next page is one that has been there before.
    case loop
    /// There are more pages than the limit allows.
    case tooManyPages(limit: Int)

    /// What is wrong, in words.
    public var description: String {
        switch self {
        case .malformedLink(let target): "the link to the next page is no http URL: \"\(target)\""
        case .loop: "the next page has been there before"
        case .tooManyPages(let limit): "there are more than \(limit) pages (maximumPages)"
        }
    }
}
