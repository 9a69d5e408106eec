#if OPENCOMBINE || canImport(Combine)
    import DataTransfer
    import Foundation

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
#endif
