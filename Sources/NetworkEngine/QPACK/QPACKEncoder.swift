import NetworkSupport

/// Encodes the field sections of one direction of a connection over HTTP/3 (RFC 9204), with the static table and literals.
///
/// Nothing is added to a dynamic table, so that no section waits for another stream (§2.1.2), and no encoder stream is needed.
struct QPACKEncoder: FieldEncoder {
    static var staticTable: StaticFieldTable { .qpack }

    init() {}

    /// Begins a section: appends its prefix, which refers to no dynamic table (RFC 9204 §4.5.1).
    mutating func begin(_ output: inout [UInt8]) {
        output.append(0)
        output.append(0)
    }

    /// Appends a field of the static table (RFC 9204 §4.5.2).
    static func append(known position: Int, to output: inout [UInt8]) {
        output.append(number: position - 1, bits: 6, 0xC0)
    }

    /// Appends a literal (RFC 9204 §4.5.4, §4.5.6).
    ///
    /// One that is never indexed contains its name: servers with quic-go refuse a reference to a name with this bit ("no dynamic table", Caddy 2.6).
    mutating func append(
        _ name: UnsafeRawBufferPointer, at position: Int, _ value: UnsafeRawBufferPointer, _ indexing: FieldIndexing,
        to output: inout [UInt8]
    ) {
        if indexing == .never {
            output.append(string: name, bits: 3, 0x30)
        } else if position > 0 {
            output.append(number: position - 1, bits: 4, 0x50)
        } else {
            output.append(string: name, bits: 3, 0x20)
        }
        output.append(string: value)
    }
}
