import Endpoints
import Foundation
import NetworkCore

/// How one page of a list leads to the next.
public struct PageRule<Page: Sendable>: Sendable {
    /// What the next page is asked for with.
    enum Step: Sendable {
        /// At another URL.
        case url(URL)
        /// With query items that replace those of the same name.
        case query(Parameters)
    }

    /// - Parameter number: Of the page that came, from 1.
    typealias Next = @Sendable (_ page: DataTransferResponse<Page>, _ number: Int) throws -> Step?

    let first: Parameters
    let next: Next

    private init(first: Parameters = [:], next: @escaping Next) {
        self.first = first
        self.next = next
    }

    /// The link with the relation `next` in the response's `Link` field (RFC 8288); the last page has none.
    public static var linkHeader: PageRule {
        PageRule { page, _ in
            guard let target = LinkField(page.headers).target(of: "next") else { return nil }
            guard let url = URL(string: target, relativeTo: page.url)?.absoluteURL else {
                throw PageError.malformedLink(target.printable)
            }
            return .url(url)
        }
    }

    /// A page number in the query.
    ///
    /// - Parameters:
    ///   - name: Of the query item.
    ///   - first: The number of the first page. 1 unless given.
    ///   - isLast: Whether no page follows this one.
    public static func number(
        _ name: String, first: Int = 1, isLast: @escaping @Sendable (Page) -> Bool
    ) -> PageRule {
        PageRule(first: Parameters([name: first])) { page, number in
            isLast(page.value) ? nil : .query(Parameters([name: first &+ number]))
        }
    }

    /// A cursor that each page holds for the next one.
    ///
    /// - Parameters:
    ///   - name: Of the query item.
    ///   - cursor: That of the next page; `nil` or empty on the last.
    public static func cursor(_ name: String, _ cursor: @escaping @Sendable (Page) -> String?) -> PageRule {
        PageRule { page, _ in
            guard let cursor = cursor(page.value), !cursor.isEmpty else { return nil }
            return .query(Parameters([name: cursor]))
        }
    }
}
