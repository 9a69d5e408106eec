import NetworkSupport

/// Encodes the header blocks of one direction of a connection: HPACK (RFC 7541) or QPACK (RFC 9204).
protocol FieldEncoder: Sendable {
    /// The fields that have an index from the start.
    static var staticTable: StaticFieldTable { get }

    init()

    /// Begins a block.
    mutating func begin(_ output: inout [UInt8])

    /// Appends a field of the static table.
    ///
    /// - Parameter position: Its position, from 1 on.
    static func append(known position: Int, to output: inout [UInt8])

    /// Appends a field that is not in the static table with this value.
    ///
    /// - Parameters:
    ///   - name: A lowercase name.
    ///   - position: The position of the name in the static table, from 1 on; 0 if the table does not have the name.
    mutating func append(
        _ name: UnsafeRawBufferPointer, at position: Int, _ value: UnsafeRawBufferPointer, _ indexing: FieldIndexing,
        to output: inout [UInt8])
}

extension FieldEncoder {
    /// Appends a field.
    ///
    /// - Parameters:
    ///   - name: A lowercase name.
    mutating func append(
        _ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, _ indexing: FieldIndexing, to output: inout [UInt8]
    ) {
        let known = Self.staticTable.position(of: name, value)
        if indexing != .never, let known, known.hasValue { return Self.append(known: known.position, to: &output) }
        append(name, at: known?.position ?? 0, value, indexing, to: &output)
    }
}

/// How a field is encoded (RFC 7541 §6.2, RFC 9204 §4.5.4).
enum FieldIndexing: Sendable {
    /// Added to the table, if there is one, so that the next block refers to it with one or two bytes.
    case added
    /// Not added: its value is rarely sent again.
    case omitted
    /// Never added, also not by an intermediary: a secret, whose length and repetitions must not show in the sizes of
    /// blocks (RFC 7541 §7.1.3, RFC 9204 §7.1.3).
    case never
}

extension [UInt8] {
    /// Appends a number (RFC 7541 §5.1).
    ///
    /// - Parameter first: The higher bits of the first byte.
    mutating func append(number: Int, bits: Int, _ first: UInt8) {
        let mask = 1 << bits - 1
        guard number >= mask else { return append(first | UInt8(number)) }
        append(first | UInt8(mask))
        var rest = number - mask
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(rest))
    }

    /// Appends a string in the shorter of its two forms (RFC 7541 §5.2).
    ///
    /// - Parameters:
    ///   - bits: The number of bits of the first byte that belong to the length. The next higher one says whether the string is
    ///     encoded. Default: 7.
    ///   - first: The bits above that one. Default: 0.
    mutating func append(string: UnsafeRawBufferPointer, bits: Int = 7, _ first: UInt8 = 0) {
        let encoded = HPACKHuffman.shared.encodedBytes(of: string)
        guard encoded < string.count else {
            append(number: string.count, bits: bits, first)
            return append(contentsOf: string)
        }
        append(number: encoded, bits: bits, first | 1 << UInt8(bits))
        let start = count
        append(contentsOf: repeatElement(0, count: encoded))
        withUnsafeMutableBytes {
            HPACKHuffman.shared.encode(string, into: UnsafeMutableRawBufferPointer(rebasing: $0[start...]))
        }
    }
}
