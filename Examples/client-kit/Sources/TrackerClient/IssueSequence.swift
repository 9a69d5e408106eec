import DataTransfer

/// Issues of all pages of a list. The next page is requested when the last issue of the previous one has been read.
public struct IssueSequence: AsyncSequence, Sendable {
    let pages: PageSequence<Endpoint<[Issue]>>

    /// Creates an iterator, which requests the first page.
    public func makeAsyncIterator() -> Iterator { Iterator(pages: pages.makeAsyncIterator()) }

    /// Requests the pages, and returns their issues one by one.
    public struct Iterator: AsyncIteratorProtocol {
        var pages: PageSequence<Endpoint<[Issue]>>.Iterator
        private var page: ArraySlice<Issue> = []

        init(pages: PageSequence<Endpoint<[Issue]>>.Iterator) {
            self.pages = pages
        }

        /// Returns the next issue; `nil` after the last one.
        public mutating func next() async throws(TrackerError) -> Issue? {
            do {
                while page.isEmpty {
                    guard let response = try await pages.next() else { return nil }
                    page = response.value[...]
                }
                return page.removeFirst()
            } catch {
                throw TrackerError(error)
            }
        }
    }
}
