import NetworkSupport

/// Receives a name and a value, which are valid during the call.
typealias FieldReceiver = (_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Void

/// Decodes the header blocks of one direction of a connection over HTTP/2 (RFC 7541).
///
/// A block is decoded to its end, even if its fields are no longer wanted: later blocks refer to what it has added to the table.
struct HPACKDecoder: Sendable {
    /// The size of the dynamic table that the peer may use (SETTINGS_HEADER_TABLE_SIZE, RFC 9113 §6.5.2): the default.
    static let tableSize = 4096

    private var table = HPACKDynamicTable(maximumSize: tableSize)
    /// The decoded strings of a field.
    private var strings = FieldStringBuffer()

    /// Decodes a block, and calls a closure with each of its fields.
    ///
    /// - Parameter block: The whole block, whose size the caller has limited.
    mutating func decode(_ block: UnsafeRawBufferPointer, _ receive: FieldReceiver) throws(FieldCompressionError) {
        // Room for a name of the table, and for all that the block can represent.
        let capacity = Self.tableSize + HPACKHuffman.maximumDecodedBytes(of: block.count)
        var buffer = strings.take(capacity)
        try buffer.withUnsafeMutableBufferPointer { (buffer) throws(FieldCompressionError) in
            try decode(block, UnsafeMutableRawBufferPointer(buffer), receive)
        }
        strings.giveBack(buffer)
    }

    private mutating func decode(
        _ block: UnsafeRawBufferPointer, _ strings: UnsafeMutableRawBufferPointer, _ receive: FieldReceiver
    ) throws(FieldCompressionError) {
        var input = FieldLineInput(block)
        var mayResize = true
        while let byte = input.peek {
            switch byte {
            case 0x80...:
                try decodeIndexed(&input, receive)
            case 0x40...:
                try decodeLiteral(&input, bits: 6, strings, receive)
            case 0x20...:
                guard mayResize else {
                    throw FieldCompressionError("the size of the table changes within a header block (RFC 7541 §4.2)")
                }
                try resize(&input)
                continue
            default:
                try decodeLiteral(&input, bits: 4, strings, receive)
            }
            mayResize = false
        }
    }

    private mutating func resize(_ input: inout FieldLineInput) throws(FieldCompressionError) {
        let size = try input.number(bits: 5)
        guard size <= Self.tableSize else {
            throw FieldCompressionError(
                "the table has a size of \(size) bytes, and at most \(Self.tableSize) are permitted (RFC 7541 §6.3)")
        }
        table.resize(to: size)
    }

    private func decodeIndexed(_ input: inout FieldLineInput, _ receive: FieldReceiver) throws(FieldCompressionError) {
        let index = try input.number(bits: 7)
        guard index > 0 else { throw FieldCompressionError("a field has the index 0 (RFC 7541 §6.1)") }
        if index <= StaticFieldTable.hpack.count {
            let field = StaticFieldTable.hpack.fields[index - 1]
            receive(field.nameBytes, field.valueBytes)
        } else {
            table.withEntry(try position(index), receive)
        }
    }

    /// - Parameter bits: How many bits of the first byte belong to the index: 6 if the field is added to the table, otherwise 4.
    private mutating func decodeLiteral(
        _ input: inout FieldLineInput, bits: Int, _ strings: UnsafeMutableRawBufferPointer, _ receive: FieldReceiver
    ) throws(FieldCompressionError) {
        let index = try input.number(bits: bits)
        var used = 0
        let name: UnsafeRawBufferPointer
        if index == 0 {
            name = try input.string(into: strings, &used)
        } else if index <= StaticFieldTable.hpack.count {
            name = StaticFieldTable.hpack.fields[index - 1].nameBytes
        } else {
            // Copied, because adding the field may remove the entry.
            table.withEntry(try position(index)) { entry, _ in
                strings.copyMemory(from: entry)
                used = entry.count
            }
            name = UnsafeRawBufferPointer(rebasing: strings[..<used])
        }
        let value = try input.string(into: strings, &used)
        receive(name, value)
        if bits == 6 { table.insert(name, value) }
    }

    /// Returns the position of an entry in the dynamic table.
    private func position(_ index: Int) throws(FieldCompressionError) -> Int {
        let known = StaticFieldTable.hpack.count
        guard index - known <= table.count else {
            throw FieldCompressionError(
                "a field has the index \(index), and the tables have \(known + table.count) entries (RFC 7541 §2.3.3)")
        }
        return index - known - 1
    }
}
