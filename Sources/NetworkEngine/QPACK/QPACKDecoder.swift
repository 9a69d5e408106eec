import NetworkSupport

/// Decodes the field sections of one direction of a connection over HTTP/3 (RFC 9204), without a dynamic table.
///
/// The peer is not permitted one (``tableCapacity``). So a section needs no other stream, and one that is not decoded, or not
/// to its end, changes nothing for the next.
struct QPACKDecoder: Sendable {
    /// The size of the dynamic table that the peer may use (SETTINGS_QPACK_MAX_TABLE_CAPACITY, RFC 9204 §5).
    static let tableCapacity = 0
    /// The number of streams that may wait for the dynamic table (SETTINGS_QPACK_BLOCKED_STREAMS, RFC 9204 §5).
    static let blockedStreams = 0

    /// The decoded strings of a field.
    private var strings = FieldStringBuffer()

    /// Decodes a section, and calls a closure with each of its fields.
    ///
    /// - Parameter section: The whole section, whose size the caller has limited.
    /// - Throws: What makes the section invalid: a connection error of type QPACK_DECOMPRESSION_FAILED (RFC 9204 §6).
    mutating func decode(_ section: UnsafeRawBufferPointer, _ receive: FieldReceiver) throws(FieldCompressionError) {
        var buffer = strings.take(HPACKHuffman.maximumDecodedBytes(of: section.count))
        try buffer.withUnsafeMutableBufferPointer { (buffer) throws(FieldCompressionError) in
            try Self.decode(section, UnsafeMutableRawBufferPointer(buffer), receive)
        }
        strings.giveBack(buffer)
    }

    private static func decode(
        _ section: UnsafeRawBufferPointer, _ strings: UnsafeMutableRawBufferPointer, _ receive: FieldReceiver
    ) throws(FieldCompressionError) {
        var input = FieldLineInput(section)
        try decodePrefix(&input)
        while let byte = input.peek {
            switch byte {
            case 0x80...:
                guard byte & 0x40 != 0 else { throw noTable }
                let field = try field(at: try input.number(bits: 6))
                receive(field.nameBytes, field.valueBytes)
            case 0x40...:
                guard byte & 0x10 != 0 else { throw noTable }
                let field = try field(at: try input.number(bits: 4))
                var used = 0
                receive(field.nameBytes, try input.string(into: strings, &used))
            case 0x20...:
                var used = 0
                let name = try input.string(bits: 3, into: strings, &used)
                receive(name, try input.string(into: strings, &used))
            default:
                // Entries after the base (RFC 9204 §4.5.3, §4.5.5).
                throw noTable
            }
        }
    }

    /// Reads the prefix of a section (RFC 9204 §4.5.1).
    private static func decodePrefix(_ input: inout FieldLineInput) throws(FieldCompressionError) {
        guard try input.number(bits: 8) == 0 else { throw noTable }
        let isNegative = (input.peek ?? 0) & 0x80 != 0
        _ = try input.number(bits: 7)
        guard !isNegative else {
            throw FieldCompressionError("the base of a field section is negative (RFC 9204 §4.5.1.2)")
        }
    }

    private static func field(at index: Int) throws(FieldCompressionError) -> StaticFieldTable.Field {
        let table = StaticFieldTable.qpack
        guard index < table.count else {
            throw FieldCompressionError(
                "a field has the index \(index), and the static table has \(table.count) entries (RFC 9204 §3.1)")
        }
        return table.fields[index]
    }

    private static let noTable = FieldCompressionError(
        "a field section refers to the dynamic table, which has a capacity of 0 (RFC 9204 §2.2.1)")
}
