import Endpoints
import Foundation
import NetworkCore
import NetworkLogging

/// A response whose body can be read while it arrives. Its head has arrived, with a status that the endpoint accepts.
///
/// ```swift
/// let stream = try await service.stream(for: endpoint)
/// for try await chunk in stream { print(stream.statusCode, chunk.count) }
/// ```
///
/// A body that is still arriving can be read once, by one task at a time. If it is not read, the server is paused when about 256 KiB are
/// buffered, over HTTP/2 up to 32 MB (back-pressure). The transfer is cancelled when the stream and its iterators are released before the end, or
/// when the task that waits for a chunk is cancelled.
///
/// Descriptions contain no query, and no header field that could be secret.
public struct DataTransferStream: AsyncSequence, Sendable {
    /// The response: its head, and a body whose errors are not resolved or logged by the service.
    package let response: NetworkResponse
    private let failures: FailureReport
    /// The JSON decoder of the service; `nil` for the default.
    let decoder: (any JSONDataDecoder)?

    /// Creates a stream whose errors are neither resolved nor logged, for other implementations of ``DataTransferService``.
    public init(_ response: NetworkResponse) {
        self.init(response, failures: FailureReport())
    }

    init(_ response: NetworkResponse, failures: FailureReport, decoder: (any JSONDataDecoder)? = nil) {
        self.response = response
        self.decoder = decoder
        self.failures = failures
    }

    /// The status of the response, one that the endpoint accepts.
    public var statusCode: Int { response.statusCode }
    /// The header fields of the response.
    public var headers: HeaderFields { response.headers }
    /// The URL of the response, after redirects.
    public var url: URL { response.url }
    /// The trailer fields (RFC 9110 §6.5); empty until the body is complete.
    public var trailers: HeaderFields { response.trailers }
    /// The durations of the phases of the transfer, until the head arrived or, once the body is complete, until its end.
    public var timings: TransferTimings { response.timings }

    /// Returns an iterator. While the body is arriving, it continues where the last one stopped.
    public func makeAsyncIterator() -> Iterator {
        Iterator(chunks: response.body.makeAsyncIterator(), failures: failures)
    }

    /// An iterator over the chunks of the body.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var chunks: NetworkBody.Iterator
        fileprivate let failures: FailureReport

        /// Waits until there are bytes.
        ///
        /// - Returns: All bytes that have arrived since the last call; `nil` at the end.
        /// - Throws: ``DataTransferError``; at once when the task is cancelled, which cancels the transfer too.
        public mutating func next() async throws -> Data? {
            try await nextElement()
        }

        /// ``next()`` with the type of its errors.
        mutating func nextElement() async throws(DataTransferError) -> Data? {
            do throws(TransportError) {
                return try await chunks.next()
            } catch {
                throw failures.report(NetworkError(error))
            }
        }
    }
}

extension DataTransferStream {
    /// Cancels the transfer and closes its socket.
    func stop() {
        response.body.stop()
    }

    /// Returns the method and URL of the request without the query, such as `GET https://host/path`.
    func request(_ method: RequestMethod) -> String { "\(method) \(URLText(url).originAndPath)".printable(limit: 1024) }

    /// Resolves and logs a failure that did not occur in the body itself, and returns the error to throw.
    func report(_ error: NetworkError) -> DataTransferError {
        failures.report(error)
    }

    /// Logs a failure to process the body, and returns the error to throw.
    func report(_ failure: DataTransferError) -> DataTransferError {
        failures.report(failure)
    }
}

extension DataTransferStream: RedactedStringConvertible {
    /// A textual representation of status, origin, path and header fields, with secrets redacted.
    public var description: String { response.description }
}

extension DataTransferStream.Iterator: RedactedStringConvertible {}
