import NetworkCore

extension TaskCancellable {
    /// An async operation with a completion on a queue of the caller's choice.
    ///
    /// - Parameters:
    ///   - queue: With `nil`, a background thread that no transfer depends on.
    ///   - completion: Runs exactly once.
    init<Value: Sendable, Failure: Error>(
        on queue: (any DataTransferDispatchQueue)?, _ operation: @escaping @Sendable () async throws(Failure) -> Value,
        completion: @escaping @Sendable (Result<Value, Failure>) -> Void
    ) {
        self.init(operation) { result in
            guard let queue else { return completion(result) }
            queue.asyncExecute { completion(result) }
        }
    }
}
