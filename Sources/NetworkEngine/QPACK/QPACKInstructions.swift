import NetworkSupport

/// The instructions that a peer sends on its encoder or its decoder stream (RFC 9204 §4.3, §4.4), where neither side has a
/// dynamic table.
///
/// Nearly all of them are errors then. The others have one number, of which this keeps the part that has arrived.
struct QPACKInstructions: Sendable {
    /// The stream on which the instructions arrive.
    enum Sender: Sendable {
        /// The peer's encoder, for the decoder of this side.
        case encoder
        /// The peer's decoder, for the encoder of this side.
        case decoder
    }

    /// The largest number of a stream (RFC 9000 §2.1).
    private static let maximumStream = 1 << 62 - 1

    let sender: Sender
    /// The part of an instruction that has arrived.
    private var carry: [UInt8] = []

    init(from sender: Sender) {
        self.sender = sender
    }

    /// Reads the next instruction.
    ///
    /// - Returns: `false` if all input was consumed, and no instruction is complete.
    /// - Throws: What is wrong: a connection error of type QPACK_ENCODER_STREAM_ERROR or QPACK_DECODER_STREAM_ERROR (RFC 9204
    ///   §6).
    mutating func next(_ input: UnsafeRawBufferPointer, at offset: inout Int) throws(FieldCompressionError) -> Bool {
        while offset < input.count {
            carry.append(input[offset])
            offset += 1
            let isComplete =
                switch sender {
                case .encoder: try isCapacity()
                case .decoder: try isCancellation()
                }
            if isComplete {
                carry.removeAll(keepingCapacity: true)
                return true
            }
        }
        return false
    }

    /// Whether the bytes are the whole of a Set Dynamic Table Capacity (RFC 9204 §4.3.1), which may only be 0.
    private func isCapacity() throws(FieldCompressionError) -> Bool {
        guard carry[0] & 0xE0 == 0x20 else {
            throw FieldCompressionError(
                "the encoder of the server inserts into a dynamic table with a capacity of 0 (RFC 9204 §3.2.2)")
        }
        guard let capacity = try number(bits: 5) else { return false }
        guard capacity <= QPACKDecoder.tableCapacity else {
            throw FieldCompressionError(
                "the encoder of the server sets a capacity of \(capacity) bytes, and 0 is permitted (RFC 9204 §4.3.1)"
            )
        }
        return true
    }

    /// Whether the bytes are the whole of a Stream Cancellation (RFC 9204 §4.4.2). There is nothing to acknowledge (§4.4.1,
    /// §4.4.3).
    private func isCancellation() throws(FieldCompressionError) -> Bool {
        guard carry[0] & 0xC0 == 0x40 else {
            throw FieldCompressionError("the decoder of the server acknowledges what was not sent (RFC 9204 §4.4.1, §4.4.3)")
        }
        return try number(bits: 6) != nil
    }

    private func number(bits: Int) throws(FieldCompressionError) -> Int? {
        try carry.withUnsafeBufferPointer { (bytes) throws(FieldCompressionError) in
            var input = FieldLineInput(UnsafeRawBufferPointer(bytes))
            return try input.partialNumber(bits: bits, maximum: Self.maximumStream)
        }
    }
}
