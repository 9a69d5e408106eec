import NetworkSupport

/// Encodes the header blocks of one direction of a connection over HTTP/2 (RFC 7541).
struct HPACKEncoder: FieldEncoder {
    /// The largest table that is used, whatever the peer permits.
    static let maximumTableSize = 4096

    static var staticTable: StaticFieldTable { .hpack }

    private var table = HPACKDynamicTable(maximumSize: maximumTableSize)
    /// The smallest and the last size that was set since the last block, which the next one announces (RFC 7541 §4.2).
    private var newSizes: (smallest: Int, last: Int)?

    /// Takes the size that the peer permits (SETTINGS_HEADER_TABLE_SIZE).
    mutating func limitTable(to size: Int) {
        let size = min(size, Self.maximumTableSize)
        guard size != table.maximumSize || newSizes != nil else { return }
        newSizes = (min(size, newSizes?.smallest ?? table.maximumSize), size)
        table.resize(to: size)
    }

    /// Begins a block: appends the announcement of a new size of the table.
    mutating func begin(_ output: inout [UInt8]) {
        guard let (smallest, last) = newSizes else { return }
        newSizes = nil
        if smallest < last { output.append(number: smallest, bits: 5, 0x20) }
        output.append(number: last, bits: 5, 0x20)
    }

    /// Appends a field of the static table (RFC 7541 §6.1).
    static func append(known position: Int, to output: inout [UInt8]) {
        output.append(number: position, bits: 7, 0x80)
    }

    /// Appends a field that is not in the static table with this value (RFC 7541 §6.2), or is in the dynamic one.
    mutating func append(
        _ name: UnsafeRawBufferPointer, at position: Int, _ value: UnsafeRawBufferPointer, _ indexing: FieldIndexing,
        to output: inout [UInt8]
    ) {
        var index = position
        if indexing == .added, let entry = table.index(of: name, value) {
            let position = StaticFieldTable.hpack.count + 1 + entry.index
            if entry.hasValue { return output.append(number: position, bits: 7, 0x80) }
            if index == 0 { index = position }
        }
        switch indexing {
        case .added: output.append(number: index, bits: 6, 0x40)
        case .omitted: output.append(number: index, bits: 4, 0)
        case .never: output.append(number: index, bits: 4, 0x10)
        }
        if index == 0 { output.append(string: name) }
        output.append(string: value)
        if indexing == .added { table.insert(name, value) }
    }
}
