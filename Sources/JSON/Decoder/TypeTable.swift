import Foundation

/// Stores how each type is decoded and encoded. It is determined once per type and session, and looked up by the address of the type's metadata.
struct TypeTable {
    enum Way: UInt8 {
        /// With its `init(from:)` and `encode(to:)`.
        case generic
        case date, data, url, uuid, decimal
        case bool, string, double, float
        case int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64
        case ints, doubles, strings
        case stringsByKey, intsByKey, doublesByKey
        /// Any other array, or any other dictionary with string keys.
        case collection
    }

    struct Entry {
        var type: UInt
        var way: Way
        /// Whether it is a dictionary with string keys.
        var isObject = false
        var collection: (any DirectCollection.Type)?
        /// Whether it is an array.
        var isArray: Bool { collection != nil && !isObject }
        var encodable: (any DirectlyEncodable.Type)?
    }

    private var slots: UnsafeMutablePointer<Entry>
    private var capacity = 128
    private var count = 0

    init() {
        slots = .allocate(capacity: capacity)
        slots.initialize(repeating: Entry(type: 0, way: .generic), count: capacity)
    }

    func deallocate() { slots.deallocate() }

    @inline(__always)
    mutating func entry<T>(_ type: T.Type) -> UnsafeMutablePointer<Entry> {
        let address = UInt(bitPattern: unsafeBitCast(type, to: UnsafeRawPointer.self))
        let mask = capacity &- 1
        var i = Int(truncatingIfNeeded: (UInt64(address) &* 0x9E37_79B9_7F4A_7C15) >> 40) & mask
        while true {
            if slots[i].type == address { return slots + i }
            if slots[i].type == 0 { return add(type, address) }
            i = (i &+ 1) & mask
        }
    }

    @inline(never)
    private mutating func add(_ type: Any.Type, _ address: UInt) -> UnsafeMutablePointer<Entry> {
        if count * 2 >= capacity { grow() }
        let mask = capacity &- 1
        var i = Int(truncatingIfNeeded: (UInt64(address) &* 0x9E37_79B9_7F4A_7C15) >> 40) & mask
        while slots[i].type != 0 { i = (i &+ 1) & mask }
        let known = Self.ways[ObjectIdentifier(type)]
        let collection = type as? any DirectCollection.Type
        let encodable = type as? any DirectlyEncodable.Type
        slots[i] = Entry(
            type: address, way: known ?? (collection == nil && encodable == nil ? .generic : .collection),
            isObject: collection?.isObject ?? false, collection: collection, encodable: encodable)
        count += 1
        return slots + i
    }

    private mutating func grow() {
        let (old, oldCapacity) = (slots, capacity)
        capacity *= 2
        slots = .allocate(capacity: capacity)
        slots.initialize(repeating: Entry(type: 0, way: .generic), count: capacity)
        for j in 0..<oldCapacity where old[j].type != 0 {
            var i = Int(truncatingIfNeeded: (UInt64(old[j].type) &* 0x9E37_79B9_7F4A_7C15) >> 40) & (capacity - 1)
            while slots[i].type != 0 { i = (i + 1) & (capacity - 1) }
            slots[i] = old[j]
        }
        old.deallocate()
    }

    private static let ways: [ObjectIdentifier: Way] = [
        ObjectIdentifier(Date.self): .date, ObjectIdentifier(Data.self): .data, ObjectIdentifier(URL.self): .url,
        ObjectIdentifier(UUID.self): .uuid, ObjectIdentifier(Decimal.self): .decimal,
        ObjectIdentifier(Bool.self): .bool, ObjectIdentifier(String.self): .string,
        ObjectIdentifier(Double.self): .double, ObjectIdentifier(Float.self): .float,
        ObjectIdentifier(Int.self): .int, ObjectIdentifier(Int8.self): .int8, ObjectIdentifier(Int16.self): .int16,
        ObjectIdentifier(Int32.self): .int32, ObjectIdentifier(Int64.self): .int64, ObjectIdentifier(UInt.self): .uint,
        ObjectIdentifier(UInt8.self): .uint8, ObjectIdentifier(UInt16.self): .uint16,
        ObjectIdentifier(UInt32.self): .uint32, ObjectIdentifier(UInt64.self): .uint64,
        ObjectIdentifier([Int].self): .ints, ObjectIdentifier([Double].self): .doubles, ObjectIdentifier([String].self): .strings,
        ObjectIdentifier([String: String].self): .stringsByKey, ObjectIdentifier([String: Int].self): .intsByKey,
        ObjectIdentifier([String: Double].self): .doublesByKey,
    ]
}
