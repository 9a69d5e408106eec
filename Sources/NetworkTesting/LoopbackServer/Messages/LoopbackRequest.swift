import Endpoints
import Foundation
import NetworkLogging
import NetworkSupport

/// A complete request as a ``LoopbackServer`` received it.
public struct LoopbackRequest: Sendable {
    /// The method as it was sent.
    public var method: RequestMethod

    /// The request target as it was sent: usually path and query, or an absolute URL if the client uses the server as a proxy
    /// (RFC 9112 §3.2).
    public var target: String

    /// The HTTP version, `HTTP/1.1` or `HTTP/1.0`.
    public var version: String

    /// The header fields, in the order and with the case in which they were sent.
    public var headers: HeaderFields

    /// The trailer fields of a chunked body; empty otherwise.
    public var trailers: HeaderFields

    /// The body without chunked framing; content encodings are not decoded.
    public var body: Data

    /// The number of the connection that the request came on, from 1 in the order in which the server accepted them.
    public var connectionID: Int

    /// The percent-decoded segments that matched the parameters of the ``LoopbackRoute``, by name.
    public var pathParameters: [String: String]

    /// Creates a request. The parameters correspond to the properties of the same names.
    package init(
        method: RequestMethod = .get,
        target: String = "/",
        version: String = "HTTP/1.1",
        headers: HeaderFields = HeaderFields(),
        trailers: HeaderFields = HeaderFields(),
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

    /// The part of the target after its first question mark, as it was sent; `nil` if there is none.
    public var query: String? { pathAndQuery.query.map(String.init) }

    /// The items of the query in order, with percent-decoded names and values. A plus sign is not decoded as a space, and the
    /// value of an item without `=` is `nil`.
    public var queryItems: [URLQueryItem] {
        guard let query = pathAndQuery.query, !query.isEmpty else { return [] }
        return query.split(separator: "&").map { item in
            guard let separator = item.firstIndex(of: "=") else {
                return URLQueryItem(name: item.percentDecoded, value: nil)
            }
            return URLQueryItem(
                name: item[..<separator].percentDecoded,
                value: item[item.index(after: separator)...].percentDecoded
            )
        }
    }

    /// The body decoded as UTF-8; invalid bytes become U+FFFD.
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

    /// Whether the connection is to be closed after this exchange (RFC 9112 §9.3).
    var closesConnection: Bool {
        isHTTP10 || headers.hasConnectionOption("close")
    }

    var isHTTP10: Bool { version == "HTTP/1.0" }
}

extension LoopbackRequest: RedactedStringConvertible {
    /// Method, path and body size. Query, body and header values are left out, since they may contain secrets.
    public var description: String { "\(method) \(path.printable) (\(body.count) bytes, connection \(connectionID))" }
}

extension HeaderFields {
    /// Returns whether `Connection` lists an option, compared case-insensitively (RFC 9110 §7.6.1).
    func hasConnectionOption(_ option: String) -> Bool {
        self["Connection"]?.listElements.contains { $0.asciiLowercased == option } ?? false
    }
}

extension Substring {
    /// The text percent-decoded (RFC 3986 §2.1), with invalid sequences unchanged.
    var percentDecoded: String { String(decoding: Array(utf8).percentDecodedOnce(), as: UTF8.self) }
}
