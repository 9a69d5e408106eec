/// The decoder of one value, and its single-value container. Its 16 bytes fit into an existential without a box.
struct ValueDecoder: Decoder, SingleValueDecodingContainer {
    private let owner: SessionOwner
    private let position: UInt32
    private let level: UInt32

    @inline(__always)
    init(owner: SessionOwner, index: Int, depth: Int) {
        self.owner = owner
        position = UInt32(truncatingIfNeeded: index)
        level = UInt32(truncatingIfNeeded: depth)
    }

    @inline(__always) private var session: DecodingSession { owner.session }
    @inline(__always) private var index: Int { Int(position) }
    @inline(__always) private var depth: Int { Int(level) }

    var codingPath: [any CodingKey] { session.path(to: index, depth: depth) }
    var userInfo: [CodingUserInfoKey: Any] { session.options.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        try session.keyedContainer(type, index, depth)
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { try session.unkeyedContainer(index, depth) }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    private var place: DecodingPlace {
        @inline(never) get { DecodingPlace(index: index, depth: depth) }
    }

    func decodeNil() -> Bool { session.isNull(index) }

    func decode<T: Decodable>(_ type: T.Type) throws -> T { try session.decode(type, index, depth, place) }

    func decode(_ type: Bool.Type) throws -> Bool { try session.readBool(index, place) }

    func decode(_ type: String.Type) throws -> String { try session.readString(index, place) }

    func decode(_ type: Double.Type) throws -> Double { try session.readDouble(index, place) }

    func decode(_ type: Float.Type) throws -> Float { try session.readFloat(index, place) }

    func decode(_ type: Int.Type) throws -> Int { try session.readInteger(Int.self, index, place) }

    func decode(_ type: Int8.Type) throws -> Int8 { try session.readInteger(Int8.self, index, place) }

    func decode(_ type: Int16.Type) throws -> Int16 { try session.readInteger(Int16.self, index, place) }

    func decode(_ type: Int32.Type) throws -> Int32 { try session.readInteger(Int32.self, index, place) }

    func decode(_ type: Int64.Type) throws -> Int64 { try session.readInteger(Int64.self, index, place) }

    func decode(_ type: UInt.Type) throws -> UInt { try session.readInteger(UInt.self, index, place) }

    func decode(_ type: UInt8.Type) throws -> UInt8 { try session.readInteger(UInt8.self, index, place) }

    func decode(_ type: UInt16.Type) throws -> UInt16 { try session.readInteger(UInt16.self, index, place) }

    func decode(_ type: UInt32.Type) throws -> UInt32 { try session.readInteger(UInt32.self, index, place) }

    func decode(_ type: UInt64.Type) throws -> UInt64 { try session.readInteger(UInt64.self, index, place) }

    @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
    func decode(_ type: Int128.Type) throws -> Int128 { try session.readInteger(Int128.self, index, place) }

    @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
    func decode(_ type: UInt128.Type) throws -> UInt128 { try session.readInteger(UInt128.self, index, place) }
}

extension DecodingSession {
    /// A container for the object at `index`.
    @inline(__always)
    func keyedContainer<Key: CodingKey>(_ type: Key.Type, _ index: Int, _ depth: Int) throws -> KeyedDecodingContainer<Key> {
        guard tape[index].is(.object) else { throw notContainer([String: Any].self, "keyed", index, depth) }
        try checkStack()
        let address = BoxPool<KeyedState>.address(type)
        guard let entry = storage.pointee.containers.take(address) else { return newContainer(type, address, index, depth) }
        entry.pointee.state.pointee.begin(container: index, depth: depth)
        // A load instead of `unsafeBitCast`, which looks up metadata to compare the sizes. `newContainer` has compared them.
        return UnsafeRawPointer(entry).assumingMemoryBound(to: KeyedDecodingContainer<Key>.self).pointee
    }

    @inline(never)
    private func newContainer<Key: CodingKey>(_ type: Key.Type, _ address: UInt, _ index: Int, _ depth: Int)
        -> KeyedDecodingContainer<Key>
    {
        let state = UnsafeMutablePointer<KeyedState>.allocate(capacity: 1)
        state.initialize(to: KeyedState(self))
        state.pointee.begin(container: index, depth: depth)
        let container = KeyedDecodingContainer(KeyedContainer<Key>(state: state))
        // The box is the only stored property of the standard library's struct.
        precondition(MemoryLayout<KeyedDecodingContainer<Key>>.size == MemoryLayout<AnyObject>.size)
        storage.pointee.containers.add(unsafeBitCast(container, to: BoxReference.self), state, address)
        return container
    }

    /// A container for the array at `index`.
    @inline(__always)
    func unkeyedContainer(_ index: Int, _ depth: Int) throws -> any UnkeyedDecodingContainer {
        guard tape[index].is(.array) else { throw notContainer([Any].self, "unkeyed", index, depth) }
        try checkStack()
        return UnkeyedContainer(owner: owner, index: index, depth: depth)
    }
}
