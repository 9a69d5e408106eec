import Endpoints
import Foundation
import NetworkCore
import NetworkLogging
import NetworkSupport

/// The pages of a list: an async sequence of responses.
///
/// ```swift
/// for try await page in service.pages(of: popular, by: .linkHeader) {
///     print(page.value, page.headers)
/// }
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
        private var step: PageStep?
        private var trail = PageTrail()
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
        ///   ``DataTransferError/parsing(_:)`` with the reason: also if the list leads back to a page that was returned before, which is not
        ///   returned again.
        public mutating func next() async throws -> DataTransferResponse<Target.Response>? {
            if isOver { return nil }
            isOver = true
            if let latest {
                do throws(PageError) {
                    guard let step = try pages.rule.next(latest, trail.count) else { return nil }
                    if case .url(let url) = step, url.scheme?.lowercased() == "http", latest.url.scheme?.lowercased() == "https" {
                        throw PageError.insecureLink
                    }
                    guard trail.count < pages.maximumPages else { throw PageError.tooManyPages(limit: pages.maximumPages) }
                    try trail.follow(step, from: latest.url)
                    self.step = step
                } catch {
                    throw pages.report(.parsing(ParsingFailure(error, of: latest, method: method)))
                }
            }
            let endpoint = pages.endpoint(at: step, isFirst: latest == nil)
            method = endpoint.request.method
            let page = try await pages.service.responseResult(for: endpoint).get()
            do throws(PageError) {
                try trail.arrive(at: page.url, by: step)
            } catch {
                throw pages.report(.parsing(ParsingFailure(error, of: page, method: method)))
            }
            latest = page
            isOver = false
            return page
        }
    }

    fileprivate func endpoint(at step: PageStep?, isFirst: Bool) -> Endpoint<Target.Response> {
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

/// The difference between the requests for a page and for the list.
enum PageStep: Sendable, Hashable {
    /// The next page has another URL.
    case url(URL)
    /// A query item that replaces items of the same name.
    case query(String, String)
}

/// The pages that were requested and received, by which a list that leads back to one of them is found before it is delivered again.
private struct PageTrail {
    /// The number of pages that were received.
    private(set) var count = 0
    /// Digests of what distinguishes the pages: URLs may be long.
    private var seen: Set<[UInt8]> = []

    /// Records a step from a page at a URL.
    mutating func follow(_ step: PageStep, from url: URL) throws(PageError) {
        // The first page may have the item in its own query.
        if count == 1, case .query(let name, _) = step {
            for item in (URLText(url).query ?? "").parts(at: "&") {
                guard let (key, value) = item.divided(at: "="), PercentEncoding.decoded(key) == name else { continue }
                seen.insert(Self.digest(.query(name, PercentEncoding.decoded(value) ?? "")))
            }
        }
        guard seen.insert(Self.digest(step)).inserted else { throw .loop }
    }

    /// Records a page that was received from a URL, which may be another one than that of the step.
    mutating func arrive(at url: URL, by step: PageStep?) throws(PageError) {
        count += 1
        let place = Self.digest(.url(url))
        if !seen.insert(place).inserted, step.map(Self.digest) != place { throw .loop }
    }

    private static func digest(_ step: PageStep) -> [UInt8] {
        switch step {
        case .query(let name, let value): return SHA256.digest(of: Array("\(name.utf8.count) \(name)=\(value)".utf8))
        case .url(let url):
            let text = URLText(url)
            let path = text.path.isEmpty ? "/" : text.path
            return SHA256.digest(of: Array((text.origin + path + (text.query.map { "?" + $0 } ?? "")).utf8))
        }
    }
}

/// The rule by which one page of a list leads to the next.
public struct PageRule<Page: Sendable>: Sendable {
    let first: PageStep?
    /// Returns the step to the next page. `number` is the number of the last page, counted from 1.
    let next: @Sendable (_ page: DataTransferResponse<Page>, _ number: Int) throws(PageError) -> PageStep?

    private init(
        first: PageStep? = nil, next: @escaping @Sendable (DataTransferResponse<Page>, Int) throws(PageError) -> PageStep?
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
    /// are not on the origin of the list. A link from https to http is an error. So is a page without such a link if its `Link` field has a line
    /// of more than 16 KiB, or a malformed part, in which `next` occurs: the list would end there although it has more pages.
    public static var linkHeader: PageRule {
        PageRule { (page, _) throws(PageError) in
            let field = LinkField(page.headers)
            guard let target = field.target(of: "next", for: page.url) else {
                guard let part = field.unread(mentioning: "next") else { return nil }
                throw part.utf8.count > LinkField.maximumBytes
                    ? PageError.longField(limit: LinkField.maximumBytes) : .malformedField
            }
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
}

extension ParsingFailure {
    /// Creates a failure to get the next page of a list. It contains no part of the body.
    init<Page>(_ error: PageError, of page: DataTransferResponse<Page>, method: RequestMethod) {
        request = "\(method) \(URLText(page.url).originAndPath)".printable(limit: 1024)
        statusCode = page.statusCode
        contentType = page.headers["Content-Type"]
        codingPath = ""
        reason = error.description
        snippet = ""
        underlying = error
    }
}

extension PageSequence: RedactedStringConvertible {}

extension PageSequence.Iterator: RedactedStringConvertible {}
