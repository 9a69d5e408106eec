#if OPENCOMBINE || canImport(Combine)
    import DataTransfer

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
