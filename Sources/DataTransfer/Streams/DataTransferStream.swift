import Endpoints
import Foundation
import NetworkCore

/// A response whose head has come with a status that the endpoint accepts, and whose body can be read while it arrives.
///
/// ```swift
/// let stream = try await service.stream(for: endpoint)
/// for try await chunk in stream { print(stream.statusCode, chunk.count) }
/// ```
///
/// It is read once and by one task at a time. Who stops reading stops the server, once some 256 KiB wait; letting go of the stream and its
/// iterators before the end calls the transfer off, and so does cancelling the task that waits for a chunk.
///
/// Descriptions show no query and no header that could be secret.
public struct DataTransferStream: AsyncSequence, Sendable {
    /// A part of the body, after content decoding; never empty.
    public typealias Element = Data
    /// What iterating throws. Chunks that came before the failure are handed out first.
    public typealias Failure = DataTransferError

    /// The response: its head, and the body without the service's view of errors.
    public let response: StreamedResponse
    private let failures: FailureReport

    /// A stream whose errors are neither resolved nor logged: for services of your own.
    public init(_ response: StreamedResponse) {
        self.init(response, failures: FailureReport())
    }

    init(_ response: StreamedResponse, failures: FailureReport) {
        self.response = response
        self.failures = failures
    }

    /// The response's status.
    public var statusCode: Int { response.statusCode }
    /// The response's header fields.
    public var headers: HTTPHeaders { response.headers }
    /// The URL that answers, after redirects.
    public var url: URL { response.url }
    /// Trailer fields (RFC 9110 §6.5); empty until all has come.
    public var trailers: HTTPHeaders { response.body.trailers }
    /// Where the time went: until the head had come, and once all has come, until then.
    public var timings: TransferTimings { response.body.timings ?? response.timings }

    /// Reads on where the last iterator stopped.
    public func makeAsyncIterator() -> Iterator {
        Iterator(chunks: response.body.makeAsyncIterator(), failures: failures)
    }

    /// Hands out chunks.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var chunks: ResponseStream.Iterator
        fileprivate let failures: FailureReport

        /// Suspends until there are bytes.
        ///
        /// - Returns: All that has come since the last call; `nil` at the end.
        /// - Throws: ``DataTransferError``; at once when the task is cancelled, which ends the transfer too.
        public mutating func next() async throws(DataTransferError) -> Data? {
            do throws(TransportError) {
                return try await chunks.next()
            } catch {
                throw failures.report(NetworkError(error))
            }
        }
    }
}

extension DataTransferStream {
    /// The transfer is of no use any more: closes its socket.
    func stop() {
        response.body.stop()
    }

    /// `GET https://host/path`, without the query.
    func request(_ method: HTTPMethod) -> String { "\(method) \(URLText(url).originAndPath)" }

    /// Resolves and logs a failure that the body itself does not know of, and hands it back to be thrown.
    func report(_ error: NetworkError) -> DataTransferError {
        failures.report(error)
    }

    /// Logs a failure to make something of the body, and hands it back to be thrown.
    func report(_ failure: DataTransferError) -> DataTransferError {
        failures.report(failure)
    }
}

extension DataTransferStream: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Status, origin and path, and headers without secrets.
    public var description: String { response.description }
    /// The same as `description`.
    public var debugDescription: String { description }
    /// The description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
