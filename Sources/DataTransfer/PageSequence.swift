import Endpoints
import Foundation
import NetworkCore

/// The pages of a list, one after another: an async sequence of responses.
///
/// ```swift
/// for try await page in service.pages(of: popular, by: .linkHeader) { print(page.value, page.headers) }
/// ```
///
/// It is cold: each loop begins with the first page, and a page is requested when it is asked for. Leaving the loop requests no more. After an
/// error it ends.
public struct PageSequence<Target: ResponseRequestable>: AsyncSequence, Sendable {
    /// A page, with status, headers and timings.
    public typealias Element = DataTransferResponse<Target.Response>
    /// What iterating throws.
    public typealias Failure = DataTransferError

    let service: any DataTransferService
    let endpoint: Target
    let rule: PageRule<Target.Response>
    let maximumPages: Int

    /// Begins with the first page.
    public func makeAsyncIterator() -> Iterator { Iterator(pages: self) }

    /// Hands out pages.
    public struct Iterator: AsyncIteratorProtocol {
        private let pages: PageSequence
        private var step: PageRule<Target.Response>.Step?
        private var seen: Set<PageRule<Target.Response>.Step?> = []
        private var isOver = false
        /// Asked for the step to the page that comes next only when that is wanted: an error of it must not cost the page before.
        private var latest: Element?

        fileprivate init(pages: PageSequence) {
            self.pages = pages
            step = pages.rule.first
        }

        /// Requests the next page.
        ///
        /// - Returns: `nil` after the last one.
        /// - Throws: ``DataTransferError``, with a ``PageError`` as the cause of a ``DataTransferError/parsing(_:)`` where the list has no
        ///   proper end; at once when the task is cancelled.
        public mutating func next() async throws(DataTransferError) -> Element? {
            if isOver { return nil }
            isOver = true
            if let latest {
                do throws(PageError) {
                    guard let step = try pages.rule.next(latest, seen.count) else { return nil }
                    if case .url(let url) = step, url.scheme?.lowercased() == "http", latest.url.scheme?.lowercased() == "https" {
                        throw PageError.insecureLink
                    }
                    guard seen.count < pages.maximumPages else { throw PageError.tooManyPages(limit: pages.maximumPages) }
                    self.step = step
                    guard !seen.contains(step) else { throw PageError.loop }
                } catch {
                    throw pages.report(.parsing(ParsingFailure(error, of: latest, method: pages.endpoint.method)))
                }
            }
            let page = try await pages.service.response(for: pages.endpoint(at: step))
            seen.insert(step)
            latest = page
            isOver = false
            return page
        }
    }

    fileprivate func endpoint(
        at step: PageRule<Target.Response>.Step?
    ) -> AdjustedEndpoint<Target, Target.Response> {
        var adjusted = AdjustedEndpoint(endpoint)
        switch step {
        case nil: break
        case .query(let name, let value):
            adjusted.queryParameters = adjusted.queryParameters.replacing(with: [name: value])
        case .url(let url):
            adjusted.path = url.absoluteString
            adjusted.isFullPath = true
            adjusted.pathParameters = [:]
            adjusted.queryParameters = [:]
            adjusted.context.followedLink = FollowedLink(from: endpoint)
        }
        return adjusted
    }

    fileprivate func report(_ failure: DataTransferError) -> DataTransferError {
        service.report(failure)
    }
}

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

extension DataTransferService {
    /// The pages of a list, one after another. Nothing is requested yet.
    ///
    /// - Parameters:
    ///   - endpoint: The first page's.
    ///   - rule: How one page leads to the next.
    ///   - maximumPages: More are an error. 1,000 unless given; at least 1.
    public func pages<Target: ResponseRequestable>(
        of endpoint: Target, by rule: PageRule<Target.Response>, maximumPages: Int = 1000
    ) -> PageSequence<Target> {
        PageSequence(service: self, endpoint: endpoint, rule: rule, maximumPages: max(1, maximumPages))
    }

    /// Hands over the pages of a list, one after another. Begins at once.
    ///
    /// - Parameters:
    ///   - endpoint: The first page's.
    ///   - rule: How one page leads to the next.
    ///   - maximumPages: More are an error. 1,000 unless given; at least 1.
    ///   - queue: Where both closures run; with `nil`, on background threads that no transfer depends on.
    ///   - onPage: Runs for each page, in order. The next one is requested when it has returned.
    ///   - completion: Runs exactly once, after the last `onPage` has returned.
    /// - Returns: A handle that calls the rest off.
    @discardableResult
    public func pages<Target: ResponseRequestable>(
        of endpoint: Target, by rule: PageRule<Target.Response>, maximumPages: Int = 1000,
        on queue: (any DataTransferDispatchQueue)? = nil,
        onPage: @escaping @Sendable (DataTransferResponse<Target.Response>) -> Void,
        completion: @escaping @Sendable (Result<Void, DataTransferError>) -> Void
    ) -> any NetworkCancellable {
        let pages = pages(of: endpoint, by: rule, maximumPages: maximumPages)
        return TaskCancellable(on: queue) { () async throws(DataTransferError) in
            for try await page in pages { await run(onPage, with: page, on: queue) }
        } completion: {
            completion($0)
        }
    }
}
