#if OPENCOMBINE || canImport(Combine)
    import DataTransfer
    import Foundation

    // How a transfer comes along, and then its value: at most 20 states a second, and where there is less demand than that, the newest
    // only. The transfer begins with the first demand, and does not wait for more.
    extension DataTransferService {
        /// Sends a body to an endpoint, and publishes how that comes along, then the decoded answer, then finishes.
        ///
        /// ```swift
        /// service.uploadUpdatesPublisher(.file(movie), to: endpoint).sink { completion in … } receiveValue: { update in
        ///     switch update {
        ///     case .progress(let state): print(state.fractionSent ?? 0)
        ///     case .value(let receipt): print(receipt)
        ///     }
        /// }
        /// ```
        public func uploadUpdatesPublisher<Target: ResponseRequestable>(
            _ body: RequestBody, to endpoint: Target
        ) -> AnyPublisher<TransferUpdate<Target.Response>, DataTransferError> {
            updatesPublisher { (progress) async throws(DataTransferError) in
                try await self.upload(body, to: endpoint, progress: progress)
            }
        }

        /// Sends a value as JSON to an endpoint, and publishes how that comes along, then the decoded answer, then finishes.
        @_disfavoredOverload
        public func uploadUpdatesPublisher<Target: ResponseRequestable>(
            _ value: some Encodable & Sendable, to endpoint: Target, encoder: any DataEncoder = .json
        ) -> AnyPublisher<TransferUpdate<Target.Response>, DataTransferError> {
            uploadUpdatesPublisher(.json(value, encoder: encoder), to: endpoint)
        }

        /// Sends bytes as they are to an endpoint, and publishes how that comes along, then the decoded answer, then finishes.
        public func uploadUpdatesPublisher<Target: ResponseRequestable>(
            _ data: Data, to endpoint: Target
        ) -> AnyPublisher<TransferUpdate<Target.Response>, DataTransferError> {
            uploadUpdatesPublisher(.data(data), to: endpoint)
        }

        /// Downloads an endpoint's response to a file, and publishes how that comes along, then the file, then finishes.
        public func downloadUpdatesPublisher<Target: Requestable>(
            _ endpoint: Target, to destination: DownloadDestination, options: DownloadOptions = DownloadOptions()
        ) -> AnyPublisher<TransferUpdate<DownloadedFile>, DataTransferError> {
            updatesPublisher { (progress) async throws(DataTransferError) in
                try await self.download(endpoint, to: destination, options: options, progress: progress)
            }
        }

        /// Downloads an endpoint's response to a file of this name, and publishes how that comes along, then the file, then finishes.
        public func downloadUpdatesPublisher<Target: Requestable>(
            _ endpoint: Target, to file: URL, options: DownloadOptions = DownloadOptions()
        ) -> AnyPublisher<TransferUpdate<DownloadedFile>, DataTransferError> {
            downloadUpdatesPublisher(endpoint, to: .file(file), options: options)
        }

        /// Publishes how a large response comes along, then its value, decoded from a temporary file, then finishes.
        public func downloadUpdatesPublisher<Target: ResponseRequestable>(
            _ endpoint: Target
        ) -> AnyPublisher<TransferUpdate<Target.Response>, DataTransferError> {
            updatesPublisher { (progress) async throws(DataTransferError) in
                try await self.download(endpoint, progress: progress)
            }
        }

        private func updatesPublisher<Value: Sendable>(
            _ operation: @escaping @Sendable (any TransferProgressObserver) async throws(DataTransferError) -> Value
        ) -> AnyPublisher<TransferUpdate<Value>, DataTransferError> {
            PulledPublisher(updatesOf: operation).eraseToAnyPublisher()
        }
    }

    extension PulledPublisher {
        /// Publishes how an operation comes along, and then what it returns.
        ///
        /// - Parameter operation: Runs anew for each subscriber, with the first demand.
        init<Value>(
            updatesOf operation: @escaping @Sendable (any TransferProgressObserver) async throws(DataTransferError) -> Value
        ) where Output == TransferUpdate<Value>, Failure == DataTransferError {
            self.init {
                let source = UpdateSource(operation)
                return PulledSource { () async throws(DataTransferError) in try await source.next() }
            }
        }
    }
#endif
