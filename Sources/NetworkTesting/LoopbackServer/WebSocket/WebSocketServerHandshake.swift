import Endpoints
import Foundation
import NetworkCore
import NetworkSupport
import NetworkWebSocket

/// The opening handshake of a server (RFC 6455 §4.2).
struct WebSocketServerHandshake: Sendable {
    /// Why a request does not open a WebSocket.
    struct Refusal: Error, Equatable {
        var status: Int
        var reason: String
    }

    /// The subprotocols of the server, in order of preference.
    var subprotocols: [String] = []
    var compression: WebSocketCompression?

    /// What was agreed on.
    struct Agreement: Sendable {
        /// The header fields of the response with status 101.
        var headers: HeaderFields
        var subprotocol: String?
        var compression: AgreedCompression?
    }

    /// Checks a request (RFC 6455 §4.2.1), and decides about the subprotocol and about compression.
    func accept(method: RequestMethod, headers: HeaderFields) throws(Refusal) -> Agreement {
        guard method == .get else { throw Refusal(status: 405, reason: "A WebSocket is opened with GET") }
        guard Self.lists(headers, "Upgrade", "websocket"), Self.lists(headers, "Connection", "upgrade") else {
            throw Refusal(status: 426, reason: "The request does not ask for an upgrade to websocket")
        }
        guard headers.values(for: "Sec-WebSocket-Version") == ["13"] else {
            throw Refusal(status: 426, reason: "Sec-WebSocket-Version must be 13")
        }
        let keys = headers.values(for: "Sec-WebSocket-Key")
        guard keys.count == 1, Data(base64Encoded: keys[0])?.count == 16 else {
            throw Refusal(status: 400, reason: "Sec-WebSocket-Key must be 16 bytes in base64")
        }
        var agreement = Agreement(headers: [
            "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Accept": WebSocketHandshake.accept(keys[0]),
        ])
        let offered = headers.values(for: "Sec-WebSocket-Protocol").flatMap(\.listElements).map { String($0) }
        if let chosen = subprotocols.first(where: offered.contains) {
            agreement.subprotocol = chosen
            agreement.headers.add(chosen, for: "Sec-WebSocket-Protocol")
        }
        let extensions = headers.values(for: "Sec-WebSocket-Extensions")
        if let compression, let (agreed, value) = AgreedCompression.choose(from: extensions, with: compression) {
            agreement.compression = agreed
            agreement.headers.add(value, for: "Sec-WebSocket-Extensions")
        }
        return agreement
    }

    private static func lists(_ headers: HeaderFields, _ name: String, _ element: String) -> Bool {
        headers.values(for: name).flatMap(\.listElements).contains { $0.asciiLowercased == element }
    }
}

extension WebSocketServerHandshake.Refusal {
    /// The response that explains the refusal (RFC 6455 §4.2.2, §4.4).
    var headers: HeaderFields {
        status == 426 ? ["Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13"] : [:]
    }
}
