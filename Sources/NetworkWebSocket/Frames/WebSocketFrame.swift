import NetworkSupport

/// The opcodes of frames (RFC 6455 §11.8).
package enum WebSocketOpcode: UInt8, Sendable {
    case continuation = 0x0
    case text = 0x1
    case binary = 0x2
    case close = 0x8
    case ping = 0x9
    case pong = 0xA

    package var isControl: Bool { rawValue & 0x8 != 0 }
}

/// The head of a frame (RFC 6455 §5.2).
package struct WebSocketFrameHead: Sendable, Equatable {
    package var opcode: WebSocketOpcode
    /// Whether the frame is the last one of its message.
    package var isFinal = true
    /// Whether the message is compressed (`RSV1`, RFC 7692 §6).
    package var isCompressed = false
    /// The number of bytes of the payload.
    package var length: Int
    /// The masking key; `nil` for a frame that is not masked.
    package var mask: UInt32?

    package init(
        _ opcode: WebSocketOpcode, length: Int, isFinal: Bool = true, isCompressed: Bool = false, mask: UInt32? = nil
    ) {
        self.opcode = opcode
        self.length = length
        self.isFinal = isFinal
        self.isCompressed = isCompressed
        self.mask = mask
    }

    /// The largest number of bytes of a head: 2, 8 for the length, 4 for the masking key.
    package static let maximumBytes = 14

    /// Appends the frame to a buffer, with its payload masked if there is a masking key.
    ///
    /// - Parameter payload: ``length`` bytes.
    package func append(_ payload: UnsafeRawBufferPointer, to buffer: inout [UInt8]) {
        var head: (UInt64, UInt64) = (0, 0)
        withUnsafeMutableBytes(of: &head) { head in
            let count = write(to: head)
            buffer.append(contentsOf: UnsafeRawBufferPointer(rebasing: head[..<count]))
        }
        guard !payload.isEmpty else { return }
        let start = buffer.count
        buffer.append(contentsOf: payload)
        guard let mask else { return }
        buffer.withUnsafeMutableBytes { WebSocketMask.apply(mask, to: UnsafeMutableRawBufferPointer(rebasing: $0[start...])) }
    }

    /// Writes the head, and returns its number of bytes. There is room for ``maximumBytes``.
    private func write(to bytes: UnsafeMutableRawBufferPointer) -> Int {
        bytes[0] = (isFinal ? 0x80 : 0) | (isCompressed ? 0x40 : 0) | opcode.rawValue
        let masked: UInt8 = mask == nil ? 0 : 0x80
        var count = 2
        switch length {
        case ..<126: bytes[1] = masked | UInt8(length)
        case ..<0x1_0000:
            bytes[1] = masked | 126
            bytes.storeBytes(of: UInt16(length).bigEndian, toByteOffset: 2, as: UInt16.self)
            count = 4
        default:
            bytes[1] = masked | 127
            bytes.storeBytes(of: UInt64(length).bigEndian, toByteOffset: 2, as: UInt64.self)
            count = 10
        }
        guard let mask else { return count }
        bytes.storeBytes(of: mask, toByteOffset: count, as: UInt32.self)
        return count + 4
    }
}

/// Masking of payloads (RFC 6455 §5.3). A key is kept as its four bytes are in memory.
package enum WebSocketMask {
    /// Combines bytes with a masking key: masks them, or removes the mask.
    ///
    /// - Parameter offset: The position of the first byte in the payload.
    package static func apply(_ mask: UInt32, to bytes: UnsafeMutableRawBufferPointer, offset: Int = 0) {
        let key = rotated(mask, by: offset)
        let wide = UInt64(key) << 32 | UInt64(key)
        var index = 0
        while index &+ 8 <= bytes.count {
            let value = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) ^ wide
            bytes.storeBytes(of: value, toByteOffset: index, as: UInt64.self)
            index &+= 8
        }
        withUnsafeBytes(of: key) { key in
            while index < bytes.count {
                bytes[index] ^= key[index & 3]
                index &+= 1
            }
        }
    }

    /// Returns the key as it applies from an offset on.
    private static func rotated(_ mask: UInt32, by offset: Int) -> UInt32 {
        let shift = UInt32(truncatingIfNeeded: (offset & 3) * 8)
        guard shift != 0 else { return mask }
        // The first byte in memory is the lowest one of the little-endian value.
        let value = UInt32(littleEndian: mask)
        return (value >> shift | value << (32 - shift)).littleEndian
    }
}

/// Masking keys from the system's random numbers, of which 64 are read at a time: each read is a system call on Linux.
package struct WebSocketMaskSource: Sendable {
    /// The number of keys that are read at a time: `getentropy` returns at most 256 bytes.
    private static let count = 64

    private var keys: [UInt32] = []

    package init() {}

    package mutating func next() -> UInt32 {
        if keys.isEmpty { refill() }
        return keys.removeLast()
    }

    private mutating func refill() {
        keys = [UInt32](repeating: 0, count: Self.count)
        #if os(Linux)
            if keys.withUnsafeMutableBytes({ getentropy($0.baseAddress, $0.count) }) == 0 { return }
        #endif
        // On Linux, only where that system call is missing or forbidden.
        var generator = SystemRandomNumberGenerator()
        for index in keys.indices { keys[index] = generator.next() }
    }
}
