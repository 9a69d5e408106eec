import Endpoints
import Foundation

extension NetworkRequest {
    /// Creates a request from the method, URL, headers and body of a `URLRequest`.
    ///
    /// A `timeoutInterval` other than the default of 60 s becomes the idle timeout. `Content-Length` is left out, since the
    /// engine computes it. Cache policy, service type and cookie handling have no counterpart.
    ///
    /// - Throws: ``RequestGenerationError`` for a request that has no URL, has a body stream, or fails ``validate()``.
    public init(_ request: URLRequest) throws(RequestGenerationError) {
        guard let url = request.url else { throw RequestGenerationError(.url, "the URLRequest has no URL") }
        guard request.httpBodyStream == nil else {
            throw RequestGenerationError(.body, "a body stream is not supported; read it into httpBody")
        }
        var headers = HTTPHeaders(request.allHTTPHeaderFields ?? [:])
        headers.remove("Content-Length")
        self.init(
            method: HTTPMethod(request.httpMethod ?? "GET"), url: url.absoluteURL, headers: headers,
            body: request.httpBody.map(RequestContent.data))
        let interval = request.timeoutInterval
        if interval != 60, interval > 0, interval <= 1_000_000 { timeouts.idle = .milliseconds(Int64(max(1, interval * 1000))) }
        try validate()
    }

    /// The request as a `URLRequest`: method, URL, headers, a body in memory, and the idle timeout if one is set.
    ///
    /// A body from a file or a sequence is left out. Fields of the same name are joined with a comma (RFC 9110 §5.3), since
    /// `URLRequest` stores one value for each name.
    public var urlRequest: URLRequest {
        var request = URLRequest(url: url)
        request.httpMethod = method.rawValue
        for field in headers.fields { request.addValue(field.value, forHTTPHeaderField: field.name) }
        if let data = body?.data, !data.isEmpty { request.httpBody = data }
        if let idle = timeouts.idle { request.timeoutInterval = min(max(idle / .seconds(1), 0.001), 1_000_000) }
        return request
    }
}

extension NetworkRequest {
    /// Creates the task that sends this request.
    func task(in session: URLSession, userAgent: String?, handlesCookies: Bool) -> URLSessionTask {
        var request = urlRequest
        request.timeoutInterval = URLSessionConfiguration.backstop
        request.cachePolicy = .reloadIgnoringLocalCacheData
        request.httpShouldHandleCookies = handlesCookies
        if let lowered = loweredScheme { request.url = lowered }
        if let userAgent, !headers.contains("User-Agent") { request.setValue(userAgent, forHTTPHeaderField: "User-Agent") }
        // A data task would label a body without a content type as a form; an upload task does not.
        guard let body = request.httpBody, !headers.contains("Content-Type") else { return session.dataTask(with: request) }
        request.httpBody = nil
        return session.uploadTask(with: request, from: body)
    }

    /// The URL with its scheme in lower case; `nil` if it is already. On Linux, `HTTP:` is an unknown scheme.
    private var loweredScheme: URL? {
        let text = url.absoluteString
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")), text[..<colon] != text[..<colon].lowercased() else {
            return nil
        }
        return URL(string: text[..<colon].lowercased() + text[colon...])
    }
}

extension Requestable {
    /// Returns the `URLRequest` that this endpoint describes.
    ///
    /// - Parameter configuration: The base URL, and the headers and query that all requests share.
    /// - Throws: ``RequestGenerationError`` with the invalid field. No I/O is performed.
    public func urlRequest(with configuration: any NetworkConfigurable) throws(RequestGenerationError) -> URLRequest {
        try networkRequest(with: configuration).urlRequest
    }
}
