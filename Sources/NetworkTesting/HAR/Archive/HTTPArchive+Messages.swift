import DataTransfer
import Foundation
import NetworkLogging

extension HTTPArchive {
    /// A recorded request, as it was sent.
    public struct Request: Sendable, Hashable {
        /// The method of the request.
        public var method: HTTPMethod
        /// The URL as text, as in the file. ``RecordingSessionManager`` replaces secrets in it by `%3Credacted%3E`.
        public var url: String
        /// The HTTP version as in the file, such as `HTTP/1.1` or `h2`; empty if the file has none.
        public var httpVersion: String
        /// The header fields of the request.
        public var headers: HTTPHeaders
        /// The body of the request; `nil` if there was none.
        public var body: Body?
        /// The size of the body in bytes as sent; -1 if it is unknown. Ignored if ``body`` has another size.
        public var bodySize: Int64

        /// Creates a request from its parts.
        public init(
            method: HTTPMethod = .get, url: String, httpVersion: String = "HTTP/1.1", headers: HTTPHeaders = [:],
            body: Body? = nil,
            bodySize: Int64 = -1
        ) {
            self.method = method
            self.url = url
            self.httpVersion = httpVersion
            self.headers = headers
            self.body = body
            self.bodySize = bodySize
        }
    }

    /// A recorded response, as it was received.
    public struct Response: Sendable, Hashable {
        /// The status code; 0 if no response was received.
        public var statusCode: Int
        /// The reason phrase; often empty.
        public var statusText: String
        /// The HTTP version as in the file, such as `HTTP/1.1` or `h2`; empty if the file has none.
        public var httpVersion: String
        /// The header fields as received: `Content-Encoding` and `Content-Length` describe the bytes before content decoding, while ``body``
        /// contains the decoded bytes.
        public var headers: HTTPHeaders
        /// The body after content decoding.
        public var body: Body
        /// The number of body bytes received, before content decoding; -1 if it is unknown.
        public var bodySize: Int64
        /// The URL that responded, after redirects. If it is set, the response is final, whatever its status. Browsers write a separate entry
        /// for each redirect instead, and leave this `nil`.
        public var finalURL: String?

        /// Creates a response from its parts.
        public init(
            statusCode: Int, statusText: String = "", httpVersion: String = "HTTP/1.1", headers: HTTPHeaders = [:],
            body: Body = Body(), bodySize: Int64 = -1, finalURL: String? = nil
        ) {
            self.statusCode = statusCode
            self.statusText = statusText
            self.httpVersion = httpVersion
            self.headers = headers
            self.body = body
            self.bodySize = bodySize
            self.finalURL = finalURL
        }
    }

    /// The body of a recorded message, as far as the file contains it.
    public struct Body: Sendable, Hashable {
        /// The bytes; `nil` if there was a body that the file does not contain.
        public var data: Data?
        /// The media type with its parameters; empty if the file has none.
        public var mimeType: String
        /// Whether ``data`` is only the beginning of the body.
        public var isTruncated: Bool
        /// Whether secrets in ``data`` were replaced by `<redacted>`.
        public var isRedacted: Bool

        /// Creates a body from its parts.
        public init(_ data: Data? = Data(), mimeType: String = "", isTruncated: Bool = false, isRedacted: Bool = false) {
            self.data = data
            self.mimeType = mimeType
            self.isTruncated = isTruncated
            self.isRedacted = isRedacted
        }
    }

    /// The reason why an exchange has no complete response.
    public struct Failure: Sendable, Hashable {
        /// The error code, for callers to branch on.
        public var code: TransportError.Code
        /// The phase in which the transfer failed; `nil` if it is unknown.
        public var phase: TransportError.Phase?
        /// A message for human readers. In a browser's archive, the browser's error name: `net::ERR_…`.
        public var message: String

        /// Creates a failure from its parts.
        public init(_ code: TransportError.Code, phase: TransportError.Phase? = nil, message: String = "") {
            self.code = code
            self.phase = phase
            self.message = message
        }
    }

    /// The durations of the phases of an exchange; `nil` for a phase that did not happen or is unknown.
    public struct Timings: Sendable, Hashable {
        /// The time spent waiting for a connection.
        public var blocked: Duration?
        /// The duration of the name lookup.
        public var dns: Duration?
        /// The duration of the TCP connect and the TLS handshake together.
        public var connect: Duration?
        /// The duration of the TLS handshake alone; it is part of ``connect``.
        public var ssl: Duration?
        /// The time spent sending the request.
        public var send: Duration?
        /// The time spent waiting for the first byte of the response.
        public var wait: Duration?
        /// The time spent receiving the response.
        public var receive: Duration?

        /// Creates timings from the durations of the phases.
        public init(
            blocked: Duration? = nil, dns: Duration? = nil, connect: Duration? = nil, ssl: Duration? = nil, send: Duration? = nil,
            wait: Duration? = nil, receive: Duration? = nil
        ) {
            self.blocked = blocked
            self.dns = dns
            self.connect = connect
            self.ssl = ssl
            self.send = send
            self.wait = wait
            self.receive = receive
        }

        /// The sum of all phases; ``ssl`` is part of ``connect``. Each phase counts as at most 10^9 seconds.
        public var total: Duration {
            [blocked, dns, connect, send, wait, receive].reduce(.zero) { $0 + ($1?.bounded ?? .zero) }
        }
    }
}

// The archive of a browser is full of secrets, so descriptions show no query, no header field and no body.

extension HTTPArchive.Entry: RedactedStringConvertible {
    /// Method, origin and path, status, size of the bodies, and the failure code if there is one.
    public var description: String { "\(request): \(response)" + (failure.map { ", \($0.code.rawValue.printable)" } ?? "") }
}

extension HTTPArchive.Request: RedactedStringConvertible {
    /// Method, origin and path, and the size of the body.
    public var description: String {
        "\(method.rawValue.printable) \(URLText(url).originAndPath.printableLine)" + (body.map { ", \($0)" } ?? "")
    }
}

extension HTTPArchive.Response: RedactedStringConvertible {
    /// The status code and the size of the body.
    public var description: String { "\(statusCode), \(body)" }
}

extension HTTPArchive.Body: RedactedStringConvertible {
    /// The size of the body in bytes.
    public var description: String { data.map { "\($0.count)-byte body" } ?? "body not recorded" }
}
