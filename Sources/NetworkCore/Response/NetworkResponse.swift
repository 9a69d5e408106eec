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

/// Where the time of a transfer went. Phases that did not happen, or that an engine does not tell, are `nil`.
///
/// The phases are those of the last hop; ``queued``, ``total`` and ``redirects`` speak of the whole transfer.
public struct TransferTimings: Sendable, Hashable {
    /// Waiting for a connection, in all hops together.
    public var queued: Duration?
    /// Name lookup. `nil` on a reused connection, as ``connect`` and ``tls`` are.
    public var nameLookup: Duration?
    /// TCP connect.
    public var connect: Duration?
    /// TLS handshake.
    public var tls: Duration?
    /// Sending the request: from the connection being ready until the last byte of the body was taken, by the system over HTTP/1.1, by the
    /// connection over HTTP/2. Where the response began before that, until then. `nil` without a body.
    public var send: Duration?
    /// From the connection being ready until the first byte of the response, ``send`` included.
    public var firstByte: Duration?
    /// Waiting for the response: from the end of ``send`` until its first byte.
    public var wait: Duration? { firstByte.map { max(.zero, $0 - (send ?? .zero)) } }
    /// From the call until the last byte, over all redirects.
    public var total: Duration
    /// How many redirects were followed.
    public var redirects: Int
    /// Bytes of request body sent in the last hop.
    public var bytesSent: Int64
    /// Bytes of response body received in the last hop, before content decoding.
    public var bytesReceived: Int64
    /// `http/1.0`, `http/1.1`, `h2` or `h3`, as ALPN names them (RFC 7301 §6).
    public var protocolName: String?
    /// Whether the connection had served another request before.
    public var isReusedConnection: Bool?
    /// Which attempt this was, counted from 1: a request whose kept connection turned out to be closed is sent once more.
    public var attempt: Int

    /// Timings of these parts; what is not given is zero or not known.
    public init(
        queued: Duration? = nil, nameLookup: Duration? = nil, connect: Duration? = nil, tls: Duration? = nil,
        send: Duration? = nil, firstByte: Duration? = nil, total: Duration = .zero, redirects: Int = 0, bytesSent: Int64 = 0,
        bytesReceived: Int64 = 0, protocolName: String? = nil, isReusedConnection: Bool? = nil, attempt: Int = 1
    ) {
        self.queued = queued
        self.nameLookup = nameLookup
        self.connect = connect
        self.tls = tls
        self.send = send
        self.firstByte = firstByte
        self.total = total
        self.redirects = redirects
        self.bytesSent = bytesSent
        self.bytesReceived = bytesReceived
        self.protocolName = protocolName
        self.isReusedConnection = isReusedConnection
        self.attempt = attempt
    }
}
