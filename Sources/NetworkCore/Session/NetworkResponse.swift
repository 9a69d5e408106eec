import Endpoints
import Foundation

/// A whole response: status, headers, body, where it came from and how long it took.
///
/// Descriptions show no body, no query and no header that could be secret.
public struct NetworkResponse: Sendable {
    /// The final status, not that of a redirect that was followed.
    public var statusCode: Int
    /// As received, also after content decoding: `Content-Encoding` and `Content-Length` then speak of the encoded bytes.
    public var headers: HTTPHeaders
    /// Trailer fields of a chunked or HTTP/2 response (RFC 9110 §6.5); `URLSession` gives none.
    public var trailers: HTTPHeaders
    /// After content decoding; empty where none came.
    public var body: Data
    /// The URL that answered, after redirects.
    public var url: URL
    /// The method of the request that it answers, in the error about a status that was not accepted; `nil` elsewhere.
    public package(set) var method: HTTPMethod?
    /// Where the time went.
    public var timings: TransferTimings {
        get { boxedTimings.value }
        set { boxedTimings.value = newValue }
    }
    private var boxedTimings: Boxed<TransferTimings>
    /// In a streamed exchange, the body on its way through the interceptors; ``body`` is empty then. `nil` otherwise.
    public var stream: ResponseStream?

    /// A response of these parts.
    public init(
        statusCode: Int,
        headers: HTTPHeaders = [:],
        trailers: HTTPHeaders = [:],
        body: Data = Data(),
        url: URL,
        timings: TransferTimings = TransferTimings()
    ) {
        self.statusCode = statusCode
        self.headers = headers
        self.trailers = trailers
        self.body = body
        self.url = url
        boxedTimings = Boxed(timings)
    }
}

extension NetworkResponse: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Status, origin and path, the size of the body, and headers without secrets.
    public var description: String {
        "\(statusCode) from \(URLText(url).originAndPath), \(body.count) bytes, \(headers)"
    }

    /// The same as `description`.
    public var debugDescription: String { description }
    /// The description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
