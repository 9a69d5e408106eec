/// The handle of a request that failed before it began.
package struct FailedRequest: NetworkCancellable {
    package func cancel() {}

    /// Runs the completion on a thread nobody depends on.
    package static func deliver<Value: Sendable, Failure: Error>(
        _ error: Failure, to completion: @escaping @Sendable (Result<Value, Failure>) -> Void
    ) -> any NetworkCancellable {
        CompletionQueue.run { completion(.failure(error)) }
        return FailedRequest()
    }
}
