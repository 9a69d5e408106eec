import Endpoints
import Foundation

/// Sends one request and hands back what came: the layer that moves bytes.
///
/// A test double implements one method; the async form follows from it.
public protocol NetworkSessionManager: Sendable {
    /// Sends a request.
    ///
    /// Any status is a success here, a 404 as well as a 200. Redirects have been followed.
    ///
    /// - Parameter completion: Runs exactly once, on ``BackgroundThreads/completions``, which no transfer depends on: it may block.
    /// - Returns: A handle that calls the transfer off; its completion then runs with ``TransportError/Code/cancelled``.
    @discardableResult
    func request(
        _ request: NetworkRequest,
        completion: @escaping @Sendable (Result<NetworkResponse, TransportError>) -> Void
    ) -> any NetworkCancellable

    /// Sends a request. Derived from ``request(_:completion:)`` unless a session manager has a shorter way.
    ///
    /// Returns as soon as the task is cancelled; the transfer is then torn down behind it.
    ///
    /// - Throws: ``TransportError``.
    func response(for request: NetworkRequest) async throws(TransportError) -> NetworkResponse

    /// Sends a request, and returns when the head of its response has come. Derived from ``response(for:)``, and so with the whole body
    /// in memory, unless a session manager can do better.
    ///
    /// - Throws: ``TransportError``; at once when the task is cancelled. What fails later is thrown by the body.
    func stream(for request: NetworkRequest) async throws(TransportError) -> StreamedResponse
}

extension NetworkSessionManager {
    /// Sends a request with ``request(_:completion:)``, and calls it off when the task is cancelled.
    ///
    /// - Throws: ``TransportError``; at once when the task is cancelled.
    public func response(for request: NetworkRequest) async throws(TransportError) -> NetworkResponse {
        let bridge = CancellationBridge<NetworkResponse, TransportError>(
            cancellation: TransportError(.cancelled, "the task was cancelled", request: request))
        let hasBegun = request.progress.map { _ in Locked(false) }
        do throws(TransportError) {
            return try await bridge.run { completion in
                hasBegun?.withLock { $0 = true }
                return self.request(request, completion: completion)
            }
        } catch {
            if hasBegun?.withLock({ $0 }) == false { request.reportEnd() }
            throw error
        }
    }

    /// Sends a request with ``response(for:)``: its body comes as one chunk, from memory.
    ///
    /// - Throws: ``TransportError``; at once when the task is cancelled.
    public func stream(for request: NetworkRequest) async throws(TransportError) -> StreamedResponse {
        StreamedResponse(try await response(for: request))
    }

    /// Sends a request, and hands its response over in parts.
    ///
    /// - Parameters:
    ///   - onChunk: Runs for each part of the body, with the head: status, headers and URL. Never twice at once, on threads that no
    ///     transfer depends on: the next part waits until it returns, and with it, past some 256 KiB, the server.
    ///   - completion: Runs exactly once, after the last `onChunk` has returned, with head, trailers and timings, and without a body.
    /// - Returns: A handle that calls the transfer off; the completion then runs with ``TransportError/Code/cancelled``.
    @discardableResult
    public func stream(
        _ request: NetworkRequest,
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

#if os(Linux)
    /// The session manager of services that are not given one: libcurl on Linux, `URLSession` elsewhere.
    public typealias DefaultSessionManager = CurlSessionManager
#else
    /// The session manager of services that are not given one: libcurl on Linux, `URLSession` elsewhere.
    public typealias DefaultSessionManager = URLSessionManager
#endif

extension NetworkRequest {
    /// The request as an engine sends it: checked, with user information of the URL moved into `Authorization`, so that it is
    /// dropped with it on another origin and appears in no log.
    func prepared() throws(TransportError) -> NetworkRequest {
        do throws(RequestGenerationError) {
            try validate()
        } catch {
            throw TransportError(.invalidRequest, error.description, request: self, underlying: error)
        }
        guard url.absoluteString.utf8.contains(UInt8(ascii: "@")) else { return self }
        return withoutUserInformation()
    }

    private func withoutUserInformation() -> NetworkRequest {
        let text = URLText(url)
        guard let at = text.authority.utf8.lastIndex(of: UInt8(ascii: "@")) else { return self }
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
