import Endpoints
import Foundation
import NetworkCore
import NetworkLogging
import NetworkSupport

/// The values of a response while it arrives: an async sequence.
///
/// A ``Endpoints/StreamFormat`` defines what the values are, such as lines or JSON elements.
///
/// ```swift
/// let movies = try await service.stream(popular, as: .elements(of: Movie.self))
/// for try await movie in movies { print(movie.title) }
/// ```
///
/// Each value is decoded on the task that requests it. Memory contains one value and, over HTTP/1.1, about 256 KiB of received data,
/// however long the body is; if the stream is not read, the server is paused (back-pressure).
/// The stream can be read once, by one task at a time; a second loop continues where the first one stopped. The transfer ends when the stream and its
/// iterators are released before the end, when the reading task is cancelled, and after an error.
///
/// Descriptions contain no query, no value, and no header field that could be secret.
public struct ValueStream<Element: Sendable>: AsyncSequence, Sendable {
    let reader: ValueReader<Element>

    init(_ body: DataTransferStream, parser: any StreamParser<Element>, method: RequestMethod) {
        reader = ValueReader(body, parser: parser, method: method)
    }

    /// The status of the response, one that the endpoint accepts.
    public var statusCode: Int { reader.body.statusCode }
    /// The header fields of the response.
    public var headers: HeaderFields { reader.body.headers }
    /// The URL of the response, after redirects.
    public var url: URL { reader.body.url }
    /// The trailer fields (RFC 9110 §6.5); empty until the body is complete.
    public var trailers: HeaderFields { reader.body.trailers }
    /// The durations of the phases of the transfer, until the head arrived or, once the body is complete, until its end.
    public var timings: TransferTimings { reader.body.timings }

    /// Returns an iterator that continues where the last one stopped.
    public func makeAsyncIterator() -> Iterator { Iterator(reader: reader) }

    /// An iterator over the values.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let reader: ValueReader<Element>

        /// Waits for the next value.
        ///
        /// - Returns: The next value; `nil` at the end.
        /// - Throws: ``DataTransferError``: ``DataTransferError/parsing(_:)`` for an invalid value or stream; at once when
        ///   the task is cancelled. Later calls throw the same error again.
        public mutating func next() async throws -> Element? {
            try await reader.next()
        }
    }
}

extension ValueStream: RedactedStringConvertible {
    /// A textual representation of type, status, origin, path and header fields, with secrets redacted.
    public var description: String { "ValueStream<\(Element.self)>(\(reader.body))" }
}

extension DataTransferService {
    /// Requests an endpoint, and returns a stream of the values in its response.
    ///
    /// It returns when the head of the response has arrived.
    ///
    /// ```swift
    /// let lines = try await service.stream(log, as: .lines())
    /// for try await line in lines { print(line) }
    /// ```
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint.
    ///   - format: The format of the values, and what to do with an invalid one.
    /// - Throws: ``DataTransferError``; at once when the task is cancelled. Later failures are thrown by the stream.
    public func stream<Element>(
        _ endpoint: any Requestable, as format: StreamFormat<Element>
    ) async throws -> ValueStream<Element> {
        let request = endpoint.sourcedRequest
        let body = try await streamResult(for: request).get()
        return ValueStream(body, parser: format.makeParser(decoder: body.decoder), method: request.method)
    }
}

/// The state that a stream of values shares with its iterators: the body, and the parser between two calls.
final class ValueReader<Element: Sendable>: Sendable {
    /// The parser and the body's iterator.
    ///
    /// Only one call uses them at a time: decoding runs code of the caller, so no lock is held meanwhile.
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
    private let method: RequestMethod
    private let state: Locked<State>

    init(_ body: DataTransferStream, parser: any StreamParser<Element>, method: RequestMethod) {
        self.body = body
        self.method = method
        state = Locked(.idle(Position(parser: parser, chunks: body.makeAsyncIterator())))
    }

    /// Returns the next value; `nil` at the end.
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
                throw .networkFailure(.transport(TransportError(.other, "the stream is read by two tasks at the same time")))
            }
        }
    }

    private func element(_ position: inout Position) async throws(DataTransferError) -> Element? {
        while true {
            if Task.isCancelled { throw body.report(.cancelled(.taskCancelled())) }
            do throws(StreamParsingError) {
                if let element = try position.parser.next() { return element }
            } catch {
                throw body.report(.parsing(ParsingFailure(error, of: body, method: method)))
            }
            if position.isFinished { return nil }
            if let chunk = try await position.chunks.nextElement() {
                position.parser.receive(chunk)
            } else {
                position.parser.finish()
                position.isFinished = true
            }
        }
    }
}

extension ValueStream.Iterator: RedactedStringConvertible {}
