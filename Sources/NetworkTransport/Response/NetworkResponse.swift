import Endpoints
import Foundation
import NetworkLogging

/// A response: status, headers, body, URL and timings.
///
/// The body is in memory, or still arriving if the request is streamed (``Endpoints/NetworkRequest/isStreamed``).
/// Descriptions show no body, no query and no header that could be secret.
public struct NetworkResponse: Sendable {
    /// Everything that a response consists of. Copies of a response share it until one of them is changed.
    private struct Parts: Sendable {
        var statusCode: Int
        var headers: HeaderFields
        var initialTrailers: HeaderFields
        var body: NetworkBody
        var isBodyInMemory: Bool
        var lazyURL: LazyURL
        var timings: CopyOnWrite<TransferTimings>
        var upgrade: Upgrade?
        var method: RequestMethod?
        var countedAttempt: CountedAttempt?
    }

    private var parts: CopyOnWrite<Parts>

    /// The final status code, not that of a followed redirect.
    public var statusCode: Int {
        get { parts.value.statusCode }
        set { parts.value.statusCode = newValue }
    }
    /// The header fields as received. After content decoding, `Content-Encoding` and `Content-Length` still refer to the encoded
    /// bytes.
    public var headers: HeaderFields {
        _read { yield parts.value.headers }
        _modify { yield &parts.value.headers }
    }
    /// The trailer fields of a chunked or HTTP/2 response (RFC 9110 §6.5); always empty with `URLSession`. Those of a body that is
    /// still arriving are available as soon as it has ended.
    public var trailers: HeaderFields {
        get { body.end?.trailers ?? parts.value.initialTrailers }
        set { parts.value.initialTrailers = newValue }
    }
    /// The body after content decoding; empty for a response without content. Releasing one that is still arriving cancels the transfer.
    public var body: NetworkBody {
        // Not `_read`, whose frame is allocated each time for a value of this size.
        get { parts.value.body }
        _modify {
            defer { parts.value.isBodyInMemory = parts.value.body.isInMemory }
            yield &parts.value.body
        }
    }
    /// Whether the ``body`` is in memory, without a copy of it.
    package var isBodyInMemory: Bool { parts.value.isBodyInMemory }
    /// What the server has switched the connection to; `nil` without status 101.
    package var upgrade: Upgrade? {
        get { parts.value.upgrade }
        set { parts.value.upgrade = newValue }
    }
    /// The bytes of a body that is in memory; empty for one that is still arriving. ``collected(maximumBytes:)`` receives it.
    public var data: Data {
        get { body.data ?? Data() }
        set {
            if let end = body.end {
                parts.value.initialTrailers = end.trailers
                parts.value.timings.value = end.timings
            }
            body = .data(newValue)
        }
    }
    /// The URL of the response, after redirects.
    public var url: URL {
        get { lazyURL.url }
        set { lazyURL = .url(newValue) }
    }
    package var lazyURL: LazyURL {
        get { parts.value.lazyURL }
        set { parts.value.lazyURL = newValue }
    }
    /// The method of the request, set in ``NetworkError/status(_:)``; `nil` elsewhere.
    public var method: RequestMethod? { parts.value.method }
    /// The durations of the transfer's phases, and its byte counts. For a body that is still arriving, those until the head was
    /// received, and the final ones as soon as it has ended.
    public var timings: TransferTimings {
        get { currentTimings.value }
        set { parts.value.timings.value = newValue }
    }
    /// The attempt of a transfer that this is the response of; `nil` if no interceptor has counted it.
    package var countedAttempt: CountedAttempt? {
        get { parts.value.countedAttempt }
        set { parts.value.countedAttempt = newValue }
    }
    /// Sets the ``method``.
    package mutating func set(method: RequestMethod) { parts.value.method = method }
    /// The ``timings``, without a copy where that is possible.
    package var currentTimings: CopyOnWrite<TransferTimings> {
        if isBodyInMemory { return parts.value.timings }
        return body.end.map { CopyOnWrite($0.timings) } ?? parts.value.timings
    }

    /// Creates a response from its parts.
    public init(
        statusCode: Int,
        headers: HeaderFields = [:],
        trailers: HeaderFields = [:],
        body: NetworkBody = .empty,
        url: URL,
        timings: TransferTimings = TransferTimings()
    ) {
        self.init(
            statusCode: statusCode, headers: headers, trailers: trailers, body: body, lazyURL: .url(url), timings: timings)
    }

    /// Creates a response whose URL is created when it is read.
    package init(
        statusCode: Int, headers: HeaderFields, trailers: HeaderFields = [:], body: NetworkBody, lazyURL: LazyURL,
        timings: TransferTimings, upgrade: Upgrade? = nil
    ) {
        parts = CopyOnWrite(
            Parts(
                statusCode: statusCode, headers: headers, initialTrailers: trailers, body: body, isBodyInMemory: body.isInMemory,
                lazyURL: lazyURL,
                timings: CopyOnWrite(timings), upgrade: upgrade))
    }
}

extension NetworkResponse: RedactedStringConvertible {
    /// The status, the origin and path of the URL, the size of a body in memory, and the headers without secrets.
    public var description: String {
        let body = body.data.map { "\($0.count) bytes" } ?? "a streamed body"
        return "\(statusCode) from \(URLText(lazyURL.text).originAndPath), \(body), \(headers)"
    }
}

/// The durations of a transfer's phases, and its byte counts. Phases that did not happen, or that an engine does not measure, are
/// `nil`.
///
/// The phases are those of the last request, after redirects; ``queued``, ``total`` and ``redirects`` refer to the whole
/// transfer.
public struct TransferTimings: Sendable, Hashable {
    /// The time spent waiting for a connection, over all redirects.
    public var queued: Duration?
    /// The time of the name lookup. `nil` if there was none: for an address, and on a reused connection, as are the other phases of connecting.
    public var nameLookup: Duration?
    /// The time of the TCP connect, over all addresses that were tried.
    public var connect: Duration?
    /// The time until the proxy had connected to the server, with the TLS handshake of an HTTPS proxy; `nil` without a tunnel.
    public var proxy: Duration?
    /// The time of the TLS handshake with the server.
    public var tls: Duration?
    /// The time spent sending the request's body; `nil` without a body.
    ///
    /// It starts when the connection is ready, and ends when the last byte of the body was accepted, by the system for HTTP/1.1,
    /// by the connection for HTTP/2, or when the response begins, if that is earlier.
    public var send: Duration?
    /// The time from when the connection is ready until the first byte of the response, including ``send``.
    public var firstByte: Duration?
    /// The time spent waiting for the response: from the end of ``send`` until its first byte.
    public var wait: Duration? { firstByte.map { max(.zero, $0 - (send ?? .zero)) } }
    /// The time from the call until the last byte, including all redirects.
    public var total: Duration
    /// The number of redirects that were followed.
    public var redirects: Int
    /// The bytes of the request's body that were sent with the last request.
    public var bytesSent: Int64
    /// The bytes of the response's body that were received for the last request, before content decoding.
    public var bytesReceived: Int64
    /// The protocol as ALPN names it (RFC 7301 §6): `http/1.0`, `http/1.1`, `h2` or `h3`.
    public var protocolName: String?
    /// Whether the connection has served another request before.
    public var isReusedConnection: Bool?
    /// The number of the attempt, starting at 1. A request is sent again if its reused connection turns out to be closed.
    public var attempt: Int
    /// The address that was connected to, as in ``NetworkResponse/serverAddress``.
    public var serverAddress: NetworkResponse.ServerAddress?

    /// Why no further attempt was made although the failure is one that is retried; `nil` if there is no such reason.
    package var retryEnd: RetryEnd?

    /// Creates timings. Values that are not passed are zero or unknown.
    public init(
        queued: Duration? = nil, nameLookup: Duration? = nil, connect: Duration? = nil, proxy: Duration? = nil,
        tls: Duration? = nil,
        send: Duration? = nil, firstByte: Duration? = nil, total: Duration = .zero, redirects: Int = 0, bytesSent: Int64 = 0,
        bytesReceived: Int64 = 0, protocolName: String? = nil, isReusedConnection: Bool? = nil, attempt: Int = 1,
        serverAddress: NetworkResponse.ServerAddress? = nil
    ) {
        self.queued = queued
        self.nameLookup = nameLookup
        self.connect = connect
        self.proxy = proxy
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
        self.serverAddress = serverAddress
    }
}

extension NetworkResponse {
    /// Returns the response with its whole body in memory, and its final trailers and timings.
    ///
    /// - Parameter maximumBytes: The maximum size of the body, in bytes. Default: 64 MiB.
    /// - Throws: ``TransportError``, with ``TransportError/Code/bodyTooLarge`` if the body is larger than `maximumBytes`.
    public func collected(maximumBytes: Int = 64 << 20) async throws(TransportError) -> NetworkResponse {
        var response = self
        response.data = try await body.collected(maximumBytes: maximumBytes)
        return response
    }

    /// The response without its body, and without the connection that it was upgraded to.
    package var head: NetworkResponse {
        var head = self
        head.data = Data()
        head.upgrade = nil
        return head
    }

    /// Passes each chunk to a closure, which may block, and waits until it returns.
    ///
    /// - Returns: The head, with trailers and timings.
    package func delivered(
        to onChunk: @escaping @Sendable (NetworkResponse, Data) -> Void
    ) async throws(TransportError) -> NetworkResponse {
        let head = head
        let result = await withTaskCancellationHandler {
            await Result.from { () async throws(TransportError) in
                var chunks = body.makeAsyncIterator()
                while let chunk = try await chunks.next() {
                    await BackgroundThreads.completions.perform { onChunk(head, chunk) }
                }
            }
        } onCancel: {
            // Closes the transfer even while the closure blocks.
            body.stop()
        }
        try result.get()
        return self.head
    }
}
