import Endpoints
import NetworkCore

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
