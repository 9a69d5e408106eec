import Endpoints
import Foundation
import NetworkSupport

/// A fault of a WebSocket route of a ``LoopbackServer``: of the response with status 101, or of what is sent after it.
///
/// ```swift
/// LoopbackRoute.webSocket("/live", faults: [.reservedBit]) { socket, _ in
///     for try await message in socket.messages { try await socket.send(message) }
/// }
/// ```
///
/// A fault of a frame is applied to the first data frame that the handler sends, or to a later one (``after(frames:)``). Pings, pongs and close
/// frames are not counted.
public struct LoopbackWebSocketFault: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case header(name: String, value: String?)
        case frame(Frame)
        case raw(Data)
        case ignoresPings
        case ignoresCloses
        case drip(bytes: Int, every: Duration)
    }

    enum Frame: Hashable, Sendable {
        case masked
        case badLength
        case reservedBit
        case unknownOpcode
        case invalidUTF8
        case truncated(bytes: Int)
        case reset(bytes: Int)
    }

    let kind: Kind
    /// The number of data frames before that to which the fault is applied.
    var framesBefore = 0

    /// Returns the fault with another position: it is applied to the data frame after so many others.
    ///
    /// It has no effect on faults that are not about one frame.
    public func after(frames count: Int) -> LoopbackWebSocketFault {
        var fault = self
        fault.framesBefore = count.clamped(to: 0...Int.max)
        return fault
    }
}

// MARK: - The handshake

extension LoopbackWebSocketFault {
    /// Sends a `Sec-WebSocket-Accept` that does not belong to the key of the request (RFC 6455 §4.1).
    public static let wrongAcceptKey = header("bm90IHRoZSBrZXkgb2YgdGhlIGNsaWVudA==", for: "Sec-WebSocket-Accept")

    /// Replaces a header field of the response with status 101; adds it if there is none.
    ///
    /// - Parameters:
    ///   - value: Sent unchecked; `nil` removes the field.
    ///   - name: The name of the field.
    public static func header(_ value: String?, for name: String) -> LoopbackWebSocketFault {
        LoopbackWebSocketFault(kind: .header(name: name, value: value))
    }
}

// MARK: - Frames

extension LoopbackWebSocketFault {
    /// Masks a frame, which only a client may (RFC 6455 §5.1).
    public static let maskedFrame = LoopbackWebSocketFault(kind: .frame(.masked))

    /// Sends the length of a frame in eight bytes although it needs fewer; of one that needs them, a negative length (RFC 6455 §5.2).
    public static let badLength = LoopbackWebSocketFault(kind: .frame(.badLength))

    /// Sets the bit `RSV2` of a frame, which no extension defines (RFC 6455 §5.2).
    public static let reservedBit = LoopbackWebSocketFault(kind: .frame(.reservedBit))

    /// Sends a frame with the opcode 3, which is reserved (RFC 6455 §5.2).
    public static let unknownOpcode = LoopbackWebSocketFault(kind: .frame(.unknownOpcode))

    /// Sends a text in place of a frame that is not UTF-8: the bytes `C3 28` (RFC 6455 §8.1).
    public static let invalidUTF8 = LoopbackWebSocketFault(kind: .frame(.invalidUTF8))

    /// Sends these bytes as they are: after the response with status 101, or after as many data frames as ``after(frames:)`` says.
    public static func raw(_ bytes: Data) -> LoopbackWebSocketFault { LoopbackWebSocketFault(kind: .raw(bytes)) }
}

// MARK: - The end

extension LoopbackWebSocketFault {
    /// Closes the connection in an orderly way (FIN), without a close frame, after this many bytes of a frame. All of them are sent if there are
    /// fewer.
    public static func truncateFrame(after bytes: Int) -> LoopbackWebSocketFault {
        LoopbackWebSocketFault(kind: .frame(.truncated(bytes: max(0, bytes))))
    }

    /// Resets the connection (RST) in place of a frame.
    public static let reset = resetFrame(after: 0)

    /// Resets the connection (RST) after this many bytes of a frame. The client's system has received them by then; whether the client can still
    /// read them after a reset depends on its system.
    public static func resetFrame(after bytes: Int) -> LoopbackWebSocketFault {
        LoopbackWebSocketFault(kind: .frame(.reset(bytes: max(0, bytes))))
    }

    /// Never responds to a ping.
    public static let ignoresPings = LoopbackWebSocketFault(kind: .ignoresPings)

    /// Never sends a close frame, neither in response to that of the client nor before it, and leaves it to the client to close the connection.
    public static let ignoresCloses = LoopbackWebSocketFault(kind: .ignoresCloses)

    /// Sends everything after the response with status 101 in portions of this many bytes: the first at once, each other after a pause.
    public static func drip(bytes: Int, every pause: Duration) -> LoopbackWebSocketFault {
        LoopbackWebSocketFault(kind: .drip(bytes: max(1, bytes), every: pause))
    }
}
