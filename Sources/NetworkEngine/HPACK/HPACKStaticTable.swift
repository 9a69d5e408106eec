import Foundation
import NetworkSupport

/// The fields that have an index from the start (RFC 7541 Appendix A).
enum HPACKStaticTable {
    /// A field name and a value.
    struct Field: Sendable {
        let name: StaticString
        let value: StaticString

        var nameBytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount) }
        var valueBytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: value.utf8Start, count: value.utf8CodeUnitCount) }
    }

    /// The number of fields. The field with index 1 comes first.
    static let count = fields.count

    static let fields: [Field] = [
        (":authority", ""), (":method", "GET"), (":method", "POST"), (":path", "/"), (":path", "/index.html"),
        (":scheme", "http"), (":scheme", "https"), (":status", "200"), (":status", "204"), (":status", "206"),
        (":status", "304"), (":status", "400"), (":status", "404"), (":status", "500"), ("accept-charset", ""),
        ("accept-encoding", "gzip, deflate"), ("accept-language", ""), ("accept-ranges", ""), ("accept", ""),
        ("access-control-allow-origin", ""), ("age", ""), ("allow", ""), ("authorization", ""), ("cache-control", ""),
        ("content-disposition", ""), ("content-encoding", ""), ("content-language", ""), ("content-length", ""),
        ("content-location", ""), ("content-range", ""), ("content-type", ""), ("cookie", ""), ("date", ""), ("etag", ""),
        ("expect", ""), ("expires", ""), ("from", ""), ("host", ""), ("if-match", ""), ("if-modified-since", ""),
        ("if-none-match", ""), ("if-range", ""), ("if-unmodified-since", ""), ("last-modified", ""), ("link", ""),
        ("location", ""), ("max-forwards", ""), ("proxy-authenticate", ""), ("proxy-authorization", ""), ("range", ""),
        ("referer", ""), ("refresh", ""), ("retry-after", ""), ("server", ""), ("set-cookie", ""),
        ("strict-transport-security", ""), ("transfer-encoding", ""), ("user-agent", ""), ("vary", ""), ("via", ""),
        ("www-authenticate", ""),
    ].map { Field(name: $0.0, value: $0.1) }

    /// For each length of a name, the positions in ``fields`` of the names of that length.
    private static let positions: [[Int]] = fields.indices.reduce(into: Array(repeating: [], count: 32)) { lists, position in
        lists[fields[position].name.utf8CodeUnitCount].append(position)
    }

    /// Returns the index of the first field with a name, if no field with that name has a value; `nil` if some have.
    ///
    /// - Returns: The index, from 1 on; 0 if no field has the name.
    static func index(ofNameWithoutValue name: UnsafeRawBufferPointer) -> Int? {
        guard name.count < positions.count else { return 0 }
        let found = positions[name.count].filter { fields[$0].nameBytes.isSame(name) }
        guard found.allSatisfy({ fields[$0].value.utf8CodeUnitCount == 0 }) else { return nil }
        return found.first.map { $0 + 1 } ?? 0
    }

    /// Returns the index of a field, or of the first field with its name.
    ///
    /// - Returns: The index, from 1 on, and whether the value is the same; `nil` if no field has the name.
    static func index(of name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> (index: Int, hasValue: Bool)? {
        guard name.count < positions.count else { return nil }
        var found: Int?
        for position in positions[name.count] where fields[position].nameBytes.isSame(name) {
            if fields[position].valueBytes.isSame(value) { return (position + 1, true) }
            found = found ?? position + 1
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
