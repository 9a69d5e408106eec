import Endpoints
import Foundation
import NetworkLogging

/// Sends single requests and returns their responses: the transport layer.
///
/// A session manager implements one method; the completion form and the streamed forms use it. It also states its ``identity``, if responses
/// are to be shared with other services.
public protocol NetworkSessionManager: Sendable {
    /// Sends a request and returns its response.
    ///
    /// Responses of any status are successes here, a 404 as well as a 200. Redirects have been followed. If the request
    /// ``Endpoints/NetworkRequest/isStreamed``, it may return when the head of the response was received, with a body that is still
    /// arriving.
    ///
    /// - Throws: ``TransportError``; at once when the task is cancelled, while the transfer is closed afterwards. Later failures are
    ///   thrown by the body.
    func response(for request: NetworkRequest) async throws(TransportError) -> NetworkResponse

    /// Sends a request and calls a completion with its response. The default implementation uses ``response(for:)`` in a task.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - completion: Called exactly once. By default on ``BackgroundThreads/completions``, which no transfer depends on: it may
    ///     block. `SocketSessionManager` calls it where ``SessionConfiguration/completions`` says.
    /// - Returns: A handle that cancels the transfer; the completion is then called with ``TransportError/Code/cancelled``.
    @discardableResult
    func response(
        for request: NetworkRequest,
        completion: @escaping @Sendable (Result<NetworkResponse, TransportError>) -> Void
    ) -> any NetworkCancellable

    /// What selects a user or a peer without being part of a request. Caches and coalescing keep the responses of different identities apart.
    ///
    /// Read once for each service. A session manager that passes requests on to another one returns the identity of that one. Default:
    /// ``SessionIdentity/unstated``, with which each service has a separate one.
    var identity: SessionIdentity { get }

    /// The store whose cookies are added to requests; `nil` if the session manager adds none.
    ///
    /// Read once for each service. Interceptors need to know the credentials that are added after them: a cache, for one, keeps the responses to
    /// different cookies apart. A session manager that passes requests on to another one returns the store of that one. Default: `nil`.
    var cookieStore: CookieStore? { get }
}

extension NetworkSessionManager {
    /// An identity that is unique for each service.
    public var identity: SessionIdentity { .unstated }

    /// No store of cookies.
    public var cookieStore: CookieStore? { nil }

    /// Sends a request with ``response(for:)`` in a separate task, and calls a completion with its response.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - completion: Called exactly once, on ``BackgroundThreads/completions``, where it may do work that blocks.
    /// - Returns: A handle that cancels the task.
    @discardableResult
    public func response(
        for request: NetworkRequest,
        completion: @escaping @Sendable (Result<NetworkResponse, TransportError>) -> Void
    ) -> any NetworkCancellable {
        TaskCancellable { () async throws(TransportError) in
            if Task.isCancelled {
                request.reportEnd()
                throw .taskCancelled(request)
            }
            return try await self.response(for: request)
        } completion: {
            completion($0)
        }
    }

    /// Sends a request, and returns when the head of the response was received. Releasing the body before its end cancels the
    /// transfer.
    ///
    /// - Throws: ``TransportError``; at once when the task is cancelled. Later failures are thrown by the body.
    public func stream(for request: NetworkRequest) async throws(TransportError) -> NetworkResponse {
        var request = request
        request.isStreamed = true
        return try await response(for: request)
    }

    /// Sends a request and passes its response to a closure in parts.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - onChunk: Called for each part of the body, with the head: status, headers and URL. Runs on threads that no transfer
    ///     depends on, one call at a time: the next part waits until it returns, and beyond about 256 KiB the server waits too.
    ///   - completion: Called exactly once, after the last `onChunk` has returned, with the head, trailers and timings, and
    ///     without a body.
    /// - Returns: A handle that cancels the transfer; the completion is then called with ``TransportError/Code/cancelled``.
    @discardableResult
    public func stream(
        for request: NetworkRequest,
        onChunk: @escaping @Sendable (_ head: NetworkResponse, _ chunk: Data) -> Void,
        completion: @escaping @Sendable (Result<NetworkResponse, TransportError>) -> Void
    ) -> any NetworkCancellable {
        TaskCancellable { () async throws(TransportError) in
            try await self.stream(for: request).delivered(to: onChunk)
        } completion: {
            completion($0)
        }
    }
}

extension NetworkRequest {
    /// Returns the request as an engine sends it: validated, and with the URL's user information moved into `Authorization`.
    ///
    /// As a header field, the user information is dropped for cross-origin redirects and does not appear in logs.
    package func prepared() throws(TransportError) -> NetworkRequest {
        do throws(RequestGenerationError) {
            try validate()
        } catch {
            throw TransportError(.invalidRequest, error.description, request: self, underlying: error)
        }
        // All requests pass this place, also those that were not made from an endpoint.
        headers.rememberSecrets()
        return parsedURL.isPlain ? self : withoutUserInformation()
    }

    private func withoutUserInformation() -> NetworkRequest {
        let text = URLText(url)
        guard let at = text.authority.utf8.lastIndex(of: UInt8(ascii: "@")) else { return self }
        SecretValues.insert(userInformation: String(text.authority[..<at]))
        let query = text.query.map { "?" + $0 } ?? ""
        guard let bare = URL(string: "\(text.scheme)://\(text.hostAndPort)\(text.path)\(query)") else { return self }
        var request = self
        request.url = bare
        if !headers.contains("Authorization") {
            let parts = text.authority[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let decoded = parts.map { PercentEncoding.decoded($0) ?? String($0) }
            let credentials = decoded[0] + ":" + (decoded.count > 1 ? decoded[1] : "")
            request.headers.set("Basic " + Data(credentials.utf8).base64EncodedString(), for: "Authorization")
        }
        return request
    }
}
