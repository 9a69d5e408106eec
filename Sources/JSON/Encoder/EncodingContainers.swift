/// The object that a keyed encoding container writes to.
struct KeyedEncodingState: BoxState {
    let session: EncodingSession
    var level = 0
    var serial: UInt32 = 0

    func deallocate() {}
}

/// The encoding container of an object. It is one word, so that its box can be pooled (``BoxPool``).
struct KeyedEncoder<Key: CodingKey>: KeyedEncodingContainerProtocol {
    /// The state, which the pool owns.
    let state: UnsafeMutablePointer<KeyedEncodingState>

    @inline(__always) private var session: EncodingSession { state.pointee.session }

    var codingPath: [any CodingKey] { session.path(to: state.pointee.level) }

    /// Writes a key.
    ///
    /// - Returns: False if the call is abandoned.
    /// - Throws: ``NestingError`` if it is abandoned for that reason.
    @inline(__always)
    private func begin(_ key: some CodingKey) throws(NestingError) -> Bool {
        try session.member(session.name(key, state.pointee.level), state.pointee.level, state.pointee.serial)
    }

    /// ``begin(_:)`` as a call, for the less common types: the code in each of their functions would take long to compile.
    @inline(never)
    private func sharedBegin(_ key: Key) throws(NestingError) -> Bool { try begin(key) }

    /// Writes a key and its value, or neither if the value fails.
    @inline(__always)
    private func member(_ key: Key, _ write: () throws -> Void) throws {
        let mark = session.storage.pointee.out.count
        let isOpen = session.depth == state.pointee.level &+ 1
        guard try begin(key) else { return }
        do {
            try withUnsafePointer(to: key) { pointer in
                session.levels[state.pointee.level].keyType = Key.self
                session.levels[state.pointee.level].key = UnsafeRawPointer(pointer)
                session.levels[state.pointee.level].keptKey = -1
                try write()
            }
            session.levels[state.pointee.level].key = nil
        } catch {
            session.levels[state.pointee.level].key = nil
            // If writing the key has closed an inner container, the text after `mark` contains its end, and cannot be removed.
            if isOpen {
                session.rollBack(to: mark, state.pointee.level, state.pointee.serial, key: session.name(key, state.pointee.level))
            } else {
                session.abandon()
            }
            throw error
        }
    }

    mutating func encodeNil(forKey key: Key) throws { if try sharedBegin(key) { session.writeNull() } }

    mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        try member(key) {
            if try !session.encode(value) { session.writeNothing() }
        }
    }

    mutating func encode(_ value: Bool, forKey key: Key) throws { if try begin(key) { session.write(value) } }

    mutating func encode(_ value: String, forKey key: Key) throws { if try begin(key) { session.write(value) } }

    mutating func encode(_ value: Double, forKey key: Key) throws {
        guard value.isFinite else { return try member(key) { try session.write(value) { session.path } } }
        if try begin(key) { session.storage.pointee.out.appendDouble(value) }
    }

    mutating func encode(_ value: Float, forKey key: Key) throws {
        try member(key) { try session.write(value) { session.path } }
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        session.keyedContainer(type, nested(key, object: true))
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        session.unkeyedContainer(nested(key, object: false))
    }

    mutating func superEncoder() -> any Encoder { encoder(JSONKey.super) }

    mutating func superEncoder(forKey key: Key) -> any Encoder { encoder(key) }

    /// Writes a key, and keeps it for the coding path of a nested container or super encoder.
    @inline(never)
    private func keep(_ key: some CodingKey) -> Bool {
        guard (try? begin(key)) == true else { return false }
        session.levels[state.pointee.level].keptKey = session.storage.pointee.keptKeys.count
        session.storage.pointee.keptKeys.append(key)
        return true
    }

    private func nested(_ key: Key, object: Bool) -> Int? {
        guard keep(key) else { return nil }
        return session.open(object: object, value: 0)
    }

    private func encoder(_ key: some CodingKey) -> any Encoder {
        guard keep(key) else { return ValueEncoder(owner: session.owner, value: 0, level: 0) }
        // Its value is expected next. If another value is written first, the call is abandoned.
        let value = session.nextSerial()
        session.storage.pointee.fresh = value
        session.storage.pointee.freshStart = session.storage.pointee.out.count
        session.storage.pointee.pending = value
        return ValueEncoder(owner: session.owner, value: value, level: session.depth)
    }

    mutating func encode(_ value: Int, forKey key: Key) throws { if try begin(key) { session.write(integer: value) } }

    mutating func encode(_ value: Int8, forKey key: Key) throws { if try sharedBegin(key) { session.write(integer: value) } }

    mutating func encode(_ value: Int16, forKey key: Key) throws { if try sharedBegin(key) { session.write(integer: value) } }

    mutating func encode(_ value: Int32, forKey key: Key) throws { if try sharedBegin(key) { session.write(integer: value) } }

    mutating func encode(_ value: Int64, forKey key: Key) throws { if try begin(key) { session.write(integer: value) } }

    mutating func encode(_ value: UInt, forKey key: Key) throws { if try sharedBegin(key) { session.write(integer: value) } }

    mutating func encode(_ value: UInt8, forKey key: Key) throws { if try sharedBegin(key) { session.write(integer: value) } }

    mutating func encode(_ value: UInt16, forKey key: Key) throws { if try sharedBegin(key) { session.write(integer: value) } }

    mutating func encode(_ value: UInt32, forKey key: Key) throws { if try begin(key) { session.write(integer: value) } }

    mutating func encode(_ value: UInt64, forKey key: Key) throws { if try begin(key) { session.write(integer: value) } }

    @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
    mutating func encode(_ value: Int128, forKey key: Key) throws { if try sharedBegin(key) { session.write(integer: value) } }

    @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
    mutating func encode(_ value: UInt128, forKey key: Key) throws { if try sharedBegin(key) { session.write(integer: value) } }
}

/// The encoding container of an array. It fits into an existential without a box.
struct UnkeyedEncoder: UnkeyedEncodingContainer {
    private let owner: EncodingOwner
    private let level: UInt32
    private let serial: UInt32

    init(owner: EncodingOwner, level: Int, serial: UInt32) {
        self.owner = owner
        self.level = UInt32(truncatingIfNeeded: level)
        self.serial = serial
    }

    @inline(__always) private var session: EncodingSession { owner.session }

    /// Whether the array is open.
    private var isOpen: Bool { Int(level) < session.depth && session.levels[Int(level)].serial == serial }

    var codingPath: [any CodingKey] { session.path(to: Int(level)) }

    var count: Int { isOpen ? session.levels[Int(level)].count : 0 }

    @inline(__always)
    private func begin() throws(NestingError) -> Bool { try session.element(Int(level), serial) }

    /// ``begin()`` as a call, for the less common types.
    @inline(never)
    private func sharedBegin() throws(NestingError) -> Bool { try begin() }

    /// Writes an element, or nothing if its value fails to encode.
    @inline(__always)
    private func element(_ write: () throws -> Void) throws {
        let mark = session.storage.pointee.out.count
        let isOnTop = session.depth == Int(level) &+ 1
        guard try begin() else { return }
        do {
            session.levels[Int(level)].keyType = nil
            session.levels[Int(level)].keptKey = -1
            try write()
        } catch {
            if isOnTop { session.rollBack(to: mark, Int(level), serial, key: nil) } else { session.abandon() }
            throw error
        }
    }

    mutating func encodeNil() throws { if try begin() { session.writeNull() } }

    mutating func encode<T: Encodable>(_ value: T) throws {
        try element {
            if try !session.encode(value) { session.writeNothing() }
        }
    }

    mutating func encode(_ value: Bool) throws { if try begin() { session.write(value) } }

    mutating func encode(_ value: String) throws { if try begin() { session.write(value) } }

    mutating func encode(_ value: Double) throws {
        guard value.isFinite else { return try element { try session.write(value) { session.path } } }
        if try begin() { session.storage.pointee.out.appendDouble(value) }
    }

    mutating func encode(_ value: Float) throws { try element { try session.write(value) { session.path } } }

    mutating func nestedContainer<NestedKey: CodingKey>(keyedBy type: NestedKey.Type) -> KeyedEncodingContainer<NestedKey> {
        session.keyedContainer(type, nested(object: true))
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { session.unkeyedContainer(nested(object: false)) }

    mutating func superEncoder() -> any Encoder {
        // A super encoder may write at any time until it is released.
        session.abandon()
        return ValueEncoder(owner: owner, value: 0, level: 0)
    }

    private func nested(object: Bool) -> Int? {
        guard (try? begin()) == true else { return nil }
        session.levels[Int(level)].keyType = nil
        session.levels[Int(level)].keptKey = -1
        return session.open(object: object, value: 0)
    }

    mutating func encode(_ value: Int) throws { if try begin() { session.write(integer: value) } }

    mutating func encode(_ value: Int8) throws { if try sharedBegin() { session.write(integer: value) } }

    mutating func encode(_ value: Int16) throws { if try sharedBegin() { session.write(integer: value) } }

    mutating func encode(_ value: Int32) throws { if try sharedBegin() { session.write(integer: value) } }

    mutating func encode(_ value: Int64) throws { if try begin() { session.write(integer: value) } }

    mutating func encode(_ value: UInt) throws { if try sharedBegin() { session.write(integer: value) } }

    mutating func encode(_ value: UInt8) throws { if try sharedBegin() { session.write(integer: value) } }

    mutating func encode(_ value: UInt16) throws { if try sharedBegin() { session.write(integer: value) } }

    mutating func encode(_ value: UInt32) throws { if try begin() { session.write(integer: value) } }

    mutating func encode(_ value: UInt64) throws { if try begin() { session.write(integer: value) } }

    @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
    mutating func encode(_ value: Int128) throws { if try sharedBegin() { session.write(integer: value) } }

    @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
    mutating func encode(_ value: UInt128) throws { if try sharedBegin() { session.write(integer: value) } }
}
