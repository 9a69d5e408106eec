import Endpoints
import Foundation
import HTTPTypes

extension NetworkRequest {
    /// Creates a request with the method, the URL and the header fields of this one.
    ///
    /// - Parameters:
    ///   - request: The request. If there is no base URL, it must have a scheme, an authority and a path.
    ///   - body: The body. Default: none.
    ///   - baseURL: The URL below which `path` is, as for an OpenAPI transport: `https://api.example.com/v1` and `/movies?page=1` are
    ///     `https://api.example.com/v1/movies?page=1`. The request then has neither a scheme nor an authority, or the same ones. Default: none.
    /// - Throws: ``HTTPTypesError`` for a part that no URL can express: a CONNECT, the path `*`, a fragment, user information, or a character that
    ///   must be percent-encoded. Header fields are checked when the request is sent.
    public init(_ request: HTTPRequest, body: NetworkBody? = nil, baseURL: URL? = nil) throws(HTTPTypesError) {
        let target = try RequestURL(request, baseURL: baseURL)
        self.init(
            method: RequestMethod(rawValue: request.method.rawValue), url: target.url,
            headers: HeaderFields(request.headerFields),
            body: body)
    }
}

extension HTTPRequest {
    /// Creates a request with the method, the URL and the header fields of this one. The body and other properties, such as time limits, have no
    /// counterpart; a fragment of the URL is never sent, and is left out.
    ///
    /// - Throws: ``HTTPTypesError`` for a method that is not a token, a URL that is not absolute or has user information, or a header field that
    ///   `HTTPField` would change or refuse.
    public init(_ request: NetworkRequest) throws(HTTPTypesError) {
        guard let method = HTTPRequest.Method(request.method.rawValue) else {
            throw HTTPTypesError(.method, "it is not a token (RFC 9110 §5.6.2)")
        }
        let url = try RequestURL(request.url)
        self.init(
            method: method, scheme: url.scheme, authority: url.authority, path: url.path,
            headerFields: try HTTPFields(request.headers))
    }
}

/// The parts of a URL that a request has (RFC 9113 §8.3.1), as they are written.
struct RequestURL {
    let url: URL
    let scheme: String
    let authority: String
    /// The path and the query; begins with a slash.
    let path: String

    /// Divides an absolute URL.
    init(_ url: URL) throws(HTTPTypesError) {
        let text = url.absoluteString
        guard let colon = text.range(of: "://") else { throw HTTPTypesError(.url, "it is not absolute") }
        let rest = text[colon.upperBound...].prefix { $0 != "#" }
        let authority = rest.prefix { !"/?".contains($0) }
        guard !authority.isEmpty else { throw HTTPTypesError(.url, "it has no host") }
        guard !authority.contains("@") else {
            throw HTTPTypesError(.url, "it has user information; use the field Authorization (RFC 9110 §4.2.4)")
        }
        let path = rest[authority.endIndex...]
        self.url = url
        scheme = String(text[..<colon.lowerBound])
        self.authority = String(authority)
        self.path = path.first == "/" ? String(path) : "/" + path
    }

    /// Composes the URL of a request.
    init(_ request: HTTPRequest, baseURL: URL?) throws(HTTPTypesError) {
        guard request.method != .connect else { throw HTTPTypesError(.method, "CONNECT opens a tunnel and has no URL") }
        guard request.extendedConnectProtocol == nil else {
            throw HTTPTypesError(.extendedConnectProtocol, "it belongs to CONNECT (RFC 8441 §4)")
        }
        guard let path = request.path else { throw HTTPTypesError(.path, "there is none") }
        guard path.first == "/" || baseURL != nil && (path.isEmpty || path.first == "?") else {
            throw HTTPTypesError(.path, "it does not begin with a slash")
        }
        guard !path.contains("#") else { throw HTTPTypesError(.path, "it contains a fragment") }
        let prefix: String
        if let baseURL {
            let base = try RequestURL(baseURL)
            guard request.scheme.map({ $0 == base.scheme }) ?? true else {
                throw HTTPTypesError(.scheme, "it is another one than that of the base URL")
            }
            guard request.authority.map({ $0 == base.authority }) ?? true else {
                throw HTTPTypesError(.authority, "it is another one than that of the base URL")
            }
            guard !baseURL.absoluteString.contains(where: { $0 == "?" || $0 == "#" }) else {
                throw HTTPTypesError(.url, "the base URL has a query or a fragment")
            }
            let basePath = base.path.last == "/" ? String(base.path.dropLast()) : base.path
            prefix = "\(base.scheme)://\(base.authority)\(basePath)"
        } else {
            guard let scheme = request.scheme else { throw HTTPTypesError(.scheme, "there is none, and no base URL") }
            guard let authority = request.authority, !authority.isEmpty else {
                throw HTTPTypesError(.authority, "there is none, and no base URL")
            }
            guard !authority.contains(where: { "@/?#".contains($0) }) else {
                throw HTTPTypesError(.authority, "it is not a host with an optional port (RFC 9113 §8.3.1)")
            }
            prefix = "\(scheme)://\(authority)"
        }
        // A URL that Foundation had to encode first would be another one.
        let text = prefix + path
        guard let url = URL(string: text), url.absoluteString == text else {
            throw HTTPTypesError(.path, "it is not part of a URL: a character must be percent-encoded (RFC 3986 §2.1)")
        }
        try self.init(url)
    }
}
