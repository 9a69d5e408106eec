#if OPENCOMBINE || canImport(Combine)
    import DataTransfer
    import Foundation

    // Each of these publishers requests the next value only while there is demand. Without demand, back-pressure stops the server once
    // about 256 KiB are buffered in the network.
    extension DataTransferService {
        /// Requests an endpoint, and publishes the values in its response one by one while the response arrives.
        ///
        /// ```swift
        /// service.streamPublisher(catalogue, as: .elements(of: Movie.self, at: "data.items"))
        /// service.streamPublisher(log, as: .lines)
        /// ```
        ///
        /// Values received before a failure are published first.
        ///
        /// - Parameter format: The format of the values in the response, and how a value that cannot be decoded is handled.
        public func streamPublisher<Target: Requestable, Element: Sendable>(
            _ endpoint: Target, as format: StreamFormat<Element>
        ) -> AnyPublisher<Element, DataTransferError> {
            PulledPublisher(
                opening: { () async throws(DataTransferError) in
                    try await self.stream(endpoint, as: format).makeAsyncIterator()
                },
                next: { values async throws(DataTransferError) in try await values.next() }
            ).eraseToAnyPublisher()
        }

        /// Requests an endpoint, and publishes the bytes of its response while it arrives, in non-empty chunks of any size.
        public func streamPublisher<Target: Requestable>(for endpoint: Target) -> AnyPublisher<Data, DataTransferError> {
            PulledPublisher(
                opening: { () async throws(DataTransferError) in
                    try await self.stream(for: endpoint).makeAsyncIterator()
                },
                next: { chunks async throws(DataTransferError) in try await chunks.next() }
            ).eraseToAnyPublisher()
        }

        /// Publishes the server-sent events of an endpoint, reconnecting as needed, and finishes when the server responds with 204.
        ///
        /// - Parameters:
        ///   - reconnection: When to reconnect, and when to give up.
        ///   - lastEventID: The ID of the last event received in an earlier run; sent as `Last-Event-ID`.
        ///   - maximumEventBytes: The maximum size of an event in bytes. A larger event is a failure. Default: 1 MiB.
        public func eventsPublisher<Target: Requestable>(
            _ endpoint: Target, reconnection: EventReconnection = EventReconnection(), lastEventID: String = "",
            maximumEventBytes: Int = 1 << 20
        ) -> AnyPublisher<ServerSentEvent, DataTransferError> {
            let events = events(
                endpoint, reconnection: reconnection, lastEventID: lastEventID, maximumEventBytes: maximumEventBytes)
            return PulledPublisher(
                opening: { () async throws(DataTransferError) in events.makeAsyncIterator() },
                next: { events async throws(DataTransferError) in try await events.next() }
            ).eraseToAnyPublisher()
        }

        /// Publishes the pages of a list one after another. Each page is requested when the subscriber demands it.
        ///
        /// - Parameters:
        ///   - endpoint: The endpoint of the first page.
        ///   - rule: The rule that derives the next page's request from a page.
        ///   - maximumPages: The maximum number of pages; further pages are an error. Default: 1,000. Minimum: 1.
        public func pagesPublisher<Target: ResponseRequestable>(
            of endpoint: Target, by rule: PageRule<Target.Response>, maximumPages: Int = 1000
        ) -> AnyPublisher<DataTransferResponse<Target.Response>, DataTransferError> {
            let pages = pages(of: endpoint, by: rule, maximumPages: maximumPages)
            return PulledPublisher(
                opening: { () async throws(DataTransferError) in pages.makeAsyncIterator() },
                next: { pages async throws(DataTransferError) in try await pages.next() }
            ).eraseToAnyPublisher()
        }

        /// Requests several endpoints concurrently, and publishes each endpoint's index and result when it completes.
        ///
        /// - Parameter limit: The maximum number of requests that are in progress or whose results have not been demanded yet.
        ///   Default: 6. Minimum: 1.
        public func resultsPublisher<Target: ResponseRequestable>(
            of endpoints: [Target], limit: Int = 6
        ) -> AnyPublisher<(index: Int, result: Result<Target.Response, DataTransferError>), Never> {
            PulledPublisher(
                opening: { () async throws(Never) in self.results(of: endpoints, limit: limit).makeAsyncIterator() },
                next: { results async throws(Never) in await results.next() }
            ).eraseToAnyPublisher()
        }
    }
#endif
