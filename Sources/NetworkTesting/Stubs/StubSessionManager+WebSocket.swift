import Endpoints
import Foundation
import NetworkCore
import NetworkWebSocket

extension StubSessionManager {
    /// Adds a WebSocket that is opened once, by the next matching request, without a socket of the system.
    ///
    /// ```swift
    /// let session = StubSessionManager()
    /// session.enqueueWebSocket(for: "/live") { socket in
    ///     for try await message in socket.messages { try await socket.send(message) }
    /// }
    /// let socket = try await session.webSocket(for: URL(string: "ws://test/live")!)
    /// ```
    ///
    /// The request passes the interceptors of the service as usual, and gets the response with status 101 of a server (RFC 6455 §4.2.2). One that
    /// does not open a WebSocket gets a 400, 405 or 426, and one whose response is not streamed a 426.
    ///
    /// - Parameters:
    ///   - path: The percent-decoded path of the URL, including the path of the base URL. `nil` matches any path.
    ///   - subprotocols: The subprotocols of the server, in order of preference. Default: none.
    ///   - compression: Compression of messages, if the client offers it; `nil` for none. Default: none.
    ///   - options: Limits and times of the server's side. Its subprotocols and compression are not used. Default: the defaults, without pings.
    ///   - handler: Receives the server's side, in a separate task, which is cancelled when the client has closed the connection. The WebSocket is
    ///     closed with the code 1000 when it returns, with 1001 if it throws a `WebSocketError` or is cancelled, and with 1011 if it throws another error.
    public func enqueueWebSocket(
        for path: String? = nil, subprotocols: [String] = [], compression: WebSocketCompression? = nil,
        options: WebSocketOptions = WebSocketOptions { $0.pingInterval = nil },
        handler: @escaping @Sendable (WebSocket) async throws -> Void
    ) {
        let stub = StubWebSocket(
            handshake: WebSocketServerHandshake(subprotocols: subprotocols, compression: compression), options: options,
            run: handler)
        enqueue(StubResponse(outcome: .webSocket(stub)), for: path)
    }
}

/// A WebSocket that a stub opens.
struct StubWebSocket: Sendable {
    var handshake: WebSocketServerHandshake
    var options: WebSocketOptions
    var run: @Sendable (WebSocket) async throws -> Void

    /// Returns the response to a request, and starts the handler if it opens a WebSocket.
    func response(to request: NetworkRequest) -> NetworkResponse {
        let agreement: WebSocketServerHandshake.Agreement
        do throws(WebSocketServerHandshake.Refusal) {
            guard request.requestsUpgrade else {
                throw WebSocketServerHandshake.Refusal(
                    status: 426, reason: "The request does not ask for an upgrade to websocket")
            }
            agreement = try handshake.accept(method: request.method, headers: request.headers)
        } catch {
            return NetworkResponse(
                statusCode: error.status, headers: error.headers, body: .data(Data(error.reason.utf8)), url: request.url)
        }
        let (client, server) = MemoryTransport.pair()
        let channel = WebSocketConnection(
            .server, transport: server, options: options, compression: agreement.compression)
        channel.start()
        let socket = WebSocket(
            channel: channel, subprotocol: agreement.subprotocol,
            response: NetworkResponse(statusCode: 101, headers: agreement.headers, url: request.url))
        let run = run
        let task = Task { await LoopbackWebSocketHandler.serve(socket) { try await run(socket) } }
        server.whenOtherEnds { task.cancel() }
        var response = NetworkResponse(statusCode: 101, headers: agreement.headers, url: request.url)
        response.upgrade = .bytes(UpgradedConnection(client))
        return response
    }
}
