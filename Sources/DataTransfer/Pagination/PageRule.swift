import Endpoints
import Foundation
import NetworkCore

/// How one page of a list leads to the next.
public struct PageRule<Page: Sendable>: Sendable {
    /// What the next page is asked for with.
    enum Step: Sendable, Hashable {
        /// At another URL, which says everything.
        case url(URL)
        /// With a query item in place of that of the same name.
        case query(String, String)
    }

    let first: Step?
    /// `number` is that of the page that came, from 1.
    let next: @Sendable (_ page: DataTransferResponse<Page>, _ number: Int) throws(PageError) -> Step?

    private init(
        first: Step? = nil, next: @escaping @Sendable (DataTransferResponse<Page>, Int) throws(PageError) -> Step?
    ) {
        self.first = first
        self.next = next
    }

    /// The link with the relation `next` in the response's `Link` field (RFC 8288 §3); the last page has none.
    ///
    /// A page on another origin than the list's is asked for with GET, with the header fields that any origin may see, and without body and
    /// credentials; so are all pages behind it that are not on the list's own. A link from https to http is ``PageError/insecureLink``.
    public static var linkHeader: PageRule {
        PageRule { (page, _) throws(PageError) in
            guard let target = LinkField(page.headers).target(of: "next") else { return nil }
            guard let url = URIReference(target).resolved(against: URIReference(page.url.absoluteString)).url,
                ["http", "https"].contains(url.scheme?.lowercased())
            else { throw PageError.malformedLink(target) }
            return .url(url)
        }
    }

    /// A page number in the query.
    ///
    /// - Parameters:
    ///   - name: Of the query item.
    ///   - first: The number of the first page. 1 unless given.
    ///   - isLast: Whether no page follows this one.
    public static func number(_ name: String, first: Int = 1, isLast: @escaping @Sendable (Page) -> Bool) -> PageRule {
        PageRule(first: .query(name, "\(first)")) { (page, number) throws(PageError) in
            isLast(page.value) ? nil : .query(name, "\(first &+ number)")
        }
    }

    /// A cursor that each page holds for the next one.
    ///
    /// - Parameters:
    ///   - name: Of the query item.
    ///   - cursor: That of the next page; `nil` or empty on the last.
    public static func cursor(_ name: String, _ cursor: @escaping @Sendable (Page) -> String?) -> PageRule {
        PageRule { (page, _) throws(PageError) in
            guard let cursor = cursor(page.value), !cursor.isEmpty else { return nil }
            return .query(name, cursor)
        }
    }
}
