/// An async operation with a completion, for callers without tasks.
package struct TaskCancellable: NetworkCancellable {
    private let task: Task<Void, Never>

    /// - Parameter completion: Runs exactly once, on ``BackgroundThreads/completions``, so it may block.
    package init<Value: Sendable, Failure: Error>(
        _ operation: @escaping @Sendable () async throws(Failure) -> Value,
        completion: @escaping @Sendable (Result<Value, Failure>) -> Void
    ) {
        task = Task {
            let result: Result<Value, Failure>
            do throws(Failure) {
                result = .success(try await operation())
            } catch {
                result = .failure(error)
            }
            BackgroundThreads.completions.run { completion(result) }
        }
    }

    package func cancel() {
        task.cancel()
    }
}
