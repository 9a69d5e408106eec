import Endpoints
import Foundation

/// What a ``LoopbackServer`` answers: status, header fields, body, and what is to go wrong on the way.
///
/// The header fields are sent exactly as given, unchecked, in their order. Added to them are only `Content-Length` or
/// `Transfer-Encoding` when neither is there, and `Connection: close` when the connection ends with this response. A response
/// to HEAD and one with status 204 or 304 is sent without its body.
public struct LoopbackResponse: Sendable {
    enum Content: Sendable {
        case fixed(Data)
        case chunked([Data], trailers: HTTPHeaders)
        case raw(Data, thenClose: Bool)
    }

    struct Interim: Sendable {
        var status: Int
        var headers: HTTPHeaders
    }

    /// The status code; any number is sent as it is.
    public var status: Int

    /// The reason phrase; `nil` sends the usual one of the status, or none.
    public var reason: String?

    /// The header fields.
    public var headers: HTTPHeaders

    /// The faults, applied in order. See ``fault(_:)``.
    public var faults: [LoopbackFault]

    /// How long the final response is held back. Interim responses are not.
    public var delay: Duration?

    var content: Content
    var interims: [Interim] = []

    /// A response whose body has a fixed length.
    ///
    /// - Parameters:
    ///   - status: The status code, 200 by default.
    ///   - reason: The reason phrase; `nil` takes the usual one.
    ///   - headers: Sent exactly as given.
    ///   - body: Empty by default.
    public init(status: Int = 200, reason: String? = nil, headers: HTTPHeaders = HTTPHeaders(), body: Data = Data()) {
        self.status = status
        self.reason = reason
        self.headers = headers
        content = .fixed(body)
        faults = []
    }

    /// The body; the chunks joined if it is chunked, every byte if the response is raw. Setting it gives it a fixed length.
    public var body: Data {
        get {
            switch content {
            case .fixed(let body), .raw(let body, _): body
            case .chunked(let chunks, _): chunks.reduce(into: Data()) { $0.append($1) }
            }
        }
        set { content = .fixed(newValue) }
    }
}

extension LoopbackResponse {
    /// A response without a body.
    public static func status(_ status: Int, headers: HTTPHeaders = HTTPHeaders()) -> LoopbackResponse {
        LoopbackResponse(status: status, headers: headers)
    }

    /// Text as `text/plain; charset=utf-8`.
    public static func text(_ text: String, status: Int = 200) -> LoopbackResponse {
        .data(Data(text.utf8), contentType: "text/plain; charset=utf-8", status: status)
    }

    /// JSON text, unchecked, as `application/json`.
    public static func json(_ text: String, status: Int = 200) -> LoopbackResponse {
        .data(Data(text.utf8), contentType: "application/json", status: status)
    }

    /// Bytes of some content type.
    public static func data(
        _ body: Data, contentType: String = "application/octet-stream", status: Int = 200
    ) -> LoopbackResponse {
        LoopbackResponse(status: status, headers: ["Content-Type": contentType], body: body)
    }

    /// A body in chunks (RFC 9112 §7.1), one for each element; empty elements are left out. A client that speaks HTTP/1.0
    /// gets them unframed, ended by the end of the connection.
    ///
    /// - Parameter trailers: The fields after the last chunk.
    public static func chunked(
        _ chunks: [Data], trailers: HTTPHeaders = HTTPHeaders(), status: Int = 200, headers: HTTPHeaders = HTTPHeaders()
    ) -> LoopbackResponse {
        var response = LoopbackResponse(status: status, headers: headers)
        response.content = .chunked(chunks, trailers: trailers)
        return response
    }

    /// Exactly these bytes in place of a response, whatever the request.
    ///
    /// Only ``delayed(by:)`` and ``LoopbackFault/drip(bytes:every:)`` apply to it.
    /// - Parameter thenClose: Whether the connection is closed after them, which is the default; `false` goes on to the next
    ///   request.
    public static func raw(_ bytes: Data, thenClose: Bool = true) -> LoopbackResponse {
        var response = LoopbackResponse()
        response.content = .raw(bytes, thenClose: thenClose)
        return response
    }
}

extension LoopbackResponse {
    /// This response, held back for a while. A second delay replaces the first.
    ///
    /// The time runs from the moment the handler returned; if the client goes away meanwhile, nothing is sent.
    public func delayed(by delay: Duration) -> LoopbackResponse {
        var response = self
        response.delay = delay
        return response
    }

    /// This response, preceded by an interim one such as 103 (RFC 9110 §15.2), sent at once. Clients of HTTP/1.0 are spared it.
    public func interim(_ status: Int, _ headers: HTTPHeaders = HTTPHeaders()) -> LoopbackResponse {
        var response = self
        response.interims.append(Interim(status: status, headers: headers))
        return response
    }

    /// This response, going wrong in a way the fault describes. Several faults add up; of those that end the response early,
    /// the last one counts.
    public func fault(_ fault: LoopbackFault) -> LoopbackResponse {
        var response = self
        response.faults.append(fault)
        return response
    }

    /// This response, after which the connection is closed though nothing in it says so: what a client meets when a server
    /// drops an idle keep-alive connection.
    public func closeAfter() -> LoopbackResponse {
        fault(.closeAfter)
    }

    /// This response with one more header field.
    public func header(_ name: String, _ value: String) -> LoopbackResponse {
        var response = self
        response.headers.add(value, for: name)
        return response
    }
}
