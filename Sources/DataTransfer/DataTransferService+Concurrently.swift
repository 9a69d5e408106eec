import Endpoints
import NetworkCore

// Several endpoints of one type at once, all results together, in the order of the endpoints.
extension DataTransferService {
    /// Requests several endpoints at once: all values, or the first error.
    ///
    /// ```swift
    /// let movies = try await service.concurrently(identifiers.map { Movies.movie(id: $0).as(Movie.self) })
    /// ```
    ///
    /// The first request that fails calls the others off, and no more are begun.
    ///
    /// - Parameter limit: How many are under way at once; 6 unless given, as many as one host gets connections; at least 1.
    /// - Returns: The values in the order of the endpoints, whichever comes first.
    /// - Throws: ``DataTransferError``: the first one; at once when the task is cancelled.
    public func concurrently<Target: ResponseRequestable>(
        _ endpoints: [Target], limit: Int = 6
    ) async throws(DataTransferError) -> [Target.Response] {
        var values: [Target.Response?] = Array(repeating: nil, count: endpoints.count)
        let failure = await forEachResult(of: endpoints, limit: limit) { index, result in
            switch result {
            case .success(let value):
                values[index] = value
                return nil
            case .failure(let error): return error
            }
        }
        if let failure { throw failure }
        return values.compactMap(\.self)
    }

    /// Requests several endpoints at once: what becomes of each.
    ///
    /// - Parameter limit: How many are under way at once; 6 unless given, as many as one host gets connections; at least 1.
    /// - Returns: The results in the order of the endpoints. When the task is cancelled, those that had not come are errors whose
    ///   `isCancelled` is true.
    public func concurrently<Target: ResponseRequestable>(
        collecting endpoints: [Target], limit: Int = 6
    ) async -> [Result<Target.Response, DataTransferError>] {
        var results = [Result<Target.Response, DataTransferError>](repeating: .failure(.taskCancelled), count: endpoints.count)
        _ = await forEachResult(of: endpoints, limit: limit) { index, result in
            results[index] = result
            return nil
        }
        return results
    }

    /// Requests several endpoints at once, as the async ``concurrently(_:limit:)`` does.
    ///
    /// - Parameters:
    ///   - queue: Where the completion runs; by default on a background thread that no transfer depends on.
    ///   - completion: Runs exactly once, with all values or the first error.
    /// - Returns: A handle that calls all of them off.
    @discardableResult
    public func concurrently<Target: ResponseRequestable>(
        _ endpoints: [Target], limit: Int = 6, on queue: (any DataTransferDispatchQueue)? = nil,
        completion: @escaping @Sendable (Result<[Target.Response], DataTransferError>) -> Void
    ) -> any NetworkCancellable {
        TaskCancellable(on: queue) { () async throws(DataTransferError) in
            try await concurrently(endpoints, limit: limit)
        } completion: {
            completion($0)
        }
    }

    /// Requests several endpoints at once, as the async ``concurrently(collecting:limit:)`` does.
    ///
    /// - Parameters:
    ///   - queue: Where the completion runs; by default on a background thread that no transfer depends on.
    ///   - completion: Runs exactly once, with a result for each endpoint.
    /// - Returns: A handle that calls all of them off.
    @discardableResult
    public func concurrently<Target: ResponseRequestable>(
        collecting endpoints: [Target], limit: Int = 6, on queue: (any DataTransferDispatchQueue)? = nil,
        completion: @escaping @Sendable ([Result<Target.Response, DataTransferError>]) -> Void
    ) -> any NetworkCancellable {
        TaskCancellable(on: queue) { () async throws(Never) in
            await concurrently(collecting: endpoints, limit: limit)
        } completion: {
            completion($0.get())
        }
    }

    /// - Parameter receive: Takes each result as it comes, and returns an error to stop at.
    /// - Returns: That error.
    private func forEachResult<Target: ResponseRequestable>(
        of endpoints: [Target], limit: Int,
        _ receive: (Int, Result<Target.Response, DataTransferError>) -> DataTransferError?
    ) async -> DataTransferError? {
        await withTaskGroup(of: (Int, Result<Target.Response, DataTransferError>).self) { group in
            var next = 0
            func begin() {
                guard next < endpoints.count else { return }
                let index = next
                next += 1
                group.addTask { (index, await result(of: endpoints[index])) }
            }
            var failure: DataTransferError?
            for _ in 0..<min(max(limit, 1), endpoints.count) { begin() }
            while let (index, result) = await group.next() {
                // What is called off after a failure has nothing to tell.
                if failure != nil { continue }
                failure = receive(index, result)
                if failure != nil { group.cancelAll() } else if !Task.isCancelled { begin() }
            }
            // Nobody has heard of those that were not begun any more.
            return failure ?? (next < endpoints.count ? receive(next, .failure(.taskCancelled)) : nil)
        }
    }
}

extension DataTransferService {
    func result<Target: ResponseRequestable>(of endpoint: Target) async -> Result<Target.Response, DataTransferError> {
        do throws(DataTransferError) {
            return .success(try await request(endpoint))
        } catch {
            return .failure(error)
        }
    }
}

extension DataTransferError {
    static var taskCancelled: DataTransferError {
        .networkFailure(.cancelled(TransportError(.cancelled, "the task was cancelled")))
    }
}

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
