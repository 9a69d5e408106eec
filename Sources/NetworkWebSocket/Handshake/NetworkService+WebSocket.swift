import Endpoints
import Foundation
import NetworkCore

extension NetworkService {
    /// Opens a WebSocket to an endpoint. Its method must be GET, and it has no body.
    ///
    /// ```swift
    /// let socket = try await service.webSocket(for: Endpoint<Void>(path: "live"))
    /// ```
    ///
    /// The request passes the interceptors like any other: credentials, retries, deadlines, observation. Redirects are followed; after one to
    /// another origin, no subprotocols are offered, as some contain credentials. Proxies, routes,
    /// trust policies and timeouts of the session manager apply. `https` URLs are used for `wss`, and `http` for `ws`.
    ///
    /// On Linux, the WebSocket is a stream of an HTTP/2 connection if there is one to the origin whose server permits that (RFC 8441), or if
    /// ``NetworkCore/SessionConfiguration/httpVersion`` requires HTTP/2; the status of the response is then 200. Otherwise, HTTP/1.1 is used. On Apple
    /// platforms, `URLSession` adds the header fields of the handshake, checks those of the response, and does not pass the body of a response with
    /// another status than 101.
    ///
    /// - Throws: ``WebSocketError``: ``WebSocketError/Code/requestFailed`` with a ``NetworkCore/NetworkError`` if the request fails, or the server
    ///   does not open the WebSocket.
    public func webSocket(
        for endpoint: any Requestable, options: WebSocketOptions = WebSocketOptions()
    ) async throws -> WebSocket {
        let handshake = try WebSocketHandshake(options)
        var description = endpoint.request
        guard description.method == .get, description.body == nil else {
            throw WebSocketError(.invalidConfiguration, "a WebSocket is opened with GET, without a body (RFC 6455 §4.1)")
        }
        for (name, value) in handshake.fields { description.headerParameters.set(value, for: name) }
        description.acceptedStatuses = WebSocketHandshake.statuses
        let response: NetworkResponse
        do throws(NetworkError) {
            response = try await stream(for: description)
        } catch {
            throw WebSocketError(error)
        }
        return try await handshake.socket(of: response)
    }
}

extension NetworkSessionManager {
    /// Opens a WebSocket to a URL, without interceptors and configuration.
    ///
    /// - Parameters:
    ///   - url: With the scheme `ws`, `wss`, `http` or `https`.
    ///   - headers: Further header fields. Those of the handshake are set by this method.
    ///   - options: Limits, times, subprotocols and compression. Default: the defaults.
    /// - Throws: ``WebSocketError``, as ``NetworkCore/NetworkService/webSocket(for:options:)`` does. The response of a server that does not open the
    ///   WebSocket has the first MiB of its body, or what arrives within 30 seconds.
    public func webSocket(
        for url: URL, headers: HeaderFields = [:], options: WebSocketOptions = WebSocketOptions()
    ) async throws -> WebSocket {
        let handshake = try WebSocketHandshake(options)
        var request = NetworkRequest(url: Self.httpURL(url), headers: headers)
        for (name, value) in handshake.fields { request.headers.set(value, for: name) }
        let response: NetworkResponse
        do throws(TransportError) {
            response = try await stream(for: request)
        } catch {
            throw WebSocketError(NetworkError(error))
        }
        return try await handshake.socket(of: response)
    }

    /// Returns the URL with `http` for `ws`, and `https` for `wss` (RFC 6455 §3).
    private static func httpURL(_ url: URL) -> URL {
        guard let scheme = url.scheme?.lowercased(), scheme == "ws" || scheme == "wss" else { return url }
        return URL(string: (scheme == "ws" ? "http" : "https") + url.absoluteString.dropFirst(scheme.count)) ?? url
    }
}

extension WebSocketError {
    /// The error of a request that failed.
    init(_ error: NetworkError) {
        let isCancelled = if case .cancelled = error { true } else { false }
        self.init(isCancelled ? .cancelled : .requestFailed, "the WebSocket could not be opened", underlying: error)
    }
}
