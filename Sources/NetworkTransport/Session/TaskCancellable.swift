import NetworkSupport

/// Runs async code for a caller that does not use tasks, and calls a completion.
///
/// ```swift
/// let handle = TaskCancellable(on: .main) {
///     try await service.download(movie, to: .folder(files))
/// } completion: { result in          // Result<DownloadedFile, any Error>
///     …
/// }
/// handle.cancel()
/// ```
///
/// The operation begins at once, in a new task. What is created from an async sequence passes each of its elements to a closure:
///
/// ```swift
/// TaskCancellable {
///     service.events(ticker)
/// } onElement: { @MainActor event in
///     …
/// } completion: { @MainActor result in
///     …
/// }
/// ```
///
/// A closure that is isolated to an actor, such as `{ @MainActor result in … }` or a method of a view model, runs on that actor, whatever the
/// queue is. Other closures run on the queue that was passed, or on ``BackgroundThreads/completions``, where they may do work that blocks.
public struct TaskCancellable: NetworkCancellable {
    private let task: Task<Void, Never>

    /// Runs an operation, and calls a completion with what it returns or throws.
    ///
    /// - Parameters:
    ///   - queue: The queue on which the completion runs. Default: ``BackgroundThreads/completions``. The main queue is not the default, because
    ///     in a tool without a main loop the completion would never run.
    ///   - operation: The operation. Its task is cancelled by ``cancel()``.
    ///   - completion: Called exactly once. The type of the failure is the one that the operation throws: `any Error` for the functions of
    ///     services, `Never` if it throws none, and otherwise the one that is stated, as in `{ () async throws(TransportError) in … }`.
    @discardableResult
    public init<Value: Sendable, Failure: Error>(
        on queue: (any DataTransferDispatchQueue)? = nil,
        @_inheritActorContext _ operation: @escaping @Sendable () async throws(Failure) -> Value,
        completion: @escaping @isolated(any) @Sendable (Result<Value, Failure>) -> Void
    ) {
        let completion = CallerClosure(completion)
        task = Task { completion.call(await Result.from(operation), on: CompletionRunner(queue: queue)) }
    }

    /// Reads an async sequence, passes each element to a closure, and calls a completion.
    ///
    /// - Parameters:
    ///   - queue: The queue on which both closures run. Default: ``BackgroundThreads/completions``.
    ///   - elements: Returns the sequence.
    ///   - onElement: Called for each element, in order and one call at a time. The next element is requested after it has returned.
    ///   - completion: Called exactly once, after the last call of `onElement` has returned: with the sequence, which may have properties such
    ///     as trailer fields, or with the error that it has thrown. After ``cancel()``, the sequence is ended at once, even if `onElement`
    ///     has not returned yet.
    @discardableResult
    public init<Elements: AsyncSequence & Sendable>(
        on queue: (any DataTransferDispatchQueue)? = nil,
        @_inheritActorContext _ elements: @escaping @Sendable () async throws -> Elements,
        onElement: @escaping @isolated(any) @Sendable (Elements.Element) -> Void,
        completion: @escaping @isolated(any) @Sendable (Result<Elements, any Error>) -> Void
    ) where Elements.Element: Sendable {
        let (onElement, runner) = (CallerClosure(onElement), CompletionRunner(queue: queue))
        let operation: @Sendable () async throws -> Elements = {
            let elements = try await elements()
            var call: Task<Void, Never>?
            let result = await Result<Void, any Error>.from { () async throws(any Error) in
                for try await element in elements {
                    await call?.value
                    let turn = Promise<Void>()
                    call = Task {
                        await onElement.perform(element, on: runner)
                        turn.resolve(())
                    }
                    await turn.value(cancellation: {})
                }
            }
            await call?.value
            return try result.map { elements }.get()
        }
        self.init(on: queue, operation, completion: completion)
    }

    /// Cancels the task of the operation, and returns at once.
    public func cancel() {
        task.cancel()
    }
}
