/// The encoder of one value, and its single-value container. Its 16 bytes fit into an existential without a box.
struct ValueEncoder: Encoder, SingleValueEncodingContainer {
    private let owner: EncodingOwner
    /// The number of the value. It can be written while it is the session's `fresh` value.
    private let value: UInt32
    private let level: UInt32

    @inline(__always)
    init(owner: EncodingOwner, value: UInt32, level: Int) {
        self.owner = owner
        self.value = value
        self.level = UInt32(truncatingIfNeeded: level)
    }

    @inline(__always) private var session: EncodingSession { owner.session }

    var codingPath: [any CodingKey] { session.path(to: Int(level)) }
    var userInfo: [CodingUserInfoKey: Any] { session.options.userInfo }

    /// Whether nothing has been written for this value.
    @inline(__always)
    private func begin() throws(NestingError) -> Bool {
        let storage = session.storage
        guard storage.pointee.fresh == value, value != 0, storage.pointee.out.count == storage.pointee.freshStart else {
            return try session.invalid()
        }
        storage.pointee.fresh = 0
        return true
    }

    /// The level of this value's container, which is opened if it is not open.
    @inline(__always)
    private func container(object: Bool) -> Int? {
        let storage = session.storage
        if storage.pointee.fresh == value, value != 0, storage.pointee.out.count == storage.pointee.freshStart {
            if let level = session.open(object: object, value: value) { return level }
        }
        return openedBefore(object: object)
    }

    @inline(never)
    private func openedBefore(object: Bool) -> Int? {
        let level = Int(level)
        if value != 0, level < session.depth, session.levels[level].value == value, session.levels[level].isObject == object {
            return level
        }
        session.abandon()
        return nil
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        session.keyedContainer(type, container(object: true))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { session.unkeyedContainer(container(object: false)) }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    func encodeNil() throws { if try begin() { session.writeNull() } }

    func encode<T: Encodable>(_ value: T) throws {
        guard try begin() else { return }
        if try !session.encode(value) { session.writeNothing() }
    }

    func encode(_ value: Bool) throws { if try begin() { session.write(value) } }

    func encode(_ value: String) throws { if try begin() { session.write(value) } }

    func encode(_ value: Double) throws { if try begin() { try session.write(value) { session.path } } }

    func encode(_ value: Float) throws { if try begin() { try session.write(value) { session.path } } }

    func encode(_ value: Int) throws { if try begin() { session.write(integer: value) } }

    func encode(_ value: Int8) throws { if try begin() { session.write(integer: value) } }

    func encode(_ value: Int16) throws { if try begin() { session.write(integer: value) } }

    func encode(_ value: Int32) throws { if try begin() { session.write(integer: value) } }

    func encode(_ value: Int64) throws { if try begin() { session.write(integer: value) } }

    func encode(_ value: UInt) throws { if try begin() { session.write(integer: value) } }

    func encode(_ value: UInt8) throws { if try begin() { session.write(integer: value) } }

    func encode(_ value: UInt16) throws { if try begin() { session.write(integer: value) } }

    func encode(_ value: UInt32) throws { if try begin() { session.write(integer: value) } }

    func encode(_ value: UInt64) throws { if try begin() { session.write(integer: value) } }

    @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
    func encode(_ value: Int128) throws { if try begin() { session.write(integer: value) } }

    @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
    func encode(_ value: UInt128) throws { if try begin() { session.write(integer: value) } }
}

extension EncodingSession {
    /// A container that writes to the open object at `level`, or discards everything if `level` is nil.
    @inline(__always)
    func keyedContainer<Key: CodingKey>(_ type: Key.Type, _ level: Int?) -> KeyedEncodingContainer<Key> {
        let level = level ?? lost()
        let address = BoxPool<KeyedEncodingState>.address(type)
        guard let entry = storage.pointee.containers.take(address) else { return newContainer(type, address, level) }
        entry.pointee.state.pointee.level = level
        entry.pointee.state.pointee.serial = level < depth ? levels[level].serial : 0
        // A load instead of a cast, as in the decoder.
        return UnsafeRawPointer(entry).assumingMemoryBound(to: KeyedEncodingContainer<Key>.self).pointee
    }

    @inline(never)
    private func newContainer<Key: CodingKey>(_ type: Key.Type, _ address: UInt, _ level: Int) -> KeyedEncodingContainer<Key> {
        let state = UnsafeMutablePointer<KeyedEncodingState>.allocate(capacity: 1)
        state.initialize(to: KeyedEncodingState(session: self, level: level, serial: level < depth ? levels[level].serial : 0))
        let container = KeyedEncodingContainer(KeyedEncoder<Key>(state: state))
        precondition(MemoryLayout<KeyedEncodingContainer<Key>>.size == MemoryLayout<AnyObject>.size)
        storage.pointee.containers.add(unsafeBitCast(container, to: BoxReference.self), state, address)
        return container
    }

    /// A container that writes to the open array at `level`, or discards everything if `level` is nil.
    @inline(__always)
    func unkeyedContainer(_ level: Int?) -> any UnkeyedEncodingContainer {
        let level = level ?? lost()
        return UnkeyedEncoder(owner: owner, level: level, serial: level < depth ? levels[level].serial : 0)
    }

    /// Abandons the call, and returns a level that is never open.
    @inline(never)
    private func lost() -> Int {
        abandon()
        return NestingLimit.maximumDepth + 1
    }
}
