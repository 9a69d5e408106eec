import Endpoints
import Foundation
import NetworkSupport
import NetworkTransport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension NetworkRequest {
    /// Creates a request from the method, URL, headers and body of a `URLRequest`.
    ///
    /// A `timeoutInterval` other than the default of 60 s becomes the idle timeout. `Content-Length` is left out, since the
    /// engine computes it. Cache policy, service type and cookie handling have no counterpart.
    ///
    /// - Throws: ``Endpoints/RequestGenerationError`` for a request that has no URL, has a body stream, or fails ``Endpoints/NetworkRequest/validate()``.
    public init(_ request: URLRequest) throws {
        guard let url = request.url else { throw RequestGenerationError(.url, "the URLRequest has no URL") }
        guard request.httpBodyStream == nil else {
            throw RequestGenerationError(.body, "a body stream is not supported; read it into httpBody")
        }
        var headers = HeaderFields(request.allHTTPHeaderFields ?? [:])
        headers.remove("Content-Length")
        self.init(
            method: RequestMethod(request.httpMethod ?? "GET"), url: url.absoluteURL, headers: headers,
            body: request.httpBody.map(NetworkBody.data))
        let interval = request.timeoutInterval
        if interval != 60, interval > 0, interval <= 1_000_000 { timeouts.idle = .milliseconds(Int64(max(1, interval * 1000))) }
        try validate()
    }

    /// The request as a `URLRequest`: method, URL, headers, a body in memory, and the idle timeout if one is set.
    ///
    /// A body from a file or a sequence is left out, and so are trailers. Fields of the same name are joined with a comma (RFC 9110 §5.3), since
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
    ///
    /// - Parameters:
    ///   - upload: The body, if the request has one.
    ///   - cookie: The stored cookies, which follow those that the request sets itself in one field (RFC 6265 §5.4).
    ///   - prefersHTTP3: Whether HTTP/3 is tried with a host that has not offered it, where `URLSession` speaks it.
    func task(
        in session: URLSession, upload: URLSessionUpload?, userAgent: String?, handlesCookies: Bool, cookie: String?,
        prefersHTTP3: Bool = false
    ) -> URLSessionTask {
        var request = urlRequest
        request.timeoutInterval = URLSessionConfiguration.backstop
        request.cachePolicy = .reloadIgnoringLocalCacheData
        request.httpShouldHandleCookies = handlesCookies
        if let cookie {
            let fields = headers.values(for: "Cookie").filter { !$0.isEmpty } + [cookie]
            request.setValue(fields.joined(separator: "; "), forHTTPHeaderField: "Cookie")
        }
        // It is meant for a proxy, and for no server (RFC 9110 §11.7.2). `URLSession` has the credentials of its proxies.
        request.setValue(nil, forHTTPHeaderField: "Proxy-Authorization")
        if let lowered = loweredScheme { request.url = lowered }
        if prefersHTTP3 { request.preferHTTP3() }
        if let userAgent, !headers.contains("User-Agent") { request.setValue(userAgent, forHTTPHeaderField: "User-Agent") }
        if requestsWebSocket, let task = session.openWebSocket(request.forWebSocketTask) { return task }
        request.httpBody = nil
        switch upload?.source {
        case .file(let url): return session.uploadTask(with: request, fromFile: url)
        case .produced:
            if let count = upload?.count { request.setValue(String(count), forHTTPHeaderField: "Content-Length") }
            return session.streamedUploadTask(request)
        case .data(let body) where !body.isEmpty:
            // A data task would label a body without a content type as a form; an upload task does not.
            if !headers.contains("Content-Type") { return session.uploadTask(with: request, from: body) }
            request.httpBody = body
            return session.dataTask(with: request)
        case .data, nil: return session.dataTask(with: request)
        }
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
    /// - Throws: ``Endpoints/RequestGenerationError`` with the invalid field. No I/O is performed.
    public func urlRequest(with configuration: any NetworkConfigurable) throws -> URLRequest {
        try networkRequest(with: configuration).urlRequest
    }
}

extension NetworkResponse {
    /// The head as an `HTTPURLResponse`, created at each call; `nil` if Foundation rejects it.
    ///
    /// Fields of the same name are joined with `", "`, as `URLSession` does, including `Set-Cookie`.
    public var httpURLResponse: HTTPURLResponse? {
        var fields: [String: String] = [:]
        var names: [String: String] = [:]
        for field in headers.fields {
            let name = names[field.name.lowercased(), default: field.name]
            names[field.name.lowercased()] = name
            fields[name] = fields[name].map { $0 + ", " + field.value } ?? field.value
        }
        let version = timings.protocolName == "h2" ? "HTTP/2" : "HTTP/1.1"
        return HTTPURLResponse(url: url, statusCode: statusCode, httpVersion: version, headerFields: fields)
    }
}

extension HeaderFields {
    /// Creates headers from the fields of a response. They are sorted by name, since Foundation does not keep their order. Joined
    /// `Set-Cookie` fields are separated.
    package init(of response: HTTPURLResponse) {
        var fields: [Field] = []
        for (key, value) in response.allHeaderFields {
            guard let name = key as? String, let value = value as? String else { continue }
            if Self.isSame(name, "Set-Cookie") {
                fields += Self.separateCookies(value).map { Field(name: name, value: $0) }
            } else {
                fields.append(Field(name: name, value: value))
            }
        }
        self.init(fields.sorted { $0.name == $1.name ? false : $0.name < $1.name })
    }

    /// Returns the approximate size of the response's field lines as sent, in bytes.
    static func size(of response: HTTPURLResponse) -> Int {
        response.allHeaderFields.reduce(0) { size, field in
            size + ((field.key as? String)?.utf8.count ?? 0) + ((field.value as? String)?.utf8.count ?? 0) + 4
        }
    }

    /// Separates joined cookies such as `a=1; Expires=Sat, 01 Jan 2028 00:00:00 GMT, b=2`.
    ///
    /// A comma ends a cookie if a name and `=` follow it (RFC 6265 §4.1.1), which is not the case in a date.
    static func separateCookies(_ joined: String) -> [String] {
        var cookies: [String] = []
        var current = ""
        for part in joined.parts(at: ",") {
            let start = Substring(part.utf8.drop { $0 == UInt8(ascii: " ") })
            if cookies.isEmpty && current.isEmpty {
                current = String(part)
            } else if let name = start.divided(at: "=")?.head, String(name).isToken {
                cookies.append(current)
                current = String(start)
            } else {
                current += "," + part
            }
        }
        return cookies + [current]
    }
}
