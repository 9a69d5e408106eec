import Endpoints
import Foundation

extension NetworkRequest {
    /// Takes over what a `URLRequest` says of method, URL, headers and body.
    ///
    /// A `timeoutInterval` other than the default of 60 s becomes the idle timeout. A `Content-Length` is left out, since the engine
    /// computes it. Cache policy, service type and cookie handling have no counterpart.
    ///
    /// - Throws: ``RequestGenerationError`` for a request without a URL, with a body stream, or that fails ``validate()``.
    public init(_ request: URLRequest) throws(RequestGenerationError) {
        guard let url = request.url else { throw RequestGenerationError(.url, "the URLRequest has none") }
        guard request.httpBodyStream == nil else {
            throw RequestGenerationError(.body, "a stream is not taken over; read it into httpBody")
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

    /// The same request for code that speaks Foundation: method, URL, headers, a body in memory, and the idle timeout if it has one.
    /// A body from a file or a sequence is left out.
    ///
    /// Lines of the same name are joined with a comma (RFC 9110 §5.3), since `URLRequest` keeps one value for each name.
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
    /// The task that sends this request.
    func task(in session: URLSession, userAgent: String?, handlesCookies: Bool) -> URLSessionTask {
        var request = urlRequest
        request.timeoutInterval = URLSessionConfiguration.backstop
        request.cachePolicy = .reloadIgnoringLocalCacheData
        request.httpShouldHandleCookies = handlesCookies
        if let lowered = loweredScheme { request.url = lowered }
        if let userAgent, !headers.contains("User-Agent") { request.setValue(userAgent, forHTTPHeaderField: "User-Agent") }
        // A data task would call a body without a type a form; an upload task leaves it alone.
        guard let body = request.httpBody, !headers.contains("Content-Type") else { return session.dataTask(with: request) }
        request.httpBody = nil
        return session.uploadTask(with: request, from: body)
    }

    /// `nil` when it is lower-case already. On Linux, `HTTP:` is an unknown scheme.
    private var loweredScheme: URL? {
        let text = url.absoluteString
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")), text[..<colon] != text[..<colon].lowercased() else {
            return nil
        }
        return URL(string: text[..<colon].lowercased() + text[colon...])
    }
}

extension Requestable {
    /// Builds the `URLRequest` this endpoint describes, for code that speaks Foundation.
    ///
    /// - Parameter configuration: Base URL, and the headers and query every request shares.
    /// - Throws: ``RequestGenerationError`` with the field that is wrong. No I/O is performed.
    public func urlRequest(with configuration: any NetworkConfigurable) throws(RequestGenerationError) -> URLRequest {
        try networkRequest(with: configuration).urlRequest
    }
}
