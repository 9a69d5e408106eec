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
