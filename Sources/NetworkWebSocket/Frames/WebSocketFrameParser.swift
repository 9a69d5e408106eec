/// Parses the frames that one side of a connection receives (RFC 6455 §5): a state machine over bytes, without I/O.
///
/// It checks everything that a single frame or the order of frames can violate. Payloads of data frames are passed on as they are received;
/// those of control frames, which have at most 125 bytes, as a whole. So memory depends on what was received, and not on the length that a head
/// states, which may be up to 2⁶³ - 1.
package struct WebSocketFrameParser: Sendable {
    /// The side that receives.
    package enum Role: Sendable {
        case client
        case server
    }

    /// What was found in the bytes.
    package enum Step: Sendable, Equatable {
        /// All bytes were consumed.
        case needsMore
        /// A data frame begins. Its payload follows.
        case data(WebSocketFrameHead)
        /// A part of the payload of the data frame: a range of the bytes.
        case payload(Range<Int>)
        /// The data frame has ended.
        case end(isLastOfMessage: Bool)
        /// A control frame.
        case control(WebSocketOpcode, [UInt8])
    }

    private let role: Role
    /// Whether messages may be compressed, as the handshake has agreed on.
    private let allowsCompression: Bool
    /// The bytes of an incomplete head.
    private var head = HeadBytes()
    private var frame: WebSocketFrameHead?
    /// The number of bytes of the payload that were received.
    private var received = 0
    private var control: [UInt8] = []
    /// Whether a message has begun and its last frame has not been received.
    private var isInMessage = false

    package init(_ role: Role, allowsCompression: Bool) {
        self.role = role
        self.allowsCompression = allowsCompression
    }

    /// The masking key of the current data frame, for a server, and the position in its payload.
    package var mask: (key: UInt32, offset: Int)? { frame?.mask.map { ($0, received) } }

    /// Whether the bytes so far end with a frame.
    package var isBetweenFrames: Bool { frame == nil && head.count == 0 }

    /// Returns the next step.
    ///
    /// - Parameters:
    ///   - bytes: The bytes that were received.
    ///   - offset: The position of the first byte that was not consumed; advanced by the call.
    /// - Throws: The violation. The parser must not be used afterwards.
    package mutating func next(_ bytes: UnsafeRawBufferPointer, at offset: inout Int) throws(WebSocketViolation) -> Step {
        while true {
            guard let frame else {
                guard let next = try readHead(bytes, at: &offset) else { return .needsMore }
                self.frame = next
                received = 0
                if !next.opcode.isControl { return .data(next) }
                continue
            }
            let rest = frame.length - received
            if frame.opcode.isControl {
                let count = min(rest, bytes.count - offset)
                append(bytes[offset..<(offset + count)], mask: frame.mask)
                offset += count
                guard received == frame.length else { return .needsMore }
                defer { control = [] }
                self.frame = nil
                return .control(frame.opcode, control)
            }
            if rest == 0 {
                self.frame = nil
                if frame.isFinal { isInMessage = false }
                return .end(isLastOfMessage: frame.isFinal)
            }
            let count = min(rest, bytes.count - offset)
            if count == 0 { return .needsMore }
            defer { offset += count }
            // The mask is removed before the next call.
            received += count
            return .payload(offset..<(offset + count))
        }
    }

    /// Removes the mask of a part of the payload, in a copy of it.
    ///
    /// - Parameter bytes: The bytes of the last ``Step/payload(_:)``.
    package func unmask(_ bytes: UnsafeMutableRawBufferPointer) {
        guard let mask = frame?.mask else { return }
        WebSocketMask.apply(mask, to: bytes, offset: received - bytes.count)
    }

    private mutating func append(_ bytes: Slice<UnsafeRawBufferPointer>, mask: UInt32?) {
        let start = control.count
        control.append(contentsOf: bytes)
        received += bytes.count
        guard let mask else { return }
        control.withUnsafeMutableBytes {
            WebSocketMask.apply(mask, to: UnsafeMutableRawBufferPointer(rebasing: $0[start...]), offset: start)
        }
    }

    /// Reads a head, which may be spread over several inputs.
    ///
    /// - Returns: `nil` if it is incomplete.
    private mutating func readHead(
        _ bytes: UnsafeRawBufferPointer, at offset: inout Int
    ) throws(WebSocketViolation) -> WebSocketFrameHead? {
        // The first two bytes are checked as soon as they are received.
        while head.count < 2 {
            guard offset < bytes.count else { return nil }
            if head.count == 0 { _ = try opcode(of: bytes[offset]) }
            head.append(bytes[offset...offset])
            offset += 1
        }
        let opcode = try opcode(of: head[0])
        let isMasked = head[1] & 0x80 != 0
        let short = Int(head[1] & 0x7F)
        guard isMasked == (role == .server) else { throw isMasked ? .maskedFrame : .unmaskedFrame }
        if opcode.isControl, short > 125 { throw .oversizedControlFrame }
        let lengthBytes = short == 127 ? 8 : short == 126 ? 2 : 0
        let count = 2 + lengthBytes + (isMasked ? 4 : 0)
        let missing = min(count - head.count, bytes.count - offset)
        head.append(bytes[offset..<(offset + missing)])
        offset += missing
        if head.count >= 2 + lengthBytes { try checkLength(lengthBytes) }
        guard head.count == count else { return nil }
        let length = lengthBytes == 0 ? short : Int(lengthValue(lengthBytes))
        let mask = isMasked ? head.mask(at: count - 4) : nil
        let frame = WebSocketFrameHead(
            opcode, length: length, isFinal: head[0] & 0x80 != 0, isCompressed: head[0] & 0x40 != 0, mask: mask)
        head = HeadBytes()
        if !opcode.isControl { isInMessage = true }
        return frame
    }

    /// Checks the first byte of a frame.
    private func opcode(of byte: UInt8) throws(WebSocketViolation) -> WebSocketOpcode {
        if byte & 0x30 != 0 { throw .reservedBits }
        guard let opcode = WebSocketOpcode(rawValue: byte & 0x0F) else { throw .unknownOpcode(byte & 0x0F) }
        // RFC 7692 §6.1: only the first frame of a compressed message has the bit.
        if byte & 0x40 != 0, !allowsCompression || opcode.isControl || opcode == .continuation { throw .reservedBits }
        if opcode.isControl {
            if byte & 0x80 == 0 { throw .fragmentedControlFrame }
        } else if isInMessage != (opcode == .continuation) {
            throw isInMessage ? .interruptedMessage : .unexpectedContinuation
        }
        return opcode
    }

    private func checkLength(_ lengthBytes: Int) throws(WebSocketViolation) {
        guard lengthBytes > 0 else { return }
        let length = lengthValue(lengthBytes)
        if length >> 63 != 0 { throw .invalidLength }
        // RFC 6455 §5.2: the minimal number of bytes must be used.
        if length < (lengthBytes == 2 ? 126 : 0x1_0000) { throw .invalidLength }
    }

    private func lengthValue(_ count: Int) -> UInt64 {
        var value: UInt64 = 0
        for index in 2..<(2 + count) { value = value << 8 | UInt64(head[index]) }
        return value
    }
}

/// The bytes of a head, in place: an array would be allocated for each connection, and retained for each check.
private struct HeadBytes: Sendable {
    /// 16 bytes, of which the head takes at most ``WebSocketFrameHead/maximumBytes``.
    private var storage: (UInt64, UInt64) = (0, 0)
    private(set) var count = 0

    subscript(index: Int) -> UInt8 { withUnsafeBytes(of: storage) { $0[index] } }

    /// Appends bytes, for which there is room.
    mutating func append(_ bytes: Slice<UnsafeRawBufferPointer>) {
        let start = count
        withUnsafeMutableBytes(of: &storage) { storage in
            UnsafeMutableRawBufferPointer(rebasing: storage[start...]).copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes))
        }
        count += bytes.count
    }

    func mask(at index: Int) -> UInt32 {
        withUnsafeBytes(of: storage) { $0.loadUnaligned(fromByteOffset: index, as: UInt32.self) }
    }
}
