import Endpoints
import Foundation
import NetworkCore
import NetworkLogging

/// The pages of a list: an async sequence of responses.
///
/// ```swift
/// for try await page in service.pages(of: popular, by: .linkHeader) { print(page.value, page.headers) }
/// ```
///
/// The sequence is cold: each loop starts with the first page, and each page is requested when the loop needs it. After the
/// end of a loop, no more pages are requested. After an error, the sequence ends. No page is returned twice: if the next page has the URL of an
/// earlier one, that is an error.
public struct PageSequence<Target: ResponseRequestable>: AsyncSequence, Sendable {
    let service: any DataTransferService
    let endpoint: Target
    let rule: PageRule<Target.Response>
    let maximumPages: Int

    /// Returns an iterator that starts with the first page.
    public func makeAsyncIterator() -> Iterator { Iterator(pages: self) }

    /// An iterator over the pages.
    public struct Iterator: AsyncIteratorProtocol {
        private let pages: PageSequence
        private var step: PageRule<Target.Response>.Step?
        private var seen: Set<PageRule<Target.Response>.Step?> = []
        /// The URLs of the pages that were returned.
        private var urls: Set<String> = []
        private var isOver = false
        /// The page that was returned last.
        ///
        /// The step to the next page is computed when that page is requested, so that an error in it does not affect this
        /// page.
        private var latest: DataTransferResponse<Target.Response>?
        /// The method of the latest request.
        private var method = RequestMethod.get

        fileprivate init(pages: PageSequence) {
            self.pages = pages
            step = pages.rule.first
        }

        /// Requests the next page of the list.
        ///
        /// - Returns: The next page: its decoded value, with status, headers and timings; `nil` after the last one.
        /// - Throws: ``DataTransferError``; at once when the task is cancelled. If there is no valid next page, it is
        ///   ``DataTransferError/parsing(_:)`` with the reason.
        public mutating func next() async throws(DataTransferError) -> DataTransferResponse<Target.Response>? {
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
                    if case .url(let url) = step, urls.contains(Self.text(of: url)) { throw PageError.loop }
                } catch {
                    throw pages.report(.parsing(ParsingFailure(error, of: latest, method: method)))
                }
            }
            let endpoint = pages.endpoint(at: step, isFirst: urls.isEmpty)
            method = endpoint.request.method
            let page = try await pages.service.response(for: endpoint)
            seen.insert(step)
            // Another request may lead to the same page, for example by a redirect.
            guard urls.insert(Self.text(of: page.url)).inserted else {
                throw pages.report(.parsing(ParsingFailure(PageError.loop, of: page, method: method)))
            }
            latest = page
            isOver = false
            return page
        }

        /// The text of a URL without its fragment, which is not sent.
        private static func text(of url: URL) -> String { String(url.absoluteString.prefix { $0 != "#" }) }
    }

    fileprivate func endpoint(at step: PageRule<Target.Response>.Step?, isFirst: Bool) -> Endpoint<Target.Response> {
        var page = Endpoint(endpoint)
        // A key belongs to one request (draft-ietf-httpapi-idempotency-key-header-07 §2.2): with it, each page would be the first.
        if !isFirst { page.request.headerParameters["Idempotency-Key"] = nil }
        switch step {
        case nil: break
        case .query(let name, let value):
            page.request.queryParameters = page.request.queryParameters.replacing(with: [name: value])
        case .url(let url):
            let link = FollowedLink(from: page.request)
            page.request.path = url.absoluteString
            page.request.isFullPath = true
            page.request.pathParameters = [:]
            page.request.queryParameters = [:]
            page.request.context.followedLink = link
        }
        return page
    }

    fileprivate func report(_ failure: DataTransferError) -> DataTransferError {
        service.report(failure)
    }
}

/// The rule by which one page of a list leads to the next.
public struct PageRule<Page: Sendable>: Sendable {
    /// The difference between the requests for a page and for the list.
    enum Step: Sendable, Hashable {
        /// The next page has another URL.
        case url(URL)
        /// A query item that replaces items of the same name.
        case query(String, String)
    }

    let first: Step?
    /// Returns the step to the next page. `number` is the number of the last page, counted from 1.
    let next: @Sendable (_ page: DataTransferResponse<Page>, _ number: Int) throws(PageError) -> Step?

    private init(
        first: Step? = nil, next: @escaping @Sendable (DataTransferResponse<Page>, Int) throws(PageError) -> Step?
    ) {
        self.first = first
        self.next = next
    }

    /// Follows the link with the relation `next` in the `Link` field of the response (RFC 8288 §3); the last page has none.
    ///
    /// Links with an `anchor` that is not the URL of the page belong to another resource (§3.2) and are ignored.
    ///
    /// If a link leads to another origin than that of the list, the page is requested with GET, without body and
    /// credentials, and only with header fields that may be sent to any origin. The same applies to all following pages that
    /// are not on the origin of the list. A link from https to http is an error.
    public static var linkHeader: PageRule {
        PageRule { (page, _) throws(PageError) in
            guard let target = LinkField(page.headers).target(of: "next", for: page.url) else { return nil }
            guard let url = URIReference(target).resolved(against: URIReference(page.url.absoluteString)).url,
                ["http", "https"].contains(url.scheme?.lowercased())
            else { throw PageError.malformedLink(target) }
            return .url(url)
        }
    }

    /// Sets a page number in the query.
    ///
    /// - Parameters:
    ///   - name: The name of the query item.
    ///   - first: The number of the first page. Default: 1.
    ///   - isLast: Returns whether a page is the last one.
    public static func number(_ name: String, first: Int = 1, isLast: @escaping @Sendable (Page) -> Bool) -> PageRule {
        PageRule(first: .query(name, "\(first)")) { (page, number) throws(PageError) in
            isLast(page.value) ? nil : .query(name, "\(first &+ number)")
        }
    }

    /// Sets a cursor in the query, which each page contains for the next one.
    ///
    /// - Parameters:
    ///   - name: The name of the query item.
    ///   - cursor: Returns the cursor for the next page; `nil` or an empty text on the last page.
    public static func cursor(_ name: String, _ cursor: @escaping @Sendable (Page) -> String?) -> PageRule {
        PageRule { (page, _) throws(PageError) in
            guard let cursor = cursor(page.value), !cursor.isEmpty else { return nil }
            return .query(name, cursor)
        }
    }
}

/// An error in the step to the next page of a list.
///
/// It is the ``ParsingFailure/underlying`` error of the failure that a ``PageSequence`` throws.
package enum PageError: Error, Sendable, Hashable, RedactedStringConvertible {
    /// The link to the next page is not an http or https URL.
    case malformedLink(String)
    /// The link leads from https to http, where the page could be read and changed in transit.
    case insecureLink
    /// The next page has been requested before.
    case loop
    /// The list has more pages than the limit allows.
    case tooManyPages(limit: Int)

    /// A textual representation of the error.
    package var description: String {
        switch self {
        case .malformedLink(let target): "the link to the next page is not an http URL: \"\(target.printable)\""
        case .insecureLink: "the link to the next page leads from https to http"
        case .loop: "the next page has been requested before"
        case .tooManyPages(let limit): "there are more than \(limit) pages (maximumPages)"
        }
    }
}

extension DataTransferService {
    /// Returns the pages of a list as an async sequence. Nothing is requested until a loop starts.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint of the first page.
    ///   - rule: How one page leads to the next.
    ///   - maximumPages: The maximum number of pages, at least 1. More pages are an error. Default: 1,000.
    public func pages<Target: ResponseRequestable>(
        of endpoint: Target, by rule: PageRule<Target.Response>, maximumPages: Int = 1000
    ) -> PageSequence<Target> {
        PageSequence(service: self, endpoint: endpoint, rule: rule, maximumPages: max(1, maximumPages))
    }

    /// Requests the pages of a list, starting at once, and passes each page to a closure.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint of the first page.
    ///   - rule: How one page leads to the next.
    ///   - maximumPages: The maximum number of pages, at least 1. More pages are an error. Default: 1,000.
    ///   - queue: The queue on which both closures run; with `nil`, background threads on which no transfer depends.
    ///   - onPage: Called for each page, in order. The next page is requested after it has returned.
    ///   - completion: Called exactly once, after the last call of `onPage` has returned.
    /// - Returns: A handle that cancels the remaining requests.
    @discardableResult
    public func pages<Target: ResponseRequestable>(
        of endpoint: Target, by rule: PageRule<Target.Response>, maximumPages: Int = 1000,
        on queue: (any DataTransferDispatchQueue)? = nil,
        onPage: @escaping @Sendable (DataTransferResponse<Target.Response>) -> Void,
        completion: @escaping @Sendable (Result<Void, DataTransferError>) -> Void
    ) -> any NetworkCancellable {
        let pages = pages(of: endpoint, by: rule, maximumPages: maximumPages)
        return TaskCancellable(on: queue) { () async throws(DataTransferError) in
            for try await page in pages { await CompletionRunner(queue: queue).perform { onPage(page) } }
        } completion: {
            completion($0)
        }
    }
}
