#if OPENCOMBINE || canImport(Combine)
    import DataTransfer
    import Foundation

    // Publishers of a transfer's progress and then its value: at most 20 progress updates per second, and with less demand only the
    // newest one. The transfer begins with the first demand and does not wait for further demand.
    extension DataTransferService {
        /// Sends a body to an endpoint, and publishes progress updates, then the decoded response, then finishes.
        ///
        /// ```swift
        /// service.uploadUpdatesPublisher(.file(movie), to: endpoint)
        ///     .sink { completion in … } receiveValue: { update in
        ///         switch update {
        ///         case .progress(let state): print(state.fractionSent ?? 0)
        ///         case .value(let receipt): print(receipt)
        ///         }
        ///     }
        /// ```
        public func uploadUpdatesPublisher<Target: ResponseRequestable>(
            _ body: EndpointBody, to endpoint: Target, on queue: (any DataTransferDispatchQueue)? = nil
        ) -> AnyPublisher<TransferUpdate<Target.Response>, DataTransferError> {
            updatesPublisher(on: queue) { (progress) async throws(DataTransferError) in
                try await withTypedErrors { try await self.upload(body, to: endpoint, progress: progress) }
            }
        }

        /// Downloads an endpoint's response to a file or folder, and publishes progress updates, then the file, then finishes.
        public func downloadUpdatesPublisher<Target: Requestable>(
            _ endpoint: Target, to destination: DownloadDestination, options: DownloadOptions = DownloadOptions(),
            on queue: (any DataTransferDispatchQueue)? = nil
        ) -> AnyPublisher<TransferUpdate<DownloadedFile>, DataTransferError> {
            updatesPublisher(on: queue) { (progress) async throws(DataTransferError) in
                try await withTypedErrors {
                    try await self.download(endpoint, to: destination, options: options, progress: progress)
                }
            }
        }

        /// Downloads a large response to a temporary file, and publishes progress updates, then the value decoded from it, then finishes.
        public func downloadUpdatesPublisher<Target: ResponseRequestable>(
            _ endpoint: Target, on queue: (any DataTransferDispatchQueue)? = nil
        ) -> AnyPublisher<TransferUpdate<Target.Response>, DataTransferError> {
            updatesPublisher(on: queue) { (progress) async throws(DataTransferError) in
                try await withTypedErrors { try await self.download(endpoint, progress: progress) }
            }
        }

        private func updatesPublisher<Value: Sendable>(
            on queue: (any DataTransferDispatchQueue)?,
            _ operation: @escaping @Sendable (any TransferProgressObserver) async throws(DataTransferError) -> Value
        ) -> AnyPublisher<TransferUpdate<Value>, DataTransferError> {
            PulledPublisher(updatesOf: operation).published(on: queue)
        }
    }

    extension PulledPublisher {
        /// Creates a publisher of an operation's progress updates and then its result.
        ///
        /// - Parameter operation: The operation. Called once per subscriber, with its first demand.
        init<Value>(
            updatesOf operation: @escaping @Sendable (any TransferProgressObserver) async throws(DataTransferError) -> Value
        ) where Output == TransferUpdate<Value>, Failure == DataTransferError {
            self.init {
                let source = UpdateSource(operation)
                return PulledSource { () async throws(DataTransferError) in try await source.next() }
            }
        }
    }

    /// A progress update or the final value of a transfer.
    public enum TransferUpdate<Value: Sendable>: Sendable {
        /// The transfer's progress: the newest update if there were several since the last demand.
        case progress(TransferProgress)
        /// The value of the completed transfer. The last update before the publisher finishes.
        case value(Value)
    }

    extension ProgressMonitor {
        /// A publisher of the transfer's progress from now on, which finishes after the transfer.
        ///
        /// If there is less demand than updates, only the newest update is published, on the main queue for a subscriber on it. Unlike the other publishers of this module, it is
        /// not cold: the transfer is started elsewhere. It supports one subscriber; two subscribers would each receive only a part of
        /// the updates.
        public var publisher: AnyPublisher<TransferProgress, Never> {
            PulledPublisher(
                opening: { () async throws(Never) in self.makeAsyncIterator() },
                next: { states async throws(Never) in await states.next() }
            ).eraseToAnyPublisher()
        }
    }

    /// A source of the newest progress of one transfer, and then of its value.
    ///
    /// The transfer begins with the first call of ``next()`` and does not wait for further calls: an update that was not requested is
    /// replaced by a newer one. Releasing the source cancels the transfer.
    // `@unchecked Sendable`: `task` is accessed only in `next()`, which is called by one task at a time, and in `deinit`.
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
            let task = startedTask()
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

        private func startedTask() -> Task<Result<Value, DataTransferError>, Never> {
            if let task { return task }
            let started = Task { [operation, sink] in
                // Needed even if the operation reported no progress: `next()` waits for the end of the states.
                defer { sink.finish() }
                do throws(DataTransferError) {
                    return Result<Value, DataTransferError>.success(try await operation(UpdateObserver(sink: sink)))
                } catch {
                    return Result<Value, DataTransferError>.failure(error)
                }
            }
            task = started
            return started
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
