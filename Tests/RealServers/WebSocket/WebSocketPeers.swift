import DataTransfer
import Foundation
import NetworkWebSocket
import Testing

/// The WebSocket servers that `Scripts/with-servers` starts, as URLs with the scheme `ws` or `wss`.
enum SocketServers {
    /// The servers of `Scripts/websocket_server.py` from the package `websockets`: with compression, with compression that forgets in both
    /// directions, with windows of 512 bytes, over TLS, and over TLS with a required client certificate.
    static let websockets = url("WEBSOCKETS")
    static let forgetting = url("FORGETTING_SOCKETS")
    static let narrow = url("NARROW_SOCKETS")
    static let secure = url("SECURE_SOCKETS")
    static let mutual = url("MUTUAL_SOCKETS")
    /// The first of them at a Unix socket.
    static let unixSocketPath = ProcessInfo.processInfo.environment["DATA_TRANSFER_UNIX_SOCKETS_PATH"] ?? ""
    static let aiohttp = url("AIOHTTP")
    /// HAProxy in front of ``websockets``: without TLS, and with TLS and HTTP/2.
    static let haproxy = url("HAPROXY")
    static let haproxyTLS = url("HAPROXY_TLS")
    /// hypercorn, over TLS and HTTP/2, with `Scripts/asgi_server.py`.
    static let hypercorn = url("HYPERCORN")
    /// The test server of libwebsockets.
    static let libwebsockets = url("LIBWEBSOCKETS")

    /// Those that echo messages at `/echo`, also behind nginx, with and without TLS.
    static let echoing = [
        websockets, forgetting, narrow, secure, aiohttp, haproxy, haproxyTLS, Servers.nginx + "/websockets",
        Servers.nginx + "/aiohttp", Servers.tls + "/websockets", Servers.h2 + "/aiohttp",
    ]

    private static func url(_ name: String) -> String {
        ProcessInfo.processInfo.environment["DATA_TRANSFER_\(name)_URL"] ?? ""
    }
}

struct InvalidURL: Error {}

extension NetworkSessionManager {
    /// Opens a WebSocket to a server of the tests.
    func open(
        _ url: String, headers: HeaderFields = [:], _ change: (inout WebSocketOptions) -> Void = { _ in }
    ) async throws -> WebSocket {
        guard let url = URL(string: url) else { throw InvalidURL() }
        let options = WebSocketOptions {
            // On a busy machine, the server may respond to a close frame late.
            $0.closeTimeout = .seconds(60)
            change(&$0)
        }
        return try await webSocket(for: url, headers: headers, options: options)
    }

    /// Returns the error with which opening fails.
    func refusal(
        _ url: String, headers: HeaderFields = [:], _ change: (inout WebSocketOptions) -> Void = { _ in }
    ) async throws -> WebSocketError? {
        do {
            await (try open(url, headers: headers, change)).close()
            return nil
        } catch let error as WebSocketError {
            return error
        }
    }
}

extension WebSocketError {
    /// The failure of the request.
    var requestError: NetworkError? { underlying as? NetworkError }
}

extension WebSocket {
    /// Sends a message and expects it back.
    func echoes(_ message: WebSocketMessage) async throws -> Bool {
        try await send(message)
        return try await receive() == message
    }

    /// Receives until the end.
    func rest() async -> (messages: [WebSocketMessage], error: WebSocketError?) {
        var messages: [WebSocketMessage] = []
        do {
            while let message = try await receive() { messages.append(message) }
            return (messages, nil)
        } catch {
            return (messages, #expect(throws: WebSocketError.self) { throw error })
        }
    }
}
