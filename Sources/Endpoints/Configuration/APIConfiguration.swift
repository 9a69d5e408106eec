import Foundation

/// A ``NetworkConfigurable`` that just holds its values.
public struct APIConfiguration: NetworkConfigurable {
    /// An absolute `http` or `https` URL, with or without a path and a query. Checked when a request is built.
    public var baseURL: URL
    /// An endpoint's header of the same name takes the place of one. Another origin sees only those that cannot hold a secret.
    public var headers: HTTPHeaders
    /// An endpoint's item of the same name takes the place of one. Another origin sees none.
    public var queryParameters: Parameters

    /// From its parts, unchecked: a base URL that cannot be used is an error when a request is built.
    public init(baseURL: URL, headers: HTTPHeaders = [:], queryParameters: Parameters = [:]) {
        self.baseURL = baseURL
        self.headers = headers
        self.queryParameters = queryParameters
    }

    /// From the text of a URL, checked at once.
    ///
    /// - Throws: ``RequestGenerationError`` for the field `baseURL` without an http(s) scheme or a host.
    public init(
        _ baseURL: String, headers: HTTPHeaders = [:], queryParameters: Parameters = [:]
    ) throws(RequestGenerationError) {
        try URLText(baseURL).requireHTTP(.baseURL)
        guard let url = URL(string: baseURL) else {
            throw RequestGenerationError(.baseURL, "\"\(URLText.shown(baseURL).printable)\" is not a URL (RFC 3986 §3)")
        }
        self.init(baseURL: url, headers: headers, queryParameters: queryParameters)
    }
}

extension APIConfiguration: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The base URL without user information and query, the headers without secrets, and the names of the parameters.
    public var description: String { "APIConfiguration(\(URLText(baseURL).originAndPath), \(headers), \(queryParameters))" }
    /// The same as `description`.
    public var debugDescription: String { description }
    /// The description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
