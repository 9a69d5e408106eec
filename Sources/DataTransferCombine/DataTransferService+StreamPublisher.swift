#if OPENCOMBINE || canImport(Combine)
    import DataTransfer
    import Foundation

    // Each of these asks for the next value only while there is demand. A subscriber without demand stops the server, once some 256 KiB
    // wait in the network.
    extension DataTransferService {
        /// Requests an endpoint, and publishes the values of its response one by one while it arrives.
        ///
        /// ```swift
        /// service.streamPublisher(catalogue, as: .elements(of: Movie.self, at: "data.items"))
        /// service.streamPublisher(log, as: .lines)
        /// ```
        ///
        /// Values that came before a failure are published first.
        ///
        /// - Parameter format: Says what the values are, and what becomes of one that cannot be made.
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

        /// Requests an endpoint, and publishes the bytes of its response while it arrives, in chunks of any size, none of them empty.
        public func streamPublisher<Target: Requestable>(for endpoint: Target) -> AnyPublisher<Data, DataTransferError> {
            PulledPublisher(
                opening: { () async throws(DataTransferError) in
                    try await self.stream(for: endpoint).makeAsyncIterator()
                },
                next: { chunks async throws(DataTransferError) in try await chunks.next() }
            ).eraseToAnyPublisher()
        }

        /// Publishes the events of an endpoint, across as many connections as it takes, and finishes after the server has answered 204.
        ///
        /// - Parameters:
        ///   - reconnection: When to connect again, and when to give up.
        ///   - lastEventID: The ID of the last event that was seen, from an earlier run; sent as `Last-Event-ID`.
        ///   - maximumEventBytes: The longest event. A longer one is a failure.
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

        /// Publishes the pages of a list, one after another. A page is requested when it is demanded.
        ///
        /// - Parameters:
        ///   - endpoint: The first page's.
        ///   - rule: How one page leads to the next.
        ///   - maximumPages: More are an error. 1,000 unless given; at least 1.
        public func pagesPublisher<Target: ResponseRequestable>(
            of endpoint: Target, by rule: PageRule<Target.Response>, maximumPages: Int = 1000
        ) -> AnyPublisher<DataTransferResponse<Target.Response>, DataTransferError> {
            let pages = pages(of: endpoint, by: rule, maximumPages: maximumPages)
            return PulledPublisher(
                opening: { () async throws(DataTransferError) in pages.makeAsyncIterator() },
                next: { pages async throws(DataTransferError) in try await pages.next() }
            ).eraseToAnyPublisher()
        }

        /// Requests several endpoints at once, and publishes each endpoint's index and result as it comes.
        ///
        /// - Parameter limit: How many are under way, or have come and wait to be demanded, at once; 6 unless given; at least 1.
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
