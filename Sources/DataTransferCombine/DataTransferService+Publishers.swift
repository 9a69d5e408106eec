#if OPENCOMBINE || canImport(Combine)
    import DataTransfer
    import Foundation

    // All publishers of this module are cold: a transfer begins when its subscriber first demands a value, anew for each subscriber,
    // and is called off when the subscription is cancelled, which closes its socket. Values and the completion come on background
    // threads that no transfer depends on; `receive(on:)` moves them.
    extension DataTransferService {
        /// Publishes the value of an endpoint, then finishes: a decoded one, or nothing for `Void`.
        ///
        /// ```swift
        /// service.requestPublisher(popular).sink { completion in … } receiveValue: { movies in … }.store(in: &subscriptions)
        /// ```
        public func requestPublisher<Target: ResponseRequestable>(
            _ endpoint: Target
        ) -> AnyPublisher<Target.Response, DataTransferError> {
            PulledPublisher(of: { () async throws(DataTransferError) in try await self.request(endpoint) }).eraseToAnyPublisher()
        }

        /// Publishes the value of an endpoint with status, headers and timings, then finishes.
        public func responsePublisher<Target: ResponseRequestable>(
            for endpoint: Target
        ) -> AnyPublisher<DataTransferResponse<Target.Response>, DataTransferError> {
            PulledPublisher(of: { () async throws(DataTransferError) in try await self.response(for: endpoint) })
                .eraseToAnyPublisher()
        }

        /// Publishes the values of several endpoints at once, in their order, then finishes; or fails with the first error.
        ///
        /// - Parameter limit: How many are under way at once; 6 unless given; at least 1.
        public func concurrentlyPublisher<Target: ResponseRequestable>(
            _ endpoints: [Target], limit: Int = 6
        ) -> AnyPublisher<[Target.Response], DataTransferError> {
            PulledPublisher(of: { () async throws(DataTransferError) in try await self.concurrently(endpoints, limit: limit) })
                .eraseToAnyPublisher()
        }

        /// Publishes what becomes of each of several endpoints, all at once and in their order, then finishes.
        ///
        /// - Parameter limit: How many are under way at once; 6 unless given; at least 1.
        public func concurrentlyPublisher<Target: ResponseRequestable>(
            collecting endpoints: [Target], limit: Int = 6
        ) -> AnyPublisher<[Result<Target.Response, DataTransferError>], Never> {
            PulledPublisher(of: { () async throws(Never) in await self.concurrently(collecting: endpoints, limit: limit) })
                .eraseToAnyPublisher()
        }

        /// Publishes the values of endpoints of different types, requested at once, as a tuple, then finishes; or fails with the first
        /// error.
        public func concurrentlyPublisher<each Target: ResponseRequestable>(
            _ endpoint: repeat each Target
        ) -> AnyPublisher<(repeat (each Target).Response), DataTransferError> {
            PulledPublisher(of: { () async throws(DataTransferError) in try await self.concurrently(repeat each endpoint) })
                .eraseToAnyPublisher()
        }
    }

    extension DataTransferService {
        /// Sends a body to an endpoint, and publishes the decoded answer, then finishes; see
        /// ``DataTransfer/DataTransferService/upload(_:to:progress:)``.
        ///
        /// ```swift
        /// service.uploadPublisher(.file(movie, contentType: "video/mp4"), to: endpoint)
        /// service.uploadPublisher(.multipart(form), to: endpoint)
        /// ```
        ///
        /// - Parameters:
        ///   - body: Takes the place of the endpoint's own. One that cannot be read again is for one subscriber.
        ///   - endpoint: Its method is used, and POST where it says GET, which has no body.
        ///   - progress: Takes the place of the endpoint's own observer. A `ProgressMonitor` is for one transfer, and so for one subscriber;
        ///     ``uploadUpdatesPublisher(_:to:)`` gives each its own.
        public func uploadPublisher<Target: ResponseRequestable>(
            _ body: RequestBody, to endpoint: Target, progress: (any TransferProgressObserver)? = nil
        ) -> AnyPublisher<Target.Response, DataTransferError> {
            PulledPublisher(of: { () async throws(DataTransferError) in
                try await self.upload(body, to: endpoint, progress: progress)
            }).eraseToAnyPublisher()
        }

        /// Sends a value as JSON to an endpoint, and publishes the decoded answer, then finishes.
        ///
        /// - Parameters:
        ///   - value: Objects, top-level arrays and scalars alike. A URL stands for the file there; `.json(url)` sends its text.
        ///   - encoder: Sorted keys, slashes as they are, else Foundation's defaults, unless given.
        @_disfavoredOverload
        public func uploadPublisher<Target: ResponseRequestable>(
            _ value: some Encodable & Sendable, to endpoint: Target, encoder: any DataEncoder = .json,
            progress: (any TransferProgressObserver)? = nil
        ) -> AnyPublisher<Target.Response, DataTransferError> {
            uploadPublisher(.json(value, encoder: encoder), to: endpoint, progress: progress)
        }

        /// Sends bytes as they are, as `application/octet-stream` unless the endpoint has a `Content-Type`, and publishes the decoded
        /// answer, then finishes.
        public func uploadPublisher<Target: ResponseRequestable>(
            _ data: Data, to endpoint: Target, progress: (any TransferProgressObserver)? = nil
        ) -> AnyPublisher<Target.Response, DataTransferError> {
            uploadPublisher(.data(data), to: endpoint, progress: progress)
        }

        /// Sends a file as it is, as `application/octet-stream` unless the endpoint has a `Content-Type`, and publishes the decoded answer,
        /// then finishes. A URL that is no file URL fails, and nothing is sent.
        public func uploadPublisher<Target: ResponseRequestable>(
            _ file: URL, to endpoint: Target, progress: (any TransferProgressObserver)? = nil
        ) -> AnyPublisher<Target.Response, DataTransferError> {
            uploadPublisher(.file(file), to: endpoint, progress: progress)
        }

        /// Sends a body to an endpoint, and publishes the answer's value with status, headers and timings, then finishes.
        public func responsePublisher<Target: ResponseRequestable>(
            for endpoint: Target, uploading body: RequestBody, progress: (any TransferProgressObserver)? = nil
        ) -> AnyPublisher<DataTransferResponse<Target.Response>, DataTransferError> {
            PulledPublisher(of: { () async throws(DataTransferError) in
                try await self.response(for: endpoint, uploading: body, progress: progress)
            }).eraseToAnyPublisher()
        }
    }

    extension DataTransferService {
        /// Downloads an endpoint's response to a file, goes on where an earlier attempt stopped, and publishes the file, then finishes.
        ///
        /// Only one download at a time writes to a place: of two subscribers at once, the second one fails.
        ///
        /// - Parameters:
        ///   - destination: A file's name, or a folder.
        ///   - progress: By default the endpoint's own observer. A `ProgressMonitor` is for one transfer, and so for one subscriber;
        ///     ``downloadUpdatesPublisher(_:to:options:)`` gives each its own.
        public func downloadPublisher<Target: Requestable>(
            _ endpoint: Target, to destination: DownloadDestination, options: DownloadOptions = DownloadOptions(),
            progress: (any TransferProgressObserver)? = nil
        ) -> AnyPublisher<DownloadedFile, DataTransferError> {
            PulledPublisher(of: { () async throws(DataTransferError) in
                try await self.download(endpoint, to: destination, options: options, progress: progress)
            }).eraseToAnyPublisher()
        }

        /// Downloads an endpoint's response to a file of this name, and publishes it, then finishes.
        public func downloadPublisher<Target: Requestable>(
            _ endpoint: Target, to file: URL, options: DownloadOptions = DownloadOptions(),
            progress: (any TransferProgressObserver)? = nil
        ) -> AnyPublisher<DownloadedFile, DataTransferError> {
            downloadPublisher(endpoint, to: .file(file), options: options, progress: progress)
        }

        /// Publishes the value of an endpoint whose response is large, decoded from a temporary file, then finishes.
        ///
        /// - Parameter progress: By default the endpoint's own observer.
        public func downloadPublisher<Target: ResponseRequestable>(
            _ endpoint: Target, progress: (any TransferProgressObserver)? = nil
        ) -> AnyPublisher<Target.Response, DataTransferError> {
            PulledPublisher(of: { () async throws(DataTransferError) in
                try await self.download(endpoint, progress: progress)
            }).eraseToAnyPublisher()
        }
    }
#endif
