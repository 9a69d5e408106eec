import DataTransfer

/// Names of attributes, as OpenTelemetry's semantic conventions for HTTP define them.
enum Convention {
    static let method = "http.request.method"
    static let originalMethod = "http.request.method_original"
    static let status = "http.response.status_code"
    static let resendCount = "http.request.resend_count"
    static let errorType = "error.type"
    static let serverAddress = "server.address"
    static let serverPort = "server.port"
    static let url = "url.full"
    static let urlTemplate = "url.template"
    static let protocolVersion = "network.protocol.version"
    static let connectionState = "http.connection.state"
    /// The value of an attribute whose real value is one of too many.
    static let other = "_OTHER"

    /// The methods that are values of ``method``; any other is ``other``.
    private static let methods: Set<String> = [
        "GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH", "QUERY",
    ]

    static func known(method: String) -> String { methods.contains(method) ? method : other }

    /// Returns the version of a protocol as ALPN names it: `http/1.1` is `1.1`, `h2` is `2`.
    static func version(of name: String) -> String {
        name.hasPrefix("http/") ? String(name.dropFirst(5)) : name.hasPrefix("h") ? String(name.dropFirst()) : name
    }

    /// Returns the value of ``errorType`` for a response with an error status; `nil` if the status is not one.
    static func errorType(status: Int) -> String? { status >= 400 ? String(status) : nil }
}

/// What distinguishes the requests of one endpoint from those of others. It does not contain the path, which may vary without limit.
struct EndpointKey: Hashable, Sendable {
    var method: String
    /// The scheme, host and port, such as `https://api.example.com:443`.
    var origin: String
    /// The name of the endpoint or its path template; `nil` if it has neither.
    var name: String?

    init(method: String, origin: String, name: String?) {
        self.method = method
        self.origin = origin
        self.name = name
    }

    init(_ request: NetworkRequest) {
        self.init(method: request.method.rawValue, origin: request.origin, name: request.endpointName)
    }

    /// The key for all requests of endpoints that exceed a limit.
    static let other = EndpointKey(method: Convention.other, origin: Convention.other, name: Convention.other)
}

/// A host and a port.
struct ServerPlace: Hashable, Sendable {
    var address: String
    var port: Int?

    /// Finds the parts of an origin, such as `https://api.example.com:443`. Any other text becomes the address.
    init(origin: String) {
        var place = Substring(origin)
        if let slash = place.firstIndex(of: "/") { place = place[slash...].drop { $0 == "/" } }
        port = nil
        if let colon = place.lastIndex(of: ":"), let number = Int(place[place.index(after: colon)...]) {
            port = number
            place = place[..<colon]
        }
        if place.hasPrefix("["), place.hasSuffix("]") { place = place.dropFirst().dropLast() }
        address = String(place)
    }
}
