import Endpoints
import NetworkCore

extension DataTransferService {
    /// Requests endpoints of different types at once: all values, or the first error.
    ///
    /// ```swift
    /// let (user, movies) = try await service.concurrently(me, popular)
    /// ```
    ///
    /// The first request that fails calls the others off. All are begun at once.
    ///
    /// - Throws: ``DataTransferError``: the first one; at once when the task is cancelled.
    public func concurrently<each Target: ResponseRequestable>(
        _ endpoint: repeat each Target
    ) async throws(DataTransferError) -> (repeat (each Target).Response) {
        let slots = (repeat Slot(for: each endpoint))
        let failure = await withTaskGroup(of: DataTransferError?.self) { group in
            for (endpoint, slot) in repeat (each endpoint, each slots) {
                group.addTask {
                    let result = await result(of: endpoint)
                    slot.result.withLock { $0 = result }
                    if case .failure(let error) = result { return error }
                    return nil
                }
            }
            var failure: DataTransferError?
            while let next = await group.next() {
                guard failure == nil, let next else { continue }
                failure = next
                group.cancelAll()
            }
            return failure
        }
        if let failure { throw failure }
        return (repeat try (each slots).value())
    }
}

/// Where the result of one of several requests is put.
private final class Slot<Value: Sendable>: Sendable {
    let result = Locked<Result<Value, DataTransferError>>(.failure(.taskCancelled))

    init<Target: ResponseRequestable>(for endpoint: Target) where Target.Response == Value {}

    func value() throws(DataTransferError) -> Value {
        try result.withLock { $0 }.get()
    }
}
