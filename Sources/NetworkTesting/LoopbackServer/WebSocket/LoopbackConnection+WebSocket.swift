import Endpoints
import Foundation
import NetworkCore
import NetworkWebSocket

/// What a WebSocket route does with a request.
struct LoopbackWebSocketHandler: Sendable {
    var handshake: WebSocketServerHandshake
    var options: WebSocketOptions
    var faults: [LoopbackWebSocketFault]
    var run: @Sendable (WebSocket, LoopbackRequest) async throws -> Void

    /// Returns the response with status 101, with the faults of the route.
    func response(_ agreement: WebSocketServerHandshake.Agreement) -> LoopbackResponse {
        var headers = agreement.headers
        for case .header(let name, let value) in faults.map(\.kind) {
            headers.remove(name)
            if let value { headers.add(value, for: name) }
        }
        return .status(101, headers: headers)
    }

    /// Runs the handler, and closes the WebSocket at its end.
    static func serve(_ socket: WebSocket, _ run: () async throws -> Void) async {
        do {
            try await run()
            await socket.close()
        } catch is WebSocketError {
            // The connection has ended, or its user is notified by the close frame.
            await socket.close(.goingAway)
        } catch is CancellationError {
            await socket.close(.goingAway)
        } catch {
            await socket.close(.internalError, reason: "the handler threw: \(ErrorText(error, limit: 90))")
        }
    }
}

extension LoopbackConnection {
    /// Switches to WebSocket, or responds with the reason why not.
    func upgrade(_ request: LoopbackRequest, with handler: LoopbackWebSocketHandler) {
        let agreement: WebSocketServerHandshake.Agreement
        do throws(WebSocketServerHandshake.Refusal) {
            agreement = try handler.handshake.accept(method: request.method, headers: request.headers)
        } catch {
            var response = LoopbackResponse.text(error.reason + "\n", status: error.status)
            for field in error.headers { response.headers.add(field.value, for: field.name) }
            return send(LoopbackWirePlan(response, to: request))
        }
        let response = handler.response(agreement)
        let head = LoopbackWireMessage.head(status: 101, reason: nil, headers: response.headers)
        let transport = LoopbackUpgrade(
            self, queue: shared.queue, head: head, unread: takeUnread(), faults: handler.faults)
        phase = .upgraded
        setReading(false)
        upgrade = transport
        let channel = WebSocketConnection(
            .server, transport: transport, options: handler.options, compression: agreement.compression)
        channel.start()
        let url = URL(string: "http://127.0.0.1" + request.target) ?? URL(fileURLWithPath: "/")
        let socket = WebSocket(
            channel: channel, subprotocol: agreement.subprotocol,
            response: NetworkResponse(statusCode: 101, headers: response.headers, url: url))
        handlerTask = Task {
            await LoopbackWebSocketHandler.serve(socket) { try await handler.run(socket, request) }
        }
    }

    // MARK: For the transport

    func write(_ bytes: UnsafeRawBufferPointer) -> LoopbackSocket.Transfer { LoopbackSocket.write(descriptor, bytes) }

    func finishSending() { LoopbackSocket.finishSending(descriptor) }

    var hasUnconfirmedBytes: Bool { LoopbackSocket.unconfirmedBytes(descriptor) > 0 }

    func resetAndClose() {
        LoopbackSocket.resetOnClose(descriptor)
        close()
    }
}
