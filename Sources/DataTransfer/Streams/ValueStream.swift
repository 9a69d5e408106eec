import Endpoints
import Foundation
import NetworkCore

/// The values of a response while it arrives: lines, decoded JSON, events, whatever the ``Endpoints/StreamFormat`` says.
///
/// ```swift
/// let movies = try await service.stream(endpoint, as: .elements(of: Movie.self, at: "results"))
/// for try await movie in movies { print(movie.title) }
/// ```
///
/// A value is decoded when it is asked for, on the task that asks. Memory holds one value and what waits in the network, some 256 KiB, however
/// long the body is: who stops reading stops the server. It is read once and by one task at a time; a second loop goes on where the first one
/// stopped. Letting go of the stream and its iterators before the end closes the socket, and so do cancelling the task that reads, and an
/// error.
///
/// Descriptions show no query, no value, and no header that could be secret.
public struct ValueStream<Element: Sendable>: AsyncSequence, Sendable {
    /// What iterating throws. Values that came before the failure are handed out first.
    public typealias Failure = DataTransferError

    let reader: ValueReader<Element>

    init(_ body: DataTransferStream, parser: any StreamParser<Element>, method: HTTPMethod) {
        reader = ValueReader(body, parser: parser, method: method)
    }

    /// The response's status, one that the endpoint accepts.
    public var statusCode: Int { reader.body.statusCode }
    /// The response's header fields.
    public var headers: HTTPHeaders { reader.body.headers }
    /// The URL that answers, after redirects.
    public var url: URL { reader.body.url }
    /// Trailer fields (RFC 9110 §6.5); empty until all has come.
    public var trailers: HTTPHeaders { reader.body.trailers }
    /// Where the time went: until the head had come, and once all has come, until then.
    public var timings: TransferTimings { reader.body.timings }

    /// Reads on where the last iterator stopped.
    public func makeAsyncIterator() -> Iterator { Iterator(reader: reader) }

    /// Hands out values.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let reader: ValueReader<Element>

        /// Suspends until there is a value.
        ///
        /// - Returns: The next value; `nil` at the end.
        /// - Throws: ``DataTransferError``: ``DataTransferError/parsing(_:)`` for a value that cannot be made, and a broken stream; at once when
        ///   the task is cancelled. The same error is thrown again each time after.
        public mutating func next() async throws(DataTransferError) -> Element? {
            try await reader.next()
        }
    }
}

extension ValueStream {
    /// Status, headers, trailers, URL and timings as they are now: whole once the last value was taken.
    var head: DataTransferResponse<Void> {
        DataTransferResponse(
            value: (), statusCode: statusCode, headers: headers, trailers: trailers, url: url, timings: timings)
    }
}

extension ValueStream: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Type of the values, status, origin and path, and headers without secrets.
    public var description: String { "ValueStream<\(Element.self)>(\(reader.body))" }
    /// The same as `description`.
    public var debugDescription: String { description }
    /// The description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

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

/// What a stream of values and its iterators share: the body, and the parser between two calls.
final class ValueReader<Element: Sendable>: Sendable {
    /// What one call needs, and nobody else touches meanwhile: decoding runs code of the caller's, and no lock is held over that.
    private struct Position {
        var parser: any StreamParser<Element>
        var chunks: DataTransferStream.Iterator
        var isFinished = false
    }

    private enum State {
        case idle(Position)
        case reading
        case ended
        case failed(DataTransferError)
    }

    let body: DataTransferStream
    private let method: HTTPMethod
    private let state: Locked<State>

    init(_ body: DataTransferStream, parser: any StreamParser<Element>, method: HTTPMethod) {
        self.body = body
        self.method = method
        state = Locked(.idle(Position(parser: parser, chunks: body.makeAsyncIterator())))
    }

    /// The next value; `nil` at the end.
    func next() async throws(DataTransferError) -> Element? {
        guard var position = try take() else { return nil }
        do throws(DataTransferError) {
            let element = try await element(&position)
            let next = element == nil ? State.ended : .idle(position)
            state.withLock { $0 = next }
            return element
        } catch {
            state.withLock { $0 = .failed(error) }
            body.stop()
            throw error
        }
    }

    private func take() throws(DataTransferError) -> Position? {
        try state.withLock { state throws(DataTransferError) in
            switch state {
            case .idle(let position):
                state = .reading
                return position
            case .ended: return nil
            case .failed(let error): throw error
            case .reading:
                throw .networkFailure(.transport(TransportError(.other, "two tasks read one stream at the same time")))
            }
        }
    }

    private func element(_ position: inout Position) async throws(DataTransferError) -> Element? {
        while true {
            if Task.isCancelled { throw body.report(.cancelled(TransportError(.cancelled, "the task was cancelled"))) }
            do throws(StreamParsingError) {
                if let element = try position.parser.next() { return element }
            } catch {
                throw body.report(.parsing(ParsingFailure(error, of: body, method: method)))
            }
            if position.isFinished { return nil }
            if let chunk = try await position.chunks.next() {
                position.parser.receive(chunk)
            } else {
                position.parser.finish()
                position.isFinished = true
            }
        }
    }
}
