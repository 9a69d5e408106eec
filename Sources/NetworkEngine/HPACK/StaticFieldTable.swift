import Foundation
import NetworkSupport

/// The fields that have an index from the start (RFC 7541 Appendix A, RFC 9204 Appendix A).
///
/// Positions are those in ``fields``, from 1 on. 0 is no position.
struct StaticFieldTable: Sendable {
    /// A field name and a value.
    struct Field: Sendable {
        let name: StaticString
        let value: StaticString

        var nameBytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount) }
        var valueBytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: value.utf8Start, count: value.utf8CodeUnitCount) }
    }

    let fields: [Field]
    /// For each length of a name, the offsets in ``fields`` of the names of that length.
    private let offsets: [[Int]]

    init(_ fields: [(StaticString, StaticString)]) {
        self.fields = fields.map { Field(name: $0.0, value: $0.1) }
        let longest = fields.map(\.0.utf8CodeUnitCount).max() ?? 0
        offsets = fields.indices.reduce(into: Array(repeating: [], count: longest + 1)) { lists, offset in
            lists[fields[offset].0.utf8CodeUnitCount].append(offset)
        }
    }

    /// The number of fields.
    var count: Int { fields.count }

    /// Returns the position of the first field with a name, if no field with that name has a value; `nil` if some have.
    ///
    /// - Returns: The position; 0 if no field has the name.
    func position(ofNameWithoutValue name: UnsafeRawBufferPointer) -> Int? {
        guard name.count < offsets.count else { return 0 }
        let found = offsets[name.count].filter { fields[$0].nameBytes.isSame(name) }
        guard found.allSatisfy({ fields[$0].value.utf8CodeUnitCount == 0 }) else { return nil }
        return found.first.map { $0 + 1 } ?? 0
    }

    /// Returns the position of a field, or of the first field with its name.
    ///
    /// - Returns: The position, and whether the value is the same; `nil` if no field has the name.
    func position(of name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> (position: Int, hasValue: Bool)? {
        guard name.count < offsets.count else { return nil }
        var found: Int?
        for offset in offsets[name.count] where fields[offset].nameBytes.isSame(name) {
            if fields[offset].valueBytes.isSame(value) { return (offset + 1, true) }
            found = found ?? offset + 1
        }
        return found.map { ($0, false) }
    }
}

extension UnsafeRawBufferPointer {
    /// Whether the bytes are the same.
    @inline(__always) func isSame(_ other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        guard let start = baseAddress, let otherStart = other.baseAddress else { return true }
        return memcmp(start, otherStart, count) == 0
    }
}
