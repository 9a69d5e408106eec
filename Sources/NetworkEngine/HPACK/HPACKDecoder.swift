import NetworkSupport

/// Decodes the header blocks of one direction of a connection (RFC 7541).
///
/// A block is decoded to its end, even if its fields are no longer wanted: later blocks refer to what it has added to the table.
struct HPACKDecoder: Sendable {
    /// Receives a name and a value, which are valid during the call.
    typealias Receiver = (_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Void

    /// The size of the dynamic table that the peer may use (SETTINGS_HEADER_TABLE_SIZE, RFC 9113 §6.5.2): the default.
    static let tableSize = 4096
    /// Larger numbers are refused: no index, size or length needs them.
    static let maximumNumber = 1 << 28
    /// How much of the buffer for strings is kept between blocks.
    private static let keptBytes = 16 << 10

    private var table = HPACKDynamicTable(maximumSize: tableSize)
    /// The decoded strings of a field.
    private var strings: [UInt8] = []

    /// Decodes a block, and calls a closure with each of its fields.
    ///
    /// - Parameter block: The whole block, whose size the caller has limited.
    mutating func decode(_ block: UnsafeRawBufferPointer, _ receive: Receiver) throws(HPACKError) {
        // Room for a name of the table, and for all that the block can represent.
        let capacity = Self.tableSize + HPACKHuffman.maximumDecodedBytes(of: block.count)
        var buffer: [UInt8] = []
        swap(&buffer, &strings)
        if buffer.count < capacity { buffer = [UInt8](repeating: 0, count: capacity) }
        try buffer.withUnsafeMutableBufferPointer { (buffer) throws(HPACKError) in
            try decode(block, UnsafeMutableRawBufferPointer(buffer), receive)
        }
        if buffer.count <= Self.keptBytes { swap(&buffer, &strings) }
    }

    private mutating func decode(
        _ block: UnsafeRawBufferPointer, _ strings: UnsafeMutableRawBufferPointer, _ receive: Receiver
    ) throws(HPACKError) {
        var input = Input(block)
        var mayResize = true
        while let byte = input.peek {
            switch byte {
            case 0x80...:
                try decodeIndexed(&input, receive)
            case 0x40...:
                try decodeLiteral(&input, bits: 6, strings, receive)
            case 0x20...:
                guard mayResize else { throw HPACKError("the size of the table changes within a header block (RFC 7541 §4.2)") }
                try resize(&input)
                continue
            default:
                try decodeLiteral(&input, bits: 4, strings, receive)
            }
            mayResize = false
        }
    }

    private mutating func resize(_ input: inout Input) throws(HPACKError) {
        let size = try input.number(bits: 5)
        guard size <= Self.tableSize else {
            throw HPACKError("the table has a size of \(size) bytes, and at most \(Self.tableSize) are permitted (RFC 7541 §6.3)")
        }
        table.resize(to: size)
    }

    private func decodeIndexed(_ input: inout Input, _ receive: Receiver) throws(HPACKError) {
        let index = try input.number(bits: 7)
        guard index > 0 else { throw HPACKError("a field has the index 0 (RFC 7541 §6.1)") }
        if index <= HPACKStaticTable.count {
            let field = HPACKStaticTable.fields[index - 1]
            receive(field.nameBytes, field.valueBytes)
        } else {
            table.withEntry(try position(index), receive)
        }
    }

    /// - Parameter bits: How many bits of the first byte belong to the index: 6 if the field is added to the table, otherwise 4.
    private mutating func decodeLiteral(
        _ input: inout Input, bits: Int, _ strings: UnsafeMutableRawBufferPointer, _ receive: Receiver
    ) throws(HPACKError) {
        let index = try input.number(bits: bits)
        var used = 0
        let name: UnsafeRawBufferPointer
        if index == 0 {
            name = try input.string(into: strings, &used)
        } else if index <= HPACKStaticTable.count {
            name = HPACKStaticTable.fields[index - 1].nameBytes
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
    private func position(_ index: Int) throws(HPACKError) -> Int {
        let position = index - HPACKStaticTable.count - 1
        guard position < table.count else {
            throw HPACKError(
                "a field has the index \(index), and the tables have \(HPACKStaticTable.count + table.count) entries (RFC 7541 §2.3.3)"
            )
        }
        return position
    }
}
