import Endpoints
import Foundation
import NetworkCore
import NetworkSupport

/// The opening handshake of a client (RFC 6455 §4.1).
package struct WebSocketHandshake: Sendable {
    /// The value of `Sec-WebSocket-Key`: 16 random bytes.
    let key: String
    let options: WebSocketOptions

    init(_ options: WebSocketOptions, key: String? = nil) throws(WebSocketError) {
        try options.validate()
        self.options = options
        self.key = key ?? Self.randomKey()
    }

    private static func randomKey() -> String {
        var generator = SystemRandomNumberGenerator()
        let bytes = [generator.next() as UInt64, generator.next()]
        return bytes.withUnsafeBytes { Data($0).base64EncodedString() }
    }

    /// Returns the value of `Sec-WebSocket-Accept` for a key.
    package static func accept(_ key: String) -> String {
        var text = key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        var digest = SHA1()
        text.withUTF8 { digest.update(UnsafeRawBufferPointer($0)) }
        return Data(digest.finalized()).base64EncodedString()
    }

    /// The header fields that make a GET a request for a WebSocket.
    var fields: [(String, String)] {
        var fields = [
            ("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Key", key), ("Sec-WebSocket-Version", "13"),
        ]
        if !options.subprotocols.isEmpty {
            fields.append(("Sec-WebSocket-Protocol", options.subprotocols.joined(separator: ", ")))
        }
        if let compression = options.compression, Self.compresses {
            fields.append(("Sec-WebSocket-Extensions", compression.offer))
        }
        return fields
    }

    private static var compresses: Bool {
        #if os(Linux)
            RawInflater.isAvailable
        #else
            false
        #endif
    }

    /// The statuses with which a server opens a WebSocket: 101 over HTTP/1.1, and any successful one over HTTP/2 (RFC 8441 §5).
    static let statuses = AcceptedStatuses(101..<102, 200..<300)

    /// Checks the response, and returns the WebSocket.
    func socket(of response: NetworkResponse) async throws(WebSocketError) -> WebSocket {
        switch response.upgrade {
        case .bytes(let connection):
            let (subprotocol, compression) =
                response.statusCode == 101 ? try check(response.headers) : try checkChoices(response.headers)
            let channel = WebSocketConnection(
                .client, transport: connection.transport, handle: connection, options: options, compression: compression)
            channel.start()
            return WebSocket(channel: channel, subprotocol: subprotocol, response: response.head)
        case .messages(let messages):
            // Its engine has checked the response and agreed on compression itself.
            if let chosen = messages.subprotocol, !options.subprotocols.contains(chosen) { throw .foreignSubprotocol }
            let channel = WebSocketConnection(messages, options: options)
            channel.start()
            return WebSocket(channel: channel, subprotocol: messages.subprotocol, response: response.head)
        case nil:
            guard response.statusCode != 101 else {
                throw WebSocketError(
                    .unsupported,
                    "the session manager, or an interceptor, does not pass the connection of a response with status 101 on")
            }
            var refusal = response
            do throws(TransportError) {
                refusal.data = try await response.body.collectedErrorBody()
            } catch {
                throw WebSocketError(NetworkError(error))
            }
            throw WebSocketError(NetworkError.status(refusal))
        }
    }

    /// Checks the header fields of a response with status 101.
    func check(_ headers: HeaderFields) throws(WebSocketError) -> (subprotocol: String?, AgreedCompression?) {
        guard headers.values(for: "Upgrade").contains(where: { Self.lists($0, "websocket") }) else {
            throw WebSocketError(.invalidHandshake, "Upgrade: the server has switched to another protocol than websocket")
        }
        guard headers.values(for: "Connection").contains(where: { Self.lists($0, "upgrade") }) else {
            throw WebSocketError(.invalidHandshake, "Connection: the response does not list Upgrade")
        }
        let accepts = headers.values(for: "Sec-WebSocket-Accept")
        guard accepts.count == 1, accepts[0].trimmingCharacters(in: .whitespaces) == Self.accept(key) else {
            throw WebSocketError(
                .invalidHandshake, "Sec-WebSocket-Accept: the response does not belong to the key of the request")
        }
        return try checkChoices(headers)
    }

    /// Checks what the server has chosen of the subprotocols and extensions.
    private func checkChoices(_ headers: HeaderFields) throws(WebSocketError) -> (subprotocol: String?, AgreedCompression?) {
        let chosen = headers.values(for: "Sec-WebSocket-Protocol")
        if let chosen = chosen.first, !options.subprotocols.contains(chosen) { throw .foreignSubprotocol }
        guard chosen.count <= 1 else {
            throw WebSocketError(.invalidHandshake, "Sec-WebSocket-Protocol: the server has chosen several subprotocols")
        }
        let compression = try AgreedCompression(
            response: headers.values(for: "Sec-WebSocket-Extensions"), offered: options.compression)
        return (chosen.first, compression)
    }

    private static func lists(_ value: String, _ element: String) -> Bool {
        value.split(separator: ",").contains { $0.trimmingCharacters(in: .whitespaces).lowercased() == element }
    }
}

extension WebSocketError {
    fileprivate static var foreignSubprotocol: WebSocketError {
        WebSocketError(.invalidHandshake, "Sec-WebSocket-Protocol: the server has chosen a subprotocol that was not offered")
    }
}
