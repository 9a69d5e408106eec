import Endpoints
import Foundation

/// A response whose head has come, and whose body is still on its way.
///
/// Descriptions show no query and no header that could be secret.
public struct StreamedResponse: Sendable {
    /// The final status, not that of a redirect that was followed.
    public var statusCode: Int
    /// As received; `Content-Encoding` and `Content-Length` speak of the bytes before content decoding.
    public var headers: HTTPHeaders
    /// The URL that answers, after redirects.
    public var url: URL
    /// Where the time went until the head had come.
    public var timings: TransferTimings
    /// The body as it comes. Letting go of it calls the transfer off.
    public var body: ResponseStream

    /// A response of these parts.
    public init(
        statusCode: Int, headers: HTTPHeaders = [:], url: URL, timings: TransferTimings = TransferTimings(), body: ResponseStream
    ) {
        self.statusCode = statusCode
        self.headers = headers
        self.url = url
        self.timings = timings
        self.body = body
    }

    /// A response that has come whole, or that a chain of interceptors hands on with its ``NetworkResponse/stream``.
    public init(_ response: NetworkResponse) {
        self.init(
            statusCode: response.statusCode, headers: response.headers, url: response.url, timings: response.timings,
            body: response.stream
                ?? ResponseStream(response.body, trailers: response.trailers, timings: response.timings))
    }

    /// The whole response, once the rest of the body has come.
    ///
    /// - Parameter maximum: The largest body, in bytes; 64 MiB unless given.
    /// - Throws: ``TransportError``, with ``TransportError/Code/bodyTooLarge`` past `maximum`.
    public func collected(upTo maximum: Int = 64 << 20) async throws(TransportError) -> NetworkResponse {
        let data = try await body.collected(upTo: maximum)
        return head(body: data)
    }
}

extension StreamedResponse {
    /// Without a body, or with what has come of it.
    func head(body: Data = Data()) -> NetworkResponse {
        NetworkResponse(
            statusCode: statusCode, headers: headers, trailers: self.body.trailers, body: body, url: url,
            timings: self.body.timings ?? timings)
    }

    /// Hands each chunk to a closure that may block, and waits for it.
    ///
    /// - Returns: The head, with trailers and timings.
    func delivered(
        to onChunk: @escaping @Sendable (NetworkResponse, Data) -> Void
    ) async throws(TransportError) -> NetworkResponse {
        let head = head()
        let result = await withTaskCancellationHandler {
            await Self.deliver(body, with: head, to: onChunk)
        } onCancel: {
            // A closure that blocks does not keep the socket open.
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

extension StreamedResponse: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Status, origin and path, and headers without secrets.
    public var description: String {
        "\(statusCode) from \(URLText(url).originAndPath), a streamed body, \(headers)"
    }

    /// The same as `description`.
    public var debugDescription: String { description }
    /// The description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
