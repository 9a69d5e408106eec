import Foundation
import NetworkWebSocket

/// Applies the faults of a WebSocket route to the frames that the server sends: a state machine over bytes, without I/O.
struct WebSocketFaultScript: Sendable {
    /// How the connection ends after a fault.
    enum Ending: Sendable, Equatable {
        case close
        case reset
    }

    private var faults: [LoopbackWebSocketFault]
    /// The number of data frames so far.
    private var frames = 0
    let ignoresPings: Bool
    let ignoresCloses: Bool
    let drip: (bytes: Int, pause: Duration)?

    init(_ faults: [LoopbackWebSocketFault]) {
        ignoresPings = faults.contains { $0.kind == .ignoresPings }
        ignoresCloses = faults.contains { $0.kind == .ignoresCloses }
        drip =
            faults.lazy.compactMap { fault in
                if case .drip(let bytes, let pause) = fault.kind { (bytes, pause) } else { nil }
            }.last
        self.faults = faults.filter { fault in
            switch fault.kind {
            case .frame, .raw: true
            case .header, .ignoresPings, .ignoresCloses, .drip: false
            }
        }
    }

    /// Whether frames are sent as they are from here on.
    var isIdle: Bool { faults.isEmpty && !ignoresPings && !ignoresCloses }

    /// Returns the bytes that are sent before the first frame.
    mutating func takeFirstBytes() -> [UInt8] { takeRawBytes() }

    /// Applies the faults to the frame at the end of a buffer.
    ///
    /// - Parameter start: The position of the frame, whose payload is not masked.
    /// - Returns: How the connection ends after what is then in the buffer; `nil` if it does not.
    mutating func apply(to buffer: inout [UInt8], from start: Int) -> Ending? {
        guard start < buffer.count, let opcode = WebSocketOpcode(rawValue: buffer[start] & 0x0F) else { return nil }
        if opcode.isControl {
            if opcode == .pong && ignoresPings || opcode == .close && ignoresCloses { buffer.removeSubrange(start...) }
            return nil
        }
        var ending: Ending?
        faults.removeAll { fault in
            guard case .frame(let kind) = fault.kind, fault.framesBefore == frames else { return false }
            ending = Self.apply(kind, to: &buffer, from: start) ?? ending
            return true
        }
        frames += 1
        if ending == nil { buffer += takeRawBytes() }
        return ending
    }

    private mutating func takeRawBytes() -> [UInt8] {
        var taken: [UInt8] = []
        faults.removeAll { fault in
            guard case .raw(let bytes) = fault.kind, fault.framesBefore == frames else { return false }
            taken += bytes
            return true
        }
        return taken
    }

    private static func apply(_ fault: LoopbackWebSocketFault.Frame, to buffer: inout [UInt8], from start: Int) -> Ending? {
        let short = buffer[start + 1] & 0x7F
        let body = start + (short == 127 ? 10 : short == 126 ? 4 : 2)
        switch fault {
        case .masked:
            let key: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]
            for index in body..<buffer.count { buffer[index] ^= key[(index - body) & 3] }
            buffer.insert(contentsOf: key, at: body)
            buffer[start + 1] |= 0x80
        case .badLength:
            let length = UInt64(buffer.count - body) | (short == 127 ? 1 << 63 : 0)
            buffer[start + 1] = 127
            buffer.replaceSubrange((start + 2)..<body, with: withUnsafeBytes(of: length.bigEndian) { Array($0) })
        case .reservedBit: buffer[start] |= 0x20
        case .unknownOpcode: buffer[start] = buffer[start] & 0xF0 | 0x3
        case .invalidUTF8: buffer.replaceSubrange(start..., with: [0x81, 0x02, 0xC3, 0x28])
        case .truncated(let bytes):
            buffer.removeSubrange(min(buffer.count, start + min(bytes, buffer.count))...)
            return .close
        case .reset(let bytes):
            buffer.removeSubrange(min(buffer.count, start + min(bytes, buffer.count))...)
            return .reset
        }
        return nil
    }
}
