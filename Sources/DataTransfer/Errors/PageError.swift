import Endpoints
import Foundation
import NetworkLogging

/// An error in the step to the next page of a list.
///
/// It is the ``ParsingFailure/underlying`` error of the failure that a ``PageSequence`` throws.
package enum PageError: Error, Sendable, Hashable, RedactedStringConvertible, LocalizedError {
    /// The link to the next page is not an http or https URL.
    case malformedLink(String)
    /// The link leads from https to http, where the page could be read and changed in transit.
    case insecureLink
    /// A line of the `Link` field that mentions the next page is too long.
    case longField(limit: Int)
    /// The `Link` field is malformed where it mentions the next page.
    case malformedField
    /// The next page has been requested before.
    case loop
    /// The list has more pages than the limit allows.
    case tooManyPages(limit: Int)

    /// A textual representation of the error.
    package var description: String {
        switch self {
        case .malformedLink(let target): "the link to the next page is not an http URL: \"\(target.printable)\""
        case .insecureLink: "the link to the next page leads from https to http"
        case .longField(let limit):
            "a line of the Link field is longer than \(limit) bytes, and may contain the link to the next page"
        case .malformedField: "the Link field is malformed, and may contain a link to the next page"
        case .loop: "the next page has been requested before"
        case .tooManyPages(let limit): "there are more than \(limit) pages (maximumPages)"
        }
    }
}
