import Endpoints
import Foundation
import NetworkLogging

/// A response of a ``LoopbackServer``: status, header fields, body, and faults.
///
/// The header fields are sent unchecked, exactly as passed and in their order. The server only adds `Content-Length` or
/// `Transfer-Encoding` if there is neither, and `Connection: close` if the connection is closed after the response. A response to
/// HEAD or with status 204 or 304 is sent without its body.
public struct LoopbackResponse: Sendable {
    enum Content: Sendable {
        case fixed(Data)
        case chunked([Data], trailers: HeaderFields)
        case raw(Data, thenClose: Bool)
    }

    struct Interim: Sendable {
        var status: Int
        var headers: HeaderFields
    }

    /// The status code; any number is sent unchanged.
    public var status: Int

    /// The reason phrase; `nil`: the usual one for the status, or an empty one.
    public var reason: String?

    /// The header fields of the response.
    public var headers: HeaderFields

    /// The faults of the response, applied in order. See ``fault(_:)``.
    public var faults: [LoopbackFault]

    /// The delay before the final response is sent. Interim responses are not delayed.
    public var delay: Duration?

    var content: Content
    var interims: [Interim] = []

    /// Creates a response with a body of fixed length.
    ///
    /// - Parameters:
    ///   - status: The status code. Default: 200.
    ///   - reason: The reason phrase; `nil`: the usual one.
    ///   - headers: The header fields, sent exactly as passed.
    ///   - body: The body. Default: empty.
    public init(status: Int = 200, reason: String? = nil, headers: HeaderFields = HeaderFields(), body: Data = Data()) {
        self.status = status
        self.reason = reason
        self.headers = headers
        content = .fixed(body)
        faults = []
    }

    /// The body: the joined chunks of a chunked response, or all bytes of a raw one. Setting it makes the length fixed.
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
    /// Returns a response with an empty body.
    public static func status(_ status: Int, headers: HeaderFields = HeaderFields()) -> LoopbackResponse {
        LoopbackResponse(status: status, headers: headers)
    }

    /// Returns a response with text as `text/plain; charset=utf-8`.
    public static func text(_ text: String, status: Int = 200) -> LoopbackResponse {
        .data(Data(text.utf8), contentType: "text/plain; charset=utf-8", status: status)
    }

    /// Returns a response with JSON text, unchecked, as `application/json`.
    public static func json(_ text: String, status: Int = 200) -> LoopbackResponse {
        .data(Data(text.utf8), contentType: "application/json", status: status)
    }

    /// Returns a response with bytes of a content type.
    public static func data(
        _ body: Data, contentType: String = "application/octet-stream", status: Int = 200
    ) -> LoopbackResponse {
        LoopbackResponse(status: status, headers: ["Content-Type": contentType], body: body)
    }

    /// Returns a response with a chunked body (RFC 9112 §7.1), one chunk for each element that is not empty. HTTP/1.0 clients get
    /// the bytes without framing, and the connection is closed after them.
    ///
    /// - Parameters:
    ///   - chunks: The chunks. Empty ones are left out.
    ///   - trailers: The trailer fields after the last chunk.
    ///   - status: The status code. Default: 200.
    ///   - headers: The header fields. Default: none.
    public static func chunked(
        _ chunks: [Data], trailers: HeaderFields = HeaderFields(), status: Int = 200, headers: HeaderFields = HeaderFields()
    ) -> LoopbackResponse {
        var response = LoopbackResponse(status: status, headers: headers)
        response.content = .chunked(chunks, trailers: trailers)
        return response
    }

    /// Returns a response that sends exactly these bytes, whatever the request.
    ///
    /// Only interim responses, ``delayed(by:)`` and ``LoopbackFault/drip(bytes:every:)`` apply to it.
    /// - Parameters:
    ///   - bytes: Everything that is sent, including the head.
    ///   - thenClose: Whether the connection is closed after them. With `false` it serves the next request. Default: `true`.
    public static func raw(_ bytes: Data, thenClose: Bool = true) -> LoopbackResponse {
        var response = LoopbackResponse()
        response.content = .raw(bytes, thenClose: thenClose)
        return response
    }
}

extension LoopbackResponse {
    /// Returns this response with a delay. A second delay replaces the first.
    ///
    /// The delay starts when the handler returns. If the client closes the connection meanwhile, nothing is sent.
    public func delayed(by delay: Duration) -> LoopbackResponse {
        var response = self
        response.delay = delay
        return response
    }

    /// Returns this response with an interim one such as 103 (RFC 9110 §15.2) before it, sent without delay. It is not sent to
    /// HTTP/1.0 clients.
    public func interim(_ status: Int, _ headers: HeaderFields = HeaderFields()) -> LoopbackResponse {
        var response = self
        response.interims.append(Interim(status: status, headers: headers))
        return response
    }

    /// Returns this response with a fault. Several faults are combined; of those that end the response early, the last one
    /// applies.
    public func fault(_ fault: LoopbackFault) -> LoopbackResponse {
        var response = self
        response.faults.append(fault)
        return response
    }

    /// Returns this response with an additional header field.
    public func header(_ value: String, for name: String) -> LoopbackResponse {
        var response = self
        response.headers.add(value, for: name)
        return response
    }
}

extension LoopbackResponse: RedactedStringConvertible {
    /// The status and the headers with secrets redacted, without the body.
    public var description: String { "LoopbackResponse(\(status), \(headers))" }
}
