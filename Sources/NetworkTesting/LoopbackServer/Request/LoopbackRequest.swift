import Endpoints
import Foundation

/// A complete request as a ``LoopbackServer`` received it.
public struct LoopbackRequest: Sendable {
    /// The method, as sent.
    public var method: HTTPMethod

    /// The request target as sent: usually path and query, an absolute URL when the client takes the server for a proxy
    /// (RFC 9112 §3.2).
    public var target: String

    /// `HTTP/1.1` or `HTTP/1.0`.
    public var version: String

    /// The header fields, in order and with the case they were sent.
    public var headers: HTTPHeaders

    /// The trailer fields of a chunked body; empty otherwise.
    public var trailers: HTTPHeaders

    /// The body, without chunked framing; content encodings are kept.
    public var body: Data

    /// Which connection it came on: 1 for the first the server accepted, and so on.
    public var connectionID: Int

    /// What the braces of the ``Route`` matched, percent-decoded.
    public var pathParameters: [String: String]

    /// - Parameters: see the properties of the same names.
    public init(
        method: HTTPMethod = .get,
        target: String = "/",
        version: String = "HTTP/1.1",
        headers: HTTPHeaders = HTTPHeaders(),
        trailers: HTTPHeaders = HTTPHeaders(),
        body: Data = Data(),
        connectionID: Int = 0,
        pathParameters: [String: String] = [:]
    ) {
        self.method = method
        self.target = target
        self.version = version
        self.headers = headers
        self.trailers = trailers
        self.body = body
        self.connectionID = connectionID
        self.pathParameters = pathParameters
    }

    /// The path of the target, percent-encoded as it was sent, without the query.
    public var path: String { String(pathAndQuery.path) }

    /// What follows the target's first question mark, as it was sent; `nil` without one.
    public var query: String? { pathAndQuery.query.map(String.init) }

    /// The items of the query in order, names and values percent-decoded. A plus sign stays a plus sign; the value of an item
    /// without `=` is `nil`.
    public var queryItems: [URLQueryItem] {
        guard let query = pathAndQuery.query, !query.isEmpty else { return [] }
        return query.split(separator: "&").map { item in
            guard let separator = item.firstIndex(of: "=") else {
                return URLQueryItem(name: PercentDecoding.decode(item), value: nil)
            }
            return URLQueryItem(
                name: PercentDecoding.decode(item[..<separator]),
                value: PercentDecoding.decode(item[item.index(after: separator)...])
            )
        }
    }

    /// The body read as UTF-8; bytes that are not become U+FFFD.
    public var text: String { String(decoding: body, as: UTF8.self) }

    private var pathAndQuery: (path: Substring, query: Substring?) {
        var rest = target[...]
        if !rest.hasPrefix("/"), let scheme = rest.range(of: "://") {
            let afterScheme = rest[scheme.upperBound...]
            rest = afterScheme.firstIndex { $0 == "/" || $0 == "?" }.map { afterScheme[$0...] } ?? "/"
        }
        guard let mark = rest.firstIndex(of: "?") else { return (rest, nil) }
        let path = rest[..<mark]
        return (path.isEmpty ? "/" : path, rest[rest.index(after: mark)...])
    }

    /// Whether the client asked for the connection to end with this exchange (RFC 9112 §9.3).
    var closesConnection: Bool {
        isHTTP10 || headers.hasConnectionOption("close")
    }

    var isHTTP10: Bool { version == "HTTP/1.0" }
}

extension LoopbackRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Method, path and body size. Query, body and header values may hold secrets and are left out.
    public var description: String { "\(method) \(path) (\(body.count) bytes, connection \(connectionID))" }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// Holds only ``description``.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension HTTPHeaders {
    /// Whether `Connection` lists an option, compared without case (RFC 9110 §7.6.1).
    func hasConnectionOption(_ option: String) -> Bool {
        guard let value = self["Connection"] else { return false }
        return value.split(separator: ",").contains { $0.trimmingCharacters(in: .whitespaces).lowercased() == option }
    }
}
