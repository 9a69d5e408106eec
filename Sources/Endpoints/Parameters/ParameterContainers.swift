extension ParameterEncoder {
    /// An encoder that writes to a new member of this one.
    fileprivate func child(_ key: any CodingKey) -> ParameterEncoder {
        ParameterEncoder(style: style, codingPath: codingPath + [key], box: box.member(key.stringValue))
    }
}

struct KeyedParameterContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: ParameterEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }

    func encodeNil(forKey key: Key) {}

    func encode(_ value: some Encodable, forKey key: Key) throws {
        try encoder.child(key).encode(value)
    }

    func nestedContainer<Nested: CodingKey>(keyedBy: Nested.Type, forKey key: Key) -> KeyedEncodingContainer<Nested> {
        encoder.child(key).container(keyedBy: keyedBy)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        encoder.child(key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder {
        encoder.child(ParameterKey("super"))
    }

    func superEncoder(forKey key: Key) -> any Encoder {
        encoder.child(key)
    }
}

struct UnkeyedParameterContainer: UnkeyedEncodingContainer {
    let encoder: ParameterEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }
    var count: Int { encoder.box.count }

    private func next() -> ParameterEncoder {
        encoder.child(ParameterKey(index: count))
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
