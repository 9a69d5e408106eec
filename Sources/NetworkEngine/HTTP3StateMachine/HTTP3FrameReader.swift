import NetworkSupport

/// Reads the frames of one stream (RFC 9114 §7.1), which arrive in pieces.
struct HTTP3FrameReader: Sendable {
    /// What is read next.
    enum Reading: Equatable, Sendable {
        case header
        /// The whole payload of a frame.
        case payload(HTTP3FrameHeader)
        /// Content, of which this many bytes have not arrived.
        case data(remaining: UInt64)
        /// Bytes that are ignored.
        case skipped(remaining: UInt64)
    }

    /// The whole payload of a frame.
    enum Payload {
        /// It is in the input.
        case input(Range<Int>)
        /// It has arrived in several pieces.
        case carried([UInt8])
    }

    private(set) var reading = Reading.header
    /// The part of a header or of a payload that has arrived.
    private var carry: [UInt8] = []

    /// Whether the last frame was read to its end.
    var isBetweenFrames: Bool { reading == .header && carry.isEmpty }

    /// The number of bytes of a payload that have arrived and are held.
    var heldBytes: Int {
        if case .payload = reading { return carry.count }
        return 0
    }

    /// Reads the header of a frame.
    ///
    /// - Returns: `nil` if all input was consumed.
    mutating func takeHeader(_ input: UnsafeRawBufferPointer, _ offset: inout Int) -> HTTP3FrameHeader? {
        if carry.isEmpty, let header = HTTP3FrameHeader(input, at: &offset) { return header }
        while offset < input.count {
            carry.append(input[offset])
            offset += 1
            let header = carry.withUnsafeBytes { bytes in
                var end = 0
                return HTTP3FrameHeader(bytes, at: &end)
            }
            if let header {
                carry.removeAll()
                return header
            }
        }
        return nil
    }

    /// Begins to read the payload of a frame as one.
    mutating func expectPayload(of header: HTTP3FrameHeader) { reading = .payload(header) }

    /// Begins to read the payload of a frame as content.
    mutating func expectData(_ count: UInt64) { reading = count > 0 ? .data(remaining: count) : .header }

    /// Ignores the payload of a frame.
    mutating func expectSkipped(_ count: UInt64) { reading = count > 0 ? .skipped(remaining: count) : .header }

    /// Reads a payload of `length` bytes, which the caller has limited.
    ///
    /// - Returns: `nil` if all input was consumed.
    mutating func takePayload(_ length: UInt64, _ input: UnsafeRawBufferPointer, _ offset: inout Int) -> Payload? {
        let missing = Int(clamping: length) - carry.count
        let count = min(missing, input.count - offset)
        let range = offset..<offset + count
        offset += count
        if carry.isEmpty, count == missing {
            reading = .header
            return .input(range)
        }
        carry.append(contentsOf: input[range])
        guard count == missing else { return nil }
        reading = .header
        var payload: [UInt8] = []
        swap(&payload, &carry)
        return .carried(payload)
    }

    /// Reads content.
    ///
    /// - Returns: Where it is in the input; empty if all input was consumed.
    mutating func takeData(_ remaining: UInt64, _ input: UnsafeRawBufferPointer, _ offset: inout Int) -> Range<Int> {
        let range = take(remaining, input, &offset)
        expectData(remaining - UInt64(range.count))
        return range
    }

    /// Ignores bytes.
    ///
    /// - Returns: `false` if all input was consumed.
    mutating func skip(_ remaining: UInt64, _ input: UnsafeRawBufferPointer, _ offset: inout Int) -> Bool {
        expectSkipped(remaining - UInt64(take(remaining, input, &offset).count))
        return reading == .header
    }

    private func take(_ remaining: UInt64, _ input: UnsafeRawBufferPointer, _ offset: inout Int) -> Range<Int> {
        let start = offset
        offset += Int(min(remaining, UInt64(input.count - offset)))
        return start..<offset
    }
}
