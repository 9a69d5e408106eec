/// The handle of a request that failed before it began.
package struct FailedRequest: NetworkCancellable {
    package func cancel() {}

    /// Runs the completion on ``BackgroundThreads/completions``.
    package static func deliver<Value: Sendable, Failure: Error>(
        _ error: Failure, to completion: @escaping @Sendable (Result<Value, Failure>) -> Void
    ) -> any NetworkCancellable {
        BackgroundThreads.completions.run { completion(.failure(error)) }
        return FailedRequest()
    }
}
