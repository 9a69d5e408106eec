import Foundation

/// An encoder that turns an `Encodable` value into the bytes of a request body.
///
/// ``NetworkJSON/TransferJSONEncoder``, `JSONEncoder` and `PropertyListEncoder` conform to it.
public protocol DataEncoder: Sendable {
    /// Returns the encoded bytes of a value.
    ///
    /// With these encoders, values that are nested more than 256 levels deep are rejected, because a value that
    /// contains itself would overflow the stack. A custom encoder has to limit the depth itself.
    ///
    /// - Throws: Any error. The request is then not sent, and the error becomes ``RequestGenerationError/underlying`` of a
    ///   ``RequestGenerationError`` for the body.
    func encode<Value: Encodable>(_ value: Value) throws -> Data
}

extension DataEncoder {
    /// Encodes a value. For the encoders of this package and Foundation, limits the nesting depth: deep values would overflow the stack.
    ///
    /// - Throws: ``RequestGenerationError`` for the body if a value is nested more than 256 levels deep; otherwise the
    ///   encoder's error.
    package func encodeBounded(_ value: some Encodable) throws -> Data {
        switch self {
        case let encoder as TransferJSONEncoder:
            do {
                // It limits the depth while it encodes.
                if let data = try encoder.encode(value, maximumDepth: NestingCheck.maximumDepth) { return data }
            } catch is EncodingDepthError {
                throw NestingCheck.error(value)
            }
            try NestingCheck.check(value, userInfo: encoder.userInfo)
        case let encoder as JSONEncoder: try NestingCheck.check(value, userInfo: encoder.userInfo)
        case let encoder as PropertyListEncoder: try NestingCheck.check(value, userInfo: encoder.userInfo)
        default: break
        }
        return try encode(value)
    }
}

extension TransferJSONEncoder: DataEncoder {}
extension JSONEncoder: DataEncoder {}
extension PropertyListEncoder: DataEncoder {}

extension DataEncoder where Self == TransferJSONEncoder {
    /// A new JSON encoder with sorted keys and unescaped slashes, so that equal values produce equal bytes. All other settings are
    /// the defaults; dates are written as `2026-11-24T02:00:00Z` (RFC 3339 §5.6).
    public static var json: TransferJSONEncoder {
        let encoder = TransferJSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }
}

/// Measures how deep a value is nested by encoding it without writing any output.
///
/// Foundation's encoders have no depth limit that fits every thread's stack: an object that contains itself would overflow the stack, which stops the process.
/// This check runs first and costs a fraction of the encoding. Errors that the value throws during the check are ignored here,
/// because the encoder reports them.
enum NestingCheck {
    /// The maximum number of values within values. Encoding that many takes half of the smallest thread stack (512 KiB).
    static let maximumDepth = 256

    /// Checks the nesting depth of a value.
    ///
    /// - Parameter userInfo: The encoder's user info, which values may read while they encode themselves.
    /// - Throws: ``RequestGenerationError`` for the body if the value is nested more than ``maximumDepth`` levels deep.
    static func check(_ value: some Encodable, userInfo: [CodingUserInfoKey: Any]) throws(RequestGenerationError) {
        if isLeaf(value) { return }
        let walk = NestingWalk(userInfo: userInfo)
        try? walk.visit(value, in: 0)
        if walk.isTooDeep { throw error(value) }
    }

    /// The error for a value that is nested too deeply.
    static func error(_ value: some Encodable) -> RequestGenerationError {
        RequestGenerationError(
            .body, "a \(type(of: value)) is nested more than \(maximumDepth) levels deep, or contains itself")
    }

    /// Whether the type of a value contains no other values, or is one that encoders write directly without calling
    /// `encode(to:)`.
    static func isLeaf<Value>(_ value: Value) -> Bool {
        Value.self == String.self || Value.self == Int.self || Value.self == Bool.self || Value.self == Double.self
            || Value.self == Data.self || Value.self == Date.self || Value.self == URL.self || Value.self == Decimal.self
            || Value.self == [String].self || Value.self == [Int].self || Value.self == [UInt8].self
            || Value.self == [Double].self
    }
}

/// An encoder that writes nothing and only counts levels. One instance serves all levels, with an empty coding path.
private final class NestingWalk: Encoder {
    let userInfo: [CodingUserInfoKey: Any]
    var codingPath: [any CodingKey] { [] }
    private(set) var isTooDeep = false
    private var depth = 0

    private struct TooDeep: Error {}

    init(userInfo: [CodingUserInfoKey: Any]) {
        self.userInfo = userInfo
    }

    /// - Parameter level: The depth of the container that holds the value.
    func visit<Value: Encodable>(_ value: Value, in level: Int) throws {
        if NestingCheck.isLeaf(value) { return }
        try check(level)
        let before = depth
        depth = level + 1
        defer { depth = before }
        try value.encode(to: self)
        // The value may have caught the error.
        if isTooDeep { throw TooDeep() }
    }

    func check(_ level: Int) throws {
        guard level < NestingCheck.maximumDepth, !isTooDeep else {
            isTooDeep = true
            throw TooDeep()
        }
    }

    func keyed<Key: CodingKey>(by type: Key.Type, in level: Int) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(NestingKeyed<Key>(walk: self, level: level))
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> { keyed(by: type, in: depth) }
    func unkeyedContainer() -> any UnkeyedEncodingContainer { NestingUnkeyed(walk: self, level: depth) }
    func singleValueContainer() -> any SingleValueEncodingContainer { NestingSingle(walk: self, level: depth) }
}

private struct NestingKeyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let walk: NestingWalk
    let level: Int
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) throws { try walk.check(level - 1) }
    func encode(_ value: Bool, forKey key: Key) throws { try walk.check(level - 1) }
    func encode(_ value: String, forKey key: Key) throws { try walk.check(level - 1) }
    func encode(_ value: Double, forKey key: Key) throws { try walk.check(level - 1) }
    func encode(_ value: Int, forKey key: Key) throws { try walk.check(level - 1) }
    func encode(_ value: Int64, forKey key: Key) throws { try walk.check(level - 1) }
    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { try walk.visit(value, in: level) }

    func nestedContainer<Nested: CodingKey>(keyedBy: Nested.Type, forKey key: Key) -> KeyedEncodingContainer<Nested> {
        walk.keyed(by: keyedBy, in: level + 1)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { NestingUnkeyed(walk: walk, level: level + 1) }
    func superEncoder() -> any Encoder { walk }
    func superEncoder(forKey key: Key) -> any Encoder { walk }
}

private struct NestingUnkeyed: UnkeyedEncodingContainer {
    let walk: NestingWalk
    let level: Int
    private(set) var count = 0
    var codingPath: [any CodingKey] { [] }

    init(walk: NestingWalk, level: Int) {
        self.walk = walk
        self.level = level
    }

    mutating func encodeNil() throws { try note() }
    mutating func encode(_ value: Bool) throws { try note() }
    mutating func encode(_ value: String) throws { try note() }
    mutating func encode(_ value: Double) throws { try note() }
    mutating func encode(_ value: Int) throws { try note() }

    mutating func encode<Value: Encodable>(_ value: Value) throws {
        count += 1
        try walk.visit(value, in: level)
    }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy: Nested.Type) -> KeyedEncodingContainer<Nested> {
        count += 1
        return walk.keyed(by: keyedBy, in: level + 1)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        count += 1
        return NestingUnkeyed(walk: walk, level: level + 1)
    }

    mutating func superEncoder() -> any Encoder {
        count += 1
        return walk
    }

    private mutating func note() throws {
        count += 1
        try walk.check(level - 1)
    }
}

private struct NestingSingle: SingleValueEncodingContainer {
    let walk: NestingWalk
    let level: Int
    var codingPath: [any CodingKey] { [] }

    func encodeNil() {}
    func encode(_ value: Bool) {}
    func encode(_ value: String) {}
    func encode(_ value: Double) {}
    func encode(_ value: Int) {}
    func encode<Value: Encodable>(_ value: Value) throws { try walk.visit(value, in: level) }
}
