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
