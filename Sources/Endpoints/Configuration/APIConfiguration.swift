import Foundation

/// A ``NetworkConfigurable`` that just holds its values.
public struct APIConfiguration: NetworkConfigurable {
    public var baseURL: URL
    public var headers: HTTPHeaders
    public var queryParameters: Parameters

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
    public var description: String { "APIConfiguration(\(URLText(baseURL).originAndPath), \(headers), \(queryParameters))" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
