import NetworkSupport

/// Encodes the header blocks of one direction of a connection (RFC 7541).
struct HPACKEncoder: Sendable {
    /// How a field is encoded (RFC 7541 §6.2).
    enum Indexing: Sendable {
        /// Added to the table, so that the next block refers to it with one or two bytes.
        case added
        /// Not added: its value is rarely sent again.
        case omitted
        /// Never added, also not by an intermediary: a secret, whose length and repetitions must not show in the sizes of
        /// blocks (§7.1.3).
        case never
    }

    /// The largest table that is used, whatever the peer permits.
    static let maximumTableSize = 4096

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
        if smallest < last { Self.append(smallest, bits: 5, 0x20, to: &output) }
        Self.append(last, bits: 5, 0x20, to: &output)
    }

    /// Appends a field of the static table.
    ///
    /// - Parameter index: The position in RFC 7541 Appendix A.
    static func append(known index: Int, to output: inout [UInt8]) {
        append(index, bits: 7, 0x80, to: &output)
    }

    /// Appends a field.
    ///
    /// - Parameters:
    ///   - name: A lowercase name.
    mutating func append(
        _ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, _ indexing: Indexing, to output: inout [UInt8]
    ) {
        let known = HPACKStaticTable.index(of: name, value)
        if indexing != .never, let known, known.hasValue { return Self.append(known: known.index, to: &output) }
        append(name, at: known?.index ?? 0, value, indexing, to: &output)
    }

    /// Appends a field that is not in the static table with this value.
    ///
    /// - Parameter staticIndex: The position of the name in the static table; 0 if the table does not have the name.
    mutating func append(
        _ name: UnsafeRawBufferPointer, at staticIndex: Int, _ value: UnsafeRawBufferPointer, _ indexing: Indexing,
        to output: inout [UInt8]
    ) {
        var index = staticIndex
        if indexing == .added, let entry = table.index(of: name, value) {
            let position = HPACKStaticTable.count + 1 + entry.index
            if entry.hasValue { return Self.append(position, bits: 7, 0x80, to: &output) }
            if index == 0 { index = position }
        }
        switch indexing {
        case .added: Self.append(index, bits: 6, 0x40, to: &output)
        case .omitted: Self.append(index, bits: 4, 0, to: &output)
        case .never: Self.append(index, bits: 4, 0x10, to: &output)
        }
        if index == 0 { Self.append(name, to: &output) }
        Self.append(value, to: &output)
        if indexing == .added { table.insert(name, value) }
    }

    /// Appends a number (RFC 7541 §5.1).
    ///
    /// - Parameter first: The higher bits of the first byte.
    private static func append(_ number: Int, bits: Int, _ first: UInt8, to output: inout [UInt8]) {
        let mask = 1 << bits - 1
        guard number >= mask else { return output.append(first | UInt8(number)) }
        output.append(first | UInt8(mask))
        var rest = number - mask
        while rest >= 0x80 {
            output.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        output.append(UInt8(rest))
    }

    /// Appends a string in the shorter of its two forms (RFC 7541 §5.2).
    private static func append(_ string: UnsafeRawBufferPointer, to output: inout [UInt8]) {
        let encoded = HPACKHuffman.shared.encodedBytes(of: string)
        guard encoded < string.count else {
            append(string.count, bits: 7, 0, to: &output)
            return output.append(contentsOf: string)
        }
        append(encoded, bits: 7, 0x80, to: &output)
        let start = output.count
        output.append(contentsOf: repeatElement(0, count: encoded))
        output.withUnsafeMutableBytes {
            HPACKHuffman.shared.encode(string, into: UnsafeMutableRawBufferPointer(rebasing: $0[start...]))
        }
    }
}
