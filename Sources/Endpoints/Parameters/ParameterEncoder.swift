import Foundation
import NetworkJSON

/// An encoder that turns any `Encodable` value into a tree of text, for queries and forms.
///
/// The depth is limited as in JSON, and by the stack, so that a value that contains itself is an error, not a crash.
final class ParameterEncoder: Encoder {
    let style: QueryStyle
    let codingPath: [any CodingKey]
    let userInfo: [CodingUserInfoKey: Any] = [:]
    let box: ParameterBox
    /// The current number of values within values. Greater than the length of the coding path if wrappers add no key.
    private var depth: Int
    private var bounds: StackBounds
    /// The number of levels that the tree may have, which is read by recursion.
    private let maximumDepth: Int
    /// The stack that this needs for a level in a program without optimization, in bytes.
    private static let bytesPerLevel = 4 << 10
    /// The error with which each value fails, as the encoder is too deep.
    private var refusal: RequestGenerationError?

    init(style: QueryStyle, codingPath: [any CodingKey], box: ParameterBox) {
        self.style = style
        self.codingPath = codingPath
        self.box = box
        depth = 0
        bounds = StackBounds()
        maximumDepth = min(NestingLimit.maximumDepth, bounds.levels(of: Self.bytesPerLevel))
    }

    private init(_ parent: ParameterEncoder, _ codingPath: [any CodingKey], _ box: ParameterBox, depth: Int) {
        style = parent.style
        self.codingPath = codingPath
        self.box = box
        self.depth = depth
        bounds = parent.bounds
        maximumDepth = parent.maximumDepth
    }

    /// Returns the tree of one value. The name, if there is one, is the prefix of field names in errors.
    static func node(
        of value: any Encodable, named name: String?, style: QueryStyle
    ) throws(RequestGenerationError) -> ParameterNode {
        if case .text(let text) = ParameterScalar(value, style: style) { return .text(text) }
        let box = ParameterBox()
        do {
            let encoder = ParameterEncoder(style: style, codingPath: name.map { [ParameterKey($0)] } ?? [], box: box)
            try encoder.encode(value)
            return box.node
        } catch let error as RequestGenerationError {
            throw error
        } catch EncodingError.invalidValue(let value, let context) {
            let error = EncodingError.invalidValue(value, context)
            throw RequestGenerationError(
                .query(fieldName(context.codingPath)), "it cannot be encoded: \(error.reason)", underlying: error)
        } catch {
            throw RequestGenerationError(.query(name ?? ""), "it cannot be encoded: \(ErrorText(error))", underlying: error)
        }
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        box.becomeObject()
        // The key type with which a dictionary encodes itself. The type is not public.
        let isDictionary = String(describing: type) == "_DictionaryCodingKey"
        if isDictionary { box.becomeSorted(groupSize: 1) }
        return KeyedEncodingContainer(KeyedParameterContainer<Key>(encoder: self, keys: isDictionary ? .unchanged : style.keys))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        box.becomeArray()
        return UnkeyedParameterContainer(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        SingleParameterContainer(encoder: self)
    }

    /// Encodes a whole value into this encoder's box.
    func encode(_ value: some Encodable) throws { try encode(any: Self.erased(value)) }

    /// The value without its type, so that ``encode(any:)`` is not compiled anew for each of the containers' types.
    @inline(never)
    private static func erased(_ value: some Encodable) -> any Encodable { value }

    private func encode(any value: any Encodable) throws {
        if let refusal { throw refusal }
        switch ParameterScalar(value, style: style) {
        case .text(let text):
            box.node = .text(text)
        case .refused(let reason):
            throw refused(value, reason)
        case .failed(let error):
            throw RequestGenerationError(
                .query(Self.fieldName(codingPath)), "it cannot be encoded: \(ErrorText(error))", underlying: error)
        case .structured:
            guard depth < NestingLimit.maximumValues else { throw tooDeep(.depth) }
            guard bounds.hasRoom() else { throw tooDeep(.stack) }
            depth += 1
            defer { depth -= 1 }
            try value.encode(to: self)
            if let unordered = value as? any UnorderedParameters { box.becomeSorted(groupSize: unordered.encodedItemSize) }
            try box.finish()
        }
    }

    /// Returns an encoder that writes to a member of this one. Beyond the maximum depth, it encodes nothing, and encoding fails.
    func child(_ key: any CodingKey, at box: ParameterBox) -> ParameterEncoder {
        // The first key is the name of the parameter.
        let isTooDeep = codingPath.count > NestingLimit.maximumDepth || depth >= NestingLimit.maximumValues
        if isTooDeep || codingPath.count > maximumDepth || !bounds.hasRoom() {
            let error = tooDeep(isTooDeep ? .depth : .stack)
            self.box.refuse(error)
            let child = ParameterEncoder(self, codingPath, ParameterBox(), depth: depth)
            child.refusal = error
            return child
        }
        return ParameterEncoder(self, codingPath + [key], box, depth: depth + 1)
    }

    private func tooDeep(_ reason: NestingError) -> RequestGenerationError {
        RequestGenerationError(.query(Self.fieldName(Array(codingPath.prefix(8)))), "it \(reason.text)")
    }

    private func refused(_ value: Any, _ reason: String) -> RequestGenerationError {
        let context = EncodingError.Context(codingPath: codingPath, debugDescription: reason)
        // The description of such a date would stop the process.
        let described = (value as? Date)?.timeIntervalSinceReferenceDate ?? value
        return RequestGenerationError(
            .query(Self.fieldName(codingPath)), reason, underlying: EncodingError.invalidValue(described, context))
    }

    private static func fieldName(_ codingPath: [any CodingKey]) -> String {
        codingPath.map(\.stringValue).joined(separator: ".")
    }
}

/// A collection whose order differs from run to run, so that its items are sorted.
protocol UnorderedParameters {
    /// The number of array elements that form one item. A dictionary whose keys are neither `String` nor `Int` is encoded as an
    /// array of alternating keys and values.
    var encodedItemSize: Int { get }
}

extension Dictionary: UnorderedParameters {
    var encodedItemSize: Int { 2 }
}

extension Set: UnorderedParameters {
    var encodedItemSize: Int { 1 }
}

struct KeyedParameterContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: ParameterEncoder
    /// The format of the members' names.
    let keys: QueryStyle.Keys
    var codingPath: [any CodingKey] { encoder.codingPath }

    /// Returns an encoder that writes to the member with that key and replaces its previous value.
    private func child(_ key: any CodingKey) -> ParameterEncoder {
        encoder.child(key, at: encoder.box.member(key.stringValue, named: keys.converted(key.stringValue)))
    }

    func encodeNil(forKey key: Key) {
        child(key).box.node = .null
    }

    func encode(_ value: some Encodable, forKey key: Key) throws {
        try child(key).encode(value)
    }

    /// Encodes an optional property. By default, its absence would not be reported.
    private func encodeOrNil(_ value: (some Encodable)?, _ key: Key) throws {
        if let value {
            try encode(value, forKey: key)
        } else if encoder.style.nils != .dropped {
            encodeNil(forKey: key)
        }
    }

    // One generic method does not replace the default implementations for these types.
    func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try encodeOrNil(value, key) }
    func encodeIfPresent(_ value: String?, forKey key: Key) throws { try encodeOrNil(value, key) }
    func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try encodeOrNil(value, key) }
    func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try encodeOrNil(value, key) }
    func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try encodeOrNil(value, key) }
    func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try encodeOrNil(value, key) }
    func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try encodeOrNil(value, key) }
    func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try encodeOrNil(value, key) }
    func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try encodeOrNil(value, key) }
    func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try encodeOrNil(value, key) }
    func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try encodeOrNil(value, key) }
    func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try encodeOrNil(value, key) }
    func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try encodeOrNil(value, key) }
    func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try encodeOrNil(value, key) }
    @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
    func encodeIfPresent(_ value: Int128?, forKey key: Key) throws { try encodeOrNil(value, key) }
    @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
    func encodeIfPresent(_ value: UInt128?, forKey key: Key) throws { try encodeOrNil(value, key) }
    func encodeIfPresent(_ value: (some Encodable)?, forKey key: Key) throws { try encodeOrNil(value, key) }

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
