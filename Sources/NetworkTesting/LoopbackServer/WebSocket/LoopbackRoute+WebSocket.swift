import Endpoints
import NetworkWebSocket

extension LoopbackRoute {
    /// Creates a route that switches to WebSocket (RFC 6455).
    ///
    /// ```swift
    /// LoopbackRoute.webSocket("/live", subprotocols: ["chat"]) { socket, request in
    ///     for try await message in socket.messages { try await socket.send(message) }
    /// }
    /// ```
    ///
    /// A request that does not open a WebSocket gets a 400, 405 or 426 (RFC 6455 §4.2.2). The server's side is closed with the code 1000 when the
    /// handler returns, with 1001 if it throws a `WebSocketError` or is cancelled, and with 1011 if it throws another error.
    ///
    /// - Parameters:
    ///   - path: The path pattern, such as `/rooms/{id}`.
    ///   - subprotocols: The subprotocols of the server, in order of preference. The first that the client offers is chosen. Default: none.
    ///   - compression: Compression of messages, if the client offers it; `nil` for none. Default: none. Its `clientForgets` and
    ///     `serverForgets` apply even if the client has not offered them (RFC 7692 §7.1.1).
    ///   - options: Limits and times of the server's side. Its subprotocols and compression are not used. Default: the defaults, without pings.
    ///   - faults: What the server does wrong. Default: nothing.
    ///   - handler: Called once for each WebSocket, in a separate task, which is cancelled when the connection is closed or the server stops. It
    ///     needs a thread of Swift's cooperative pool.
    public static func webSocket(
        _ path: String, subprotocols: [String] = [], compression: WebSocketCompression? = nil,
        options: WebSocketOptions = WebSocketOptions { $0.pingInterval = nil }, faults: [LoopbackWebSocketFault] = [],
        handler: @escaping @Sendable (WebSocket, LoopbackRequest) async throws -> Void
    ) -> LoopbackRoute {
        let handshake = WebSocketServerHandshake(subprotocols: subprotocols, compression: compression)
        return LoopbackRoute(
            .get, path,
            .webSocket(LoopbackWebSocketHandler(handshake: handshake, options: options, faults: faults, run: handler)))
    }
}
