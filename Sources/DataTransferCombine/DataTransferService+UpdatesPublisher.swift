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

    /// What the publisher of a transfer with its progress publishes.
    public enum TransferUpdate<Value: Sendable>: Sendable {
        /// How far it has come: the newest state, when several came since the last demand.
        case progress(TransferProgress)
        /// What became of it. Nothing follows.
        case value(Value)
    }

    extension ProgressMonitor {
        /// Publishes what comes from now on, and finishes after the transfer: the newest state where there is less demand than states.
        ///
        /// Not cold, unlike all others: the transfer is begun elsewhere. For one subscriber; two would share the states among them.
        public var publisher: AnyPublisher<TransferProgress, Never> {
            PulledPublisher(
                opening: { () async throws(Never) in self.makeAsyncIterator() },
                next: { states async throws(Never) in await states.next() }
            ).eraseToAnyPublisher()
        }
    }

    /// The newest progress of one transfer, then its value.
    ///
    /// The transfer begins with the first demand, and goes on whether or not there is more: a state that was not demanded is replaced
    /// by one that is newer. Letting go of the source calls the transfer off.
    // Sendable although unchecked: `task` is only touched by the one task at a time that asks a source.
    final class UpdateSource<Value: Sendable>: @unchecked Sendable {
        private let operation: @Sendable (any TransferProgressObserver) async throws(DataTransferError) -> Value
        private let states: AsyncStream<TransferProgress>
        private let sink: AsyncStream<TransferProgress>.Continuation
        private var task: Task<Result<Value, DataTransferError>, Never>?

        init(_ operation: @escaping @Sendable (any TransferProgressObserver) async throws(DataTransferError) -> Value) {
            self.operation = operation
            (states, sink) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        }

        deinit {
            task?.cancel()
        }

        func next() async throws(DataTransferError) -> PulledSource<TransferUpdate<Value>, DataTransferError>.Step {
            let task = begun()
            let (state, result) = await withTaskCancellationHandler { [states] in
                var iterator = states.makeAsyncIterator()
                if let state = await iterator.next() {
                    return (TransferProgress?.some(state), Result<Value, DataTransferError>?.none)
                }
                return (nil, await task.value)
            } onCancel: {
                task.cancel()
            }
            if let state { return .value(.progress(state)) }
            guard let result else { return .end }
            return .last(.value(try result.get()))
        }

        private func begun() -> Task<Result<Value, DataTransferError>, Never> {
            if let task { return task }
            let begun = Task { [operation, sink] in
                // Also after an operation that told nobody of its progress.
                defer { sink.finish() }
                do throws(DataTransferError) {
                    return Result<Value, DataTransferError>.success(try await operation(UpdateObserver(sink: sink)))
                } catch {
                    return Result<Value, DataTransferError>.failure(error)
                }
            }
            task = begun
            return begun
        }
    }

    private final class UpdateObserver: TransferProgressObserver {
        private let sink: AsyncStream<TransferProgress>.Continuation

        init(sink: AsyncStream<TransferProgress>.Continuation) {
            self.sink = sink
        }

        func transferDidProgress(_ progress: TransferProgress) {
            sink.yield(progress)
        }
    }
#endif
