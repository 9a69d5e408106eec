/// What a peer has sent against the protocol, or beyond a limit.
package enum WebSocketViolation: Error, Sendable, Equatable {
    case reservedBits
    case unknownOpcode(UInt8)
    case maskedFrame
    case unmaskedFrame
    case fragmentedControlFrame
    case oversizedControlFrame
    case unexpectedContinuation
    case interruptedMessage
    case invalidLength
    case invalidUTF8
    case invalidCloseFrame
    case invalidCloseCode(UInt16)
    case messageTooLarge(Int)
    case damagedCompression(String)

    /// The error as the user receives it.
    package var error: WebSocketError {
        let (code, closeCode, message): (WebSocketError.Code, WebSocketCloseCode, String) =
            switch self {
            case .reservedBits:
                (.reservedBits, .protocolError, "a reserved bit is set that no extension has defined (RFC 6455 §5.2)")
            case .unknownOpcode(let opcode): (.unknownOpcode, .protocolError, "a frame has the opcode \(opcode) (RFC 6455 §5.2)")
            case .maskedFrame: (.maskedFrame, .protocolError, "the server has sent a masked frame (RFC 6455 §5.1)")
            case .unmaskedFrame: (.maskedFrame, .protocolError, "the client has sent a frame that is not masked (RFC 6455 §5.1)")
            case .fragmentedControlFrame: (.invalidControlFrame, .protocolError, "a control frame is fragmented (RFC 6455 §5.5)")
            case .oversizedControlFrame:
                (.invalidControlFrame, .protocolError, "a control frame has more than 125 bytes (RFC 6455 §5.5)")
            case .unexpectedContinuation:
                (.invalidFragmentation, .protocolError, "a message begins with a continuation frame (RFC 6455 §5.4)")
            case .interruptedMessage:
                (.invalidFragmentation, .protocolError, "a message begins before the last one has ended (RFC 6455 §5.4)")
            case .invalidLength:
                (.invalidLength, .protocolError, "a length is negative or not in its shortest form (RFC 6455 §5.2)")
            case .invalidUTF8: (.invalidUTF8, .invalidPayload, "a text is not valid UTF-8 (RFC 6455 §8.1)")
            case .invalidCloseFrame: (.invalidCloseFrame, .protocolError, "a close frame has one byte (RFC 6455 §5.5.1)")
            case .invalidCloseCode(let code):
                (.invalidCloseFrame, .protocolError, "a close frame has the code \(code), which must not be sent (RFC 6455 §7.4)")
            case .messageTooLarge(let limit):
                (.messageTooLarge, .messageTooBig, "a message has more than \(limit) bytes (maximumMessageBytes)")
            case .damagedCompression(let reason):
                (.invalidCompression, .invalidPayload, "a compressed message is damaged: \(reason) (RFC 7692 §7)")
            }
        var error = WebSocketError(code, message)
        error.closeCode = closeCode
        return error
    }
}
