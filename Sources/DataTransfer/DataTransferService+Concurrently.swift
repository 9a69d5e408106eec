import Endpoints
import NetworkCore
import NetworkSupport

// Concurrent requests for endpoints of the same type, with all results in the order of the endpoints.
extension DataTransferService {
    /// Sends requests for several endpoints concurrently, and returns all values or throws the first error.
    ///
    /// ```swift
    /// let movies = try await service.concurrently(
    ///     identifiers.map { Movies.movie(id: $0).as(Movie.self) })
    /// ```
    ///
    /// When a request fails, the others are cancelled, and no more are started.
    ///
    /// - Parameters:
    ///   - endpoints: The endpoints to request.
    ///   - maximumConcurrency: The maximum number of concurrent requests, at least 1. Default: 6, the default number of connections per
    ///     host.
    /// - Returns: The values in the order of the endpoints.
    /// - Throws: The first ``DataTransferError``; at once when the task is cancelled.
    public func concurrently<Target: ResponseRequestable>(
        _ endpoints: [Target], maximumConcurrency: Int = 6
    ) async throws -> [Target.Response] {
        var values: [Target.Response?] = Array(repeating: nil, count: endpoints.count)
        let failure = await forEachResult(of: endpoints, maximumConcurrency: maximumConcurrency) { index, result in
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

    /// Sends requests for several endpoints concurrently, and returns the result of each.
    ///
    /// - Parameters:
    ///   - endpoints: The endpoints to request.
    ///   - maximumConcurrency: The maximum number of concurrent requests, at least 1. Default: 6, the default number of connections per
    ///     host.
    /// - Returns: The results in the order of the endpoints. When the task is cancelled, the missing ones are errors whose
    ///   `isCancelled` is true.
    public func concurrently<Target: ResponseRequestable>(
        collecting endpoints: [Target], maximumConcurrency: Int = 6
    ) async -> [Result<Target.Response, DataTransferError>] {
        var results = [Result<Target.Response, DataTransferError>](repeating: .failure(.taskCancelled), count: endpoints.count)
        _ = await forEachResult(of: endpoints, maximumConcurrency: maximumConcurrency) { index, result in
            results[index] = result
            return nil
        }
        return results
    }

    /// Runs the requests and passes each result to a closure.
    ///
    /// - Parameter receive: Called with the index and result of each request, in the order of completion; returns an error
    ///   to stop.
    /// - Returns: The error that `receive` returned, or `nil`.
    private func forEachResult<Target: ResponseRequestable>(
        of endpoints: [Target], maximumConcurrency: Int,
        _ receive: (Int, Result<Target.Response, DataTransferError>) -> DataTransferError?
    ) async -> DataTransferError? {
        await withTaskGroup(of: (Int, Result<Target.Response, DataTransferError>).self) { group in
            var next = 0
            func begin() {
                guard next < endpoints.count else { return }
                let index = next
                next += 1
                group.addTask { (index, await result(for: endpoints[index])) }
            }
            var failure: DataTransferError?
            for _ in 0..<min(max(maximumConcurrency, 1), endpoints.count) { begin() }
            while let (index, result) = await group.next() {
                // Requests that were cancelled after a failure are ignored.
                if failure != nil { continue }
                failure = receive(index, result)
                if failure != nil { group.cancelAll() } else if !Task.isCancelled { begin() }
            }
            // The endpoints that were not started because of the cancellation have not been reported yet.
            return failure ?? (next < endpoints.count ? receive(next, .failure(.taskCancelled)) : nil)
        }
    }
}

extension DataTransferError {
    static var taskCancelled: DataTransferError {
        .networkFailure(.cancelled(.taskCancelled()))
    }
}

extension DataTransferService {
    /// Sends requests for endpoints of different types concurrently, and returns all values or throws the first error.
    ///
    /// ```swift
    /// let (user, movies) = try await service.concurrently(me, popular)
    /// ```
    ///
    /// All requests are started at once. When one fails, the others are cancelled.
    ///
    /// - Throws: The first ``DataTransferError``; at once when the task is cancelled.
    public func concurrently<each Target: ResponseRequestable>(
        _ endpoint: repeat each Target
    ) async throws -> (repeat (each Target).Response) {
        let slots = (repeat Slot(for: each endpoint))
        let failure = await withTaskGroup(of: DataTransferError?.self) { group in
            for (endpoint, slot) in repeat (each endpoint, each slots) {
                group.addTask {
                    let result = await result(for: endpoint)
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

/// The storage for the result of one of several requests.
private final class Slot<Value: Sendable>: Sendable {
    let result = Locked<Result<Value, DataTransferError>>(.failure(.taskCancelled))

    init<Target: ResponseRequestable>(for endpoint: Target) where Target.Response == Value {}

    func value() throws(DataTransferError) -> Value {
        try result.withLock { $0 }.get()
    }
}
