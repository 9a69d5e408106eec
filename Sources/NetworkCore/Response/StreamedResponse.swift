import Endpoints
import Foundation
import NetworkLogging

/// A response whose head was received and whose body is still arriving.
///
/// Descriptions show no query and no header that could be secret.
public struct StreamedResponse: Sendable {
    /// The final status code, not that of a followed redirect.
    public var statusCode: Int
    /// The header fields as received. `Content-Encoding` and `Content-Length` refer to the bytes before content decoding.
    public var headers: HTTPHeaders
    /// The URL of the response, after redirects.
    public var url: URL
    /// The durations of the transfer's phases until the head was received.
    public var timings: TransferTimings
    /// The body while it arrives. Releasing it before its end cancels the transfer.
    public var body: ResponseStream

    /// Creates a response from its parts.
    public init(
        statusCode: Int, headers: HTTPHeaders = [:], url: URL, timings: TransferTimings = TransferTimings(), body: ResponseStream
    ) {
        self.statusCode = statusCode
        self.headers = headers
        self.url = url
        self.timings = timings
        self.body = body
    }

    /// Creates a streamed response from a complete one, or from one whose ``NetworkResponse/stream`` passed through interceptors.
    public init(_ response: NetworkResponse) {
        self.init(
            statusCode: response.statusCode, headers: response.headers, url: response.url, timings: response.timings,
            body: response.stream
                ?? ResponseStream(response.body, trailers: response.trailers, timings: response.timings))
    }

    /// Returns the complete response after the rest of the body was received.
    ///
    /// - Parameter maximum: The maximum size of the body, in bytes. Default: 64 MiB.
    /// - Throws: ``TransportError``, with ``TransportError/Code/bodyTooLarge`` if the body is larger than `maximum`.
    public func collected(upTo maximum: Int = 64 << 20) async throws(TransportError) -> NetworkResponse {
        let data = try await body.collected(upTo: maximum)
        return head(body: data)
    }
}

extension StreamedResponse {
    /// Returns the head as a response, with the given body.
    func head(body: Data = Data()) -> NetworkResponse {
        NetworkResponse(
            statusCode: statusCode, headers: headers, trailers: self.body.trailers, body: body, url: url,
            timings: self.body.timings ?? timings)
    }

    /// Passes each chunk to a closure, which may block, and waits until it returns.
    ///
    /// - Returns: The head, with trailers and timings.
    func delivered(
        to onChunk: @escaping @Sendable (NetworkResponse, Data) -> Void
    ) async throws(TransportError) -> NetworkResponse {
        let head = head()
        let result = await withTaskCancellationHandler {
            await Self.deliver(body, with: head, to: onChunk)
        } onCancel: {
            // Closes the transfer even while the closure blocks.
            body.stop()
        }
        try result.get()
        return self.head()
    }

    private static func deliver(
        _ body: ResponseStream, with head: NetworkResponse, to onChunk: @escaping @Sendable (NetworkResponse, Data) -> Void
    ) async -> Result<Void, TransportError> {
        do throws(TransportError) {
            while let chunk = try await body.nextChunk() {
                await withUnsafeContinuation { continuation in
                    BackgroundThreads.completions.run {
                        onChunk(head, chunk)
                        continuation.resume()
                    }
                }
            }
            return .success(())
        } catch {
            return .failure(error)
        }
    }
}

extension StreamedResponse: RedactedStringConvertible {
    /// The status, the origin and path of the URL, and the headers without secrets.
    public var description: String {
        "\(statusCode) from \(URLText(url).originAndPath), a streamed body, \(headers)"
    }
}
