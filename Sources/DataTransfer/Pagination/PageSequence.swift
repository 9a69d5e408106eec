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
