#if OPENCOMBINE || canImport(Combine)
    import DataTransfer
    import Foundation

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
