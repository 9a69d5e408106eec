struct KeyedParameterContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: ParameterEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }

    /// An encoder that writes to the member of that name: what is written later takes the place of what was there.
    private func child(_ key: any CodingKey) -> ParameterEncoder {
        encoder.child(key, at: encoder.box.member(named: key.stringValue))
    }

    func encodeNil(forKey key: Key) {
        child(key).box.node = .null
    }

    func encode(_ value: some Encodable, forKey key: Key) throws {
        try child(key).encode(value)
    }

    func nestedContainer<Nested: CodingKey>(keyedBy: Nested.Type, forKey key: Key) -> KeyedEncodingContainer<Nested> {
        child(key).container(keyedBy: keyedBy)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        child(key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder {
        child(ParameterKey("super"))
    }

    func superEncoder(forKey key: Key) -> any Encoder {
        child(key)
    }
}

struct UnkeyedParameterContainer: UnkeyedEncodingContainer {
    let encoder: ParameterEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }
    var count: Int { encoder.box.count }

    private func next() -> ParameterEncoder {
        encoder.child(ParameterKey(index: count), at: encoder.box.element())
    }

    func encodeNil() {
        _ = next()
    }

    func encode(_ value: some Encodable) throws {
        try next().encode(value)
    }

    func nestedContainer<Nested: CodingKey>(keyedBy: Nested.Type) -> KeyedEncodingContainer<Nested> {
        next().container(keyedBy: keyedBy)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        next().unkeyedContainer()
    }

    func superEncoder() -> any Encoder {
        next()
    }
}

struct SingleParameterContainer: SingleValueEncodingContainer {
    let encoder: ParameterEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }

    func encodeNil() {
        encoder.box.node = .null
    }

    func encode(_ value: some Encodable) throws {
        try encoder.encode(value)
    }
}
