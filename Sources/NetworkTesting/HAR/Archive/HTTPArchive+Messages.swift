import DataTransfer
import Foundation

extension HTTPArchive {
    /// A request as it was sent.
    public struct Request: Sendable, Hashable {
        /// The method.
        public var method: HTTPMethod
        /// The URL in text form, as the file has it. Where ``RecordingSessionManager`` wrote it, secrets in it are `%3Credacted%3E`.
        public var url: String
        /// `HTTP/1.1`, `h2` or what else the file says; empty where it says nothing.
        public var httpVersion: String
        /// The header fields.
        public var headers: HTTPHeaders
        /// The body; `nil` where there was none.
        public var body: Body?
        /// The size of the body as sent, -1 where it is not known. Not believed where ``body`` says otherwise.
        public var bodySize: Int64

        /// A request of these parts.
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

    /// A response as it came.
    public struct Response: Sendable, Hashable {
        /// The status; 0 where no answer came.
        public var statusCode: Int
        /// The reason phrase; often empty.
        public var statusText: String
        /// `HTTP/1.1`, `h2` or what else the file says; empty where it says nothing.
        public var httpVersion: String
        /// As received: `Content-Encoding` and `Content-Length` speak of the bytes before content decoding, ``body`` holds those after it.
        public var headers: HTTPHeaders
        /// The decoded body.
        public var body: Body
        /// Bytes received before content decoding, -1 where it is not known.
        public var bodySize: Int64
        /// The URL that answered, after redirects: with it the answer is the last one, whatever its status. Browsers write an entry for each
        /// redirect instead, and leave this `nil`.
        public var finalURL: String?

        /// A response of these parts.
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

    /// The body of a message, as far as the file has it.
    public struct Body: Sendable, Hashable {
        /// The bytes; `nil` where the file tells of a body and does not have it.
        public var data: Data?
        /// The media type with its parameters; empty where the file says nothing.
        public var mimeType: String
        /// Whether ``data`` is only the beginning.
        public var isTruncated: Bool
        /// Whether secrets were replaced by `<redacted>`.
        public var isRedacted: Bool

        /// A body of these parts.
        public init(_ data: Data? = Data(), mimeType: String = "", isTruncated: Bool = false, isRedacted: Bool = false) {
            self.data = data
            self.mimeType = mimeType
            self.isTruncated = isTruncated
            self.isRedacted = isRedacted
        }
    }

    /// Why there was no whole answer.
    public struct Failure: Sendable, Hashable {
        /// What a caller branches on.
        public var code: TransportError.Code
        /// How far the transfer had come.
        public var phase: TransportError.Phase?
        /// For people. A browser's own word for it, `net::ERR_…`, where a browser wrote it.
        public var message: String

        /// A failure of these parts.
        public init(_ code: TransportError.Code, phase: TransportError.Phase? = nil, message: String = "") {
            self.code = code
            self.phase = phase
            self.message = message
        }
    }

    /// Where the time of an exchange went; `nil` is a phase that did not happen or is not known.
    public struct Timings: Sendable, Hashable {
        /// Waiting for a connection.
        public var blocked: Duration?
        /// Name lookup.
        public var dns: Duration?
        /// TCP connect and TLS handshake together.
        public var connect: Duration?
        /// The TLS handshake alone.
        public var ssl: Duration?
        /// Sending the request.
        public var send: Duration?
        /// Waiting for the first byte of the response.
        public var wait: Duration?
        /// Receiving the response.
        public var receive: Duration?

        /// Timings of these parts.
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

        /// All phases together; ``ssl`` is part of ``connect``. Each counts as 10^9 seconds at most.
        public var total: Duration {
            [blocked, dns, connect, send, wait, receive].reduce(.zero) { $0 + ($1?.bounded ?? .zero) }
        }
    }
}

/// What a browser exports is full of secrets: descriptions tell no query, no field and no body.
extension HTTPArchive.Entry: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Method, origin, path, status, and the failure where there is one.
    public var description: String { "\(request): \(response)" + (failure.map { ", \($0.code.rawValue.printable)" } ?? "") }
    /// The same as `description`.
    public var debugDescription: String { description }
    /// The description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension HTTPArchive.Request: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Method, origin and path, and the size of the body.
    public var description: String {
        "\(method.rawValue.printable) \(URLText(url).originAndPath.printableLine)" + (body.map { ", \($0)" } ?? "")
    }
    /// The same as `description`.
    public var debugDescription: String { description }
    /// The description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension HTTPArchive.Response: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The status, and the size of the body.
    public var description: String { "\(statusCode), \(body)" }
    /// The same as `description`.
    public var debugDescription: String { description }
    /// The description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension HTTPArchive.Body: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The size.
    public var description: String { data.map { "\($0.count)-byte body" } ?? "a body that was not kept" }
    /// The same as `description`.
    public var debugDescription: String { description }
    /// The description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
