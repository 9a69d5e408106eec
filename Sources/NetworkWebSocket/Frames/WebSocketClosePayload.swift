import Foundation

/// The payload of a close frame (RFC 6455 §5.5.1).
package enum WebSocketClosePayload {
    /// Returns the code and the reason of a payload; ``WebSocketCloseCode/noStatus`` for an empty one.
    package static func parse(_ payload: [UInt8]) throws(WebSocketViolation) -> (WebSocketCloseCode, String) {
        if payload.isEmpty { return (.noStatus, "") }
        guard payload.count >= 2 else { throw .invalidCloseFrame }
        let code = WebSocketCloseCode(rawValue: UInt16(payload[0]) << 8 | UInt16(payload[1]))
        guard code.mayBeSent else { throw .invalidCloseCode(code.rawValue) }
        var validator = UTF8Validator()
        guard payload[2...].withUnsafeBytes({ validator.receive($0) }), validator.isComplete else { throw .invalidUTF8 }
        return (code, String(decoding: payload[2...], as: UTF8.self))
    }

    /// Returns the payload for a code and a reason, of which at most 123 bytes are sent, cut between characters.
    package static func make(_ code: WebSocketCloseCode, _ reason: String) -> [UInt8] {
        guard code != .noStatus else { return [] }
        var payload = [UInt8(code.rawValue >> 8), UInt8(code.rawValue & 0xFF)]
        for character in reason {
            let bytes = Array(String(character).utf8)
            guard payload.count + bytes.count <= 125 else { break }
            payload += bytes
        }
        return payload
    }
}
