import Endpoints
import Foundation
import NetworkLogging

/// A message of a WebSocket.
public enum WebSocketMessage: Sendable, Hashable {
    /// A text. What is received is valid UTF-8.
    case text(String)
    /// Bytes.
    case binary(Data)

    /// The two types of messages (RFC 6455 §5.6).
    public enum Kind: Sendable, Hashable {
        /// UTF-8.
        case text
        /// Bytes of any kind.
        case binary
    }

    /// The type of the message.
    public var kind: Kind {
        switch self {
        case .text: .text
        case .binary: .binary
        }
    }

    /// The bytes of the message: those of a text in UTF-8.
    public var data: Data {
        switch self {
        case .text(let text): Data(text.utf8)
        case .binary(let data): data
        }
    }

    /// The number of bytes of ``data``.
    package var byteCount: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .binary(let data): data.count
        }
    }

    /// Calls a closure with the bytes.
    package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        switch self {
        case .text(var text): text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
        case .binary(let data): data.withUnsafeBytes { body($0) }
        }
    }
}

extension WebSocketMessage {
    /// A text of JSON.
    static func json(_ value: some Encodable, _ encoder: TransferJSONEncoder) throws(WebSocketError) -> WebSocketMessage {
        do {
            return .text(String(decoding: try encoder.encode(value), as: UTF8.self))
        } catch {
            throw WebSocketError(.coding, "\(type(of: value)) cannot be encoded", underlying: error)
        }
    }
}

extension WebSocketMessage: RedactedStringConvertible {
    /// The type and the number of bytes. The content is not shown, as it may be secret.
    public var description: String {
        switch self {
        case .text(let text): "text of \(text.utf8.count) bytes"
        case .binary(let data): "binary of \(data.count) bytes"
        }
    }
}

extension String {
    /// Creates a text from its UTF-8 code units in memory; `nil` if they are invalid.
    ///
    /// For short texts, it takes a fraction of the time of `String(validating:as:)`, which is not specialized for any type of sequence.
    package init?(validUTF8 bytes: UnsafeRawBufferPointer) {
        var text = String(decoding: bytes.assumingMemoryBound(to: UInt8.self), as: UTF8.self)
        // Invalid code units were replaced by U+FFFD, so that the bytes differ.
        let isSame = text.withUTF8 { utf8 in
            utf8.count == bytes.count && (bytes.isEmpty || memcmp(utf8.baseAddress!, bytes.baseAddress!, bytes.count) == 0)
        }
        guard isSame else { return nil }
        self = text
    }
}

extension WebSocketMessage.Kind {
    package var opcode: WebSocketOpcode { self == .text ? .text : .binary }

    package init(_ opcode: WebSocketOpcode) {
        self = opcode == .text ? .text : .binary
    }
}
