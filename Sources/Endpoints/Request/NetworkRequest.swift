import Foundation

/// One request as it will be sent: nothing in it is relative, optional or still to be encoded.
///
/// Endpoints build it (``Requestable/networkRequest(with:)``), interceptors change it, session managers send it. It is a
/// small value of our own because on Linux a `URLRequest` costs as much as the rest of the request together.
///
/// Descriptions show method, origin and path, never the query, a header that could be secret, or the body.
public struct NetworkRequest: Sendable, Hashable {
    /// The request method.
    public var method: HTTPMethod
    /// An absolute `http` or `https` URL.
    public var url: URL {
        didSet { origin = URLText.origin(of: url) }
    }
    /// Scheme, host and port of ``url`` (RFC 6454 §4), as `https://api.example.com:443`.
    package private(set) var origin: String
    /// The header fields. `Content-Length` and `Transfer-Encoding` are refused: the engine sets them.
    public var headers: HTTPHeaders
    /// What is sent after the head; `nil` sends nothing.
    public var body: RequestContent?
    /// Where a value is `nil`, the session manager's own limit holds.
    public var timeouts: RequestTimeouts
    /// Hears how the transfer comes along.
    public var progress: (any TransferProgressObserver)?
    /// Which of its parts are credentials.
    package var credentials = RequestCredentials()
    /// Whether interceptors may add credentials to it.
    public var requiresAuthentication = true
    /// What interceptors tell each other; never sent.
    public var context = RequestContext()
    /// What the endpoint says of it; `nil` where its method decides.
    private var idempotency: Bool?

    /// A request of these parts; nothing is checked until ``validate()``.
    public init(
        method: HTTPMethod = .get,
        url: URL,
        headers: HTTPHeaders = [:],
        body: RequestContent? = nil,
        timeouts: RequestTimeouts = RequestTimeouts(),
        progress: (any TransferProgressObserver)? = nil
    ) {
        self.method = method
        self.url = url
        origin = URLText.origin(of: url)
        self.headers = headers
        self.body = body
        self.timeouts = timeouts
        self.progress = progress
    }

    /// Whether sending it twice has the effect of sending it once (RFC 9110 §9.2.2): what was set here, else whether it carries an
    /// `Idempotency-Key`, else what its method says. Only such a request is repeated without being asked for.
    public var isIdempotent: Bool {
        get { idempotency ?? (method.isIdempotent || headers.contains("Idempotency-Key")) }
        set { idempotency = newValue }
    }

    /// Whether both ask for the same thing; ``progress``, ``context`` and ``isIdempotent`` are not compared.
    public static func == (left: NetworkRequest, right: NetworkRequest) -> Bool {
        left.method == right.method && left.url == right.url && left.headers == right.headers && left.body == right.body
            && left.timeouts == right.timeouts
    }

    /// All that `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(method)
        hasher.combine(url)
        hasher.combine(headers)
        hasher.combine(body)
        hasher.combine(timeouts)
    }
}

extension NetworkRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Method, origin and path, headers without secrets, and the size of the body.
    public var description: String {
        let body = body.map { ", \($0)" } ?? ""
        return "\(method) \(URLText(url).originAndPath) \(headers)\(body)"
    }

    /// The same as `description`.
    public var debugDescription: String { description }
    /// The description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension NetworkRequest {
    /// Checks what goes on the wire, so that no value can end a line or begin a second request.
    ///
    /// Method and header names are tokens (RFC 9110 §5.6.2); header values hold no CR, LF, NUL or other control character
    /// except a tab (§5.5); `Content-Length` and `Transfer-Encoding` belong to the engine, since a false one lets a peer see
    /// two requests where there was one (RFC 9112 §11.2). Names and values have 1 MiB at most, all together. Session managers call this
    /// themselves for every request.
    ///
    /// - Throws: ``RequestGenerationError`` with the field that is wrong.
    public func validate() throws(RequestGenerationError) {
        try URLText(url).requireHTTP(.url)
        try validateAllButURL()
    }

    /// The largest names and values of all header fields together, in bytes.
    private static var maximumHeaderBytes: Int { 1 << 20 }

    func validateAllButURL() throws(RequestGenerationError) {
        guard method.rawValue.isToken else {
            throw RequestGenerationError(.method, "\"\(method.rawValue.printable)\" is not a token (RFC 9110 §5.6.2)")
        }
        if HTTPHeaders.isSame(method.rawValue, "CONNECT") {
            throw RequestGenerationError(.method, "CONNECT opens a tunnel and cannot be sent as a request")
        }
        if let body, !body.isEmpty, !method.allowsBody {
            throw RequestGenerationError(.body, "a \(method) request has no body (RFC 9110 §9.3); use POST, PUT or PATCH")
        }
        try body?.validate()
        var headerBytes = 0
        for field in headers.fields {
            try field.validate()
            headerBytes += field.name.utf8.count + field.value.utf8.count
            guard headerBytes <= Self.maximumHeaderBytes else {
                throw RequestGenerationError(
                    .headerValue(field.name), "with it, the header fields are larger than \(Self.maximumHeaderBytes) bytes")
            }
        }
        if timeouts != RequestTimeouts() { try timeouts.validate() }
    }
}

extension HTTPHeaders.Field {
    func validate() throws(RequestGenerationError) {
        guard name.isToken else {
            throw RequestGenerationError(.headerName(name), "it is not a token (RFC 9110 §5.6.2)")
        }
        if HTTPHeaders.isSame(name, "Content-Length") || HTTPHeaders.isSame(name, "Transfer-Encoding") {
            throw RequestGenerationError(.headerName(name), "it is set by the engine from the body")
        }
        let flaw: (position: Int, byte: UInt8)? = value.withBytes { bytes in
            for index in 0..<bytes.count where (bytes[index] < 0x20 && bytes[index] != 0x09) || bytes[index] == 0x7F {
                return (position: index, byte: bytes[index])
            }
            return nil
        }
        if let flaw {
            let shown = "0x" + String(flaw.byte, radix: 16, uppercase: true)
            throw RequestGenerationError(
                .headerValue(name), "control character \(shown) at byte \(flaw.position) (RFC 9110 §5.5)")
        }
    }
}

extension String {
    /// RFC 9110 §5.6.2.
    package var isToken: Bool {
        !isEmpty && consists(of: .token)
    }
}
