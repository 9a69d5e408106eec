import Endpoints
import NetworkCore

extension DataTransferService {
    /// Requests an endpoint, and makes a stream of values of its response. Returns when the head has come.
    ///
    /// ```swift
    /// for try await line in try await service.stream(log, as: .lines) { print(line) }
    /// ```
    ///
    /// - Parameter format: Says what the values are, and what becomes of one that cannot be made.
    /// - Throws: ``DataTransferError``; at once when the task is cancelled. What fails later is thrown by the stream.
    public func stream<Element>(
        _ endpoint: any Requestable, as format: StreamFormat<Element>
    ) async throws(DataTransferError) -> ValueStream<Element> {
        ValueStream(try await stream(for: endpoint), parser: format.makeParser(), method: endpoint.method)
    }

    /// Requests an endpoint, and hands over the values of its response one by one.
    ///
    /// - Parameters:
    ///   - format: Says what the values are, and what becomes of one that cannot be made.
    ///   - queue: Where both closures run; with `nil`, on background threads that no transfer depends on.
    ///   - onElement: Runs for each value, in order. The next one waits until it returns, and with it, past some 256 KiB, the server.
    ///   - completion: Runs exactly once, after the last `onElement` has returned, with status, headers, trailers and timings.
    /// - Returns: A handle that calls the request off, and closes its socket at once; the completion then runs with an error whose
    ///   `isCancelled` is true.
    @discardableResult
    public func stream<Element>(
        _ endpoint: any Requestable, as format: StreamFormat<Element>, on queue: (any DataTransferDispatchQueue)? = nil,
        onElement: @escaping @Sendable (Element) -> Void,
        completion: @escaping @Sendable (Result<DataTransferResponse<Void>, DataTransferError>) -> Void
    ) -> any NetworkCancellable {
        TaskCancellable(on: queue) { () async throws(DataTransferError) in
            let stream = try await self.stream(endpoint, as: format)
            try await stream.deliver(on: queue, to: onElement)
            return stream.head
        } completion: {
            completion($0)
        }
    }
}

extension ValueStream {
    /// Hands values to a closure that may block, one after another. The socket is closed at once when the task is cancelled, also while
    /// the closure blocks.
    fileprivate func deliver(
        on queue: (any DataTransferDispatchQueue)?, to onElement: @escaping @Sendable (Element) -> Void
    ) async throws(DataTransferError) {
        let result = await withTaskCancellationHandler { () async -> Result<Void, DataTransferError> in
            do throws(DataTransferError) {
                while let element = try await reader.next() { await run(onElement, with: element, on: queue) }
                return .success(())
            } catch {
                return .failure(error)
            }
        } onCancel: {
            reader.body.stop()
        }
        try result.get()
    }
}

/// Runs a closure that may block away from the pool of async tasks, and returns when it has.
func run<Element: Sendable>(
    _ closure: @escaping @Sendable (Element) -> Void, with element: Element, on queue: (any DataTransferDispatchQueue)?
) async {
    await withUnsafeContinuation { continuation in
        let work: @Sendable () -> Void = {
            closure(element)
            continuation.resume()
        }
        if let queue {
            queue.asyncExecute(work: work)
        } else {
            BackgroundThreads.completions.run(work)
        }
    }
}
