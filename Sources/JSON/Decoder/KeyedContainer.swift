/// The decoding container of an object. It is one word, so that its box can be pooled (``BoxPool``).
struct KeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    /// A plain pointer, so that copying the container does not count references. The pool owns the memory.
    let state: UnsafeMutablePointer<KeyedState>

    @inline(__always) private var session: DecodingSession { state.pointee.session }

    var codingPath: [any CodingKey] { session.path(to: state.pointee.container, depth: state.pointee.depth) }

    var allKeys: [Key] { state.pointee.members.compactMap { Key(stringValue: $0.key) } }

    func contains(_ key: Key) -> Bool { state.pointee.find(key.stringValue) >= 0 }

    /// The tape index of a key's value.
    @inline(__always)
    private func value(_ key: Key) throws -> Int {
        let index = state.pointee.find(key.stringValue)
        guard index >= 0 else { throw notFound(key) }
        return index
    }

    /// The tape index of a key's value, or -1 if the key is missing or its value is null.
    @inline(__always)
    private func valueIfPresent(_ key: Key) -> Int {
        let index = state.pointee.find(key.stringValue)
        return index >= 0 && !session.isNull(index) ? index : -1
    }

    /// ``value(_:)`` as a call. The less common types use it, since the search in each of their functions would take long to compile.
    @inline(never)
    private func sharedValue(_ key: Key) throws -> Int { try value(key) }

    @inline(never)
    private func sharedValueIfPresent(_ key: Key) -> Int { valueIfPresent(key) }

    @inline(never)
    private func notFound(_ key: Key) -> DecodingError { session.keyNotFound(key, state.pointee) }

    @inline(never)
    private func place(_ key: Key) -> DecodingPlace {
        DecodingPlace(index: state.pointee.container, depth: state.pointee.depth, last: key)
    }

    /// Records the step to a value, for the coding path.
    @inline(__always)
    private func step(_ value: Int) {
        session.frames[state.pointee.depth] = CodingFrame(Key.self, container: state.pointee.container, value: value)
    }

    func decodeNil(forKey key: Key) throws -> Bool { session.isNull(try sharedValue(key)) }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        let index = try value(key)
        step(index)
        return try session.decode(type, index, state.pointee.depth &+ 1, place(key))
    }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        let index = valueIfPresent(key)
        guard index >= 0 else { return nil }
        step(index)
        return try session.decode(type, index, state.pointee.depth &+ 1, place(key))
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        let index = try value(key)
        step(index)
        return try session.keyedContainer(type, index, state.pointee.depth + 1)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        let index = try value(key)
        step(index)
        return try session.unkeyedContainer(index, state.pointee.depth + 1)
    }

    func superDecoder() throws -> any Decoder { decoder(JSONKey.super) }

    func superDecoder(forKey key: Key) throws -> any Decoder { decoder(key) }

    /// A decoder for a member, or for null if the member is missing.
    private func decoder(_ key: some CodingKey) -> ValueDecoder {
        let index = state.pointee.find(key.stringValue)
        guard index > 0 else {
            let paths = session.storage.pointee.missingPaths.count
            session.storage.pointee.missingPaths.append(codingPath + [key])
            return ValueDecoder(owner: session.owner, index: 0, depth: DecodingSession.missingDepth + paths)
        }
        session.frames[state.pointee.depth] = CodingFrame(Swift.type(of: key), container: state.pointee.container, value: index)
        return ValueDecoder(owner: session.owner, index: index, depth: state.pointee.depth + 1)
    }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
        try session.readBool(try value(key), place(key))
    }

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        let index = valueIfPresent(key)
        return index >= 0 ? try session.readBool(index, place(key)) : nil
    }

    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        try session.readString(try value(key), place(key))
    }

    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        let index = valueIfPresent(key)
        return index >= 0 ? try session.readString(index, place(key)) : nil
    }

    func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
        try session.readDouble(try value(key), place(key))
    }

    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        let index = valueIfPresent(key)
        return index >= 0 ? try session.readDouble(index, place(key)) : nil
    }

    func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
        try session.readFloat(try value(key), place(key))
    }

    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
        let index = valueIfPresent(key)
        return index >= 0 ? try session.readFloat(index, place(key)) : nil
    }

    func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
        try session.readInteger(Int.self, try value(key), place(key))
    }

    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
        let index = valueIfPresent(key)
        return index >= 0 ? try session.readInteger(Int.self, index, place(key)) : nil
    }

    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 {
        try session.readInteger(Int8.self, try sharedValue(key), place(key))
    }

    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? {
        let index = sharedValueIfPresent(key)
        return index >= 0 ? try session.readInteger(Int8.self, index, place(key)) : nil
    }

    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 {
        try session.readInteger(Int16.self, try sharedValue(key), place(key))
    }

    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? {
        let index = sharedValueIfPresent(key)
        return index >= 0 ? try session.readInteger(Int16.self, index, place(key)) : nil
    }

    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 {
        try session.readInteger(Int32.self, try sharedValue(key), place(key))
    }

    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? {
        let index = sharedValueIfPresent(key)
        return index >= 0 ? try session.readInteger(Int32.self, index, place(key)) : nil
    }

    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 {
        try session.readInteger(Int64.self, try value(key), place(key))
    }

    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
        let index = valueIfPresent(key)
        return index >= 0 ? try session.readInteger(Int64.self, index, place(key)) : nil
    }

    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt {
        try session.readInteger(UInt.self, try sharedValue(key), place(key))
    }

    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? {
        let index = sharedValueIfPresent(key)
        return index >= 0 ? try session.readInteger(UInt.self, index, place(key)) : nil
    }

    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 {
        try session.readInteger(UInt8.self, try sharedValue(key), place(key))
    }

    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? {
        let index = sharedValueIfPresent(key)
        return index >= 0 ? try session.readInteger(UInt8.self, index, place(key)) : nil
    }

    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 {
        try session.readInteger(UInt16.self, try sharedValue(key), place(key))
    }

    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? {
        let index = sharedValueIfPresent(key)
        return index >= 0 ? try session.readInteger(UInt16.self, index, place(key)) : nil
    }

    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 {
        try session.readInteger(UInt32.self, try value(key), place(key))
    }

    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? {
        let index = valueIfPresent(key)
        return index >= 0 ? try session.readInteger(UInt32.self, index, place(key)) : nil
    }

    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 {
        try session.readInteger(UInt64.self, try value(key), place(key))
    }

    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? {
        let index = valueIfPresent(key)
        return index >= 0 ? try session.readInteger(UInt64.self, index, place(key)) : nil
    }

    @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
        try session.readInteger(Int128.self, try sharedValue(key), place(key))
    }

    @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
    func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? {
        let index = sharedValueIfPresent(key)
        return index >= 0 ? try session.readInteger(Int128.self, index, place(key)) : nil
    }

    @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
        try session.readInteger(UInt128.self, try sharedValue(key), place(key))
    }

    @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
    func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? {
        let index = sharedValueIfPresent(key)
        return index >= 0 ? try session.readInteger(UInt128.self, index, place(key)) : nil
    }
}
