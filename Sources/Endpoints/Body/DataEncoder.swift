import Foundation

/// Turns a value into the bytes of a body.
///
/// `JSONEncoder` and `PropertyListEncoder` are data encoders as they are.
public protocol DataEncoder: Sendable {
    /// A value that Foundation's encoders get is nested at most 256 levels deep; more is an error, as a value that contains itself would
    /// overflow the stack. An encoder of yours sees to that itself.
    ///
    /// - Throws: Anything; the request is then not sent, and the error rides in a ``RequestGenerationError`` for the body.
    func encode<Value: Encodable>(_ value: Value) throws -> Data
}

extension DataEncoder {
    /// Encodes a value after a look at how deep it is nested, where the encoder is Foundation's: these would overflow the stack.
    ///
    /// - Throws: ``RequestGenerationError`` for the body where that is more than 256 levels; else what the encoder throws.
    package func encodeBounded(_ value: some Encodable) throws -> Data {
        switch self {
        case let encoder as JSONEncoder: try NestingCheck.check(value, userInfo: encoder.userInfo)
        case let encoder as PropertyListEncoder: try NestingCheck.check(value, userInfo: encoder.userInfo)
        default: break
        }
        return try encode(value)
    }
}

extension JSONEncoder: DataEncoder {}
extension PropertyListEncoder: DataEncoder {}

extension DataEncoder where Self == JSONEncoder {
    /// JSON with sorted keys, slashes as they are, and else Foundation's defaults, so that equal values give equal bytes.
    public static var json: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }
}

/// Walks through a value as an encoder does, writes nothing, and counts how deep it is nested.
///
/// Foundation's encoders go down without a limit: a class that holds itself would overflow the stack, which stops the process. So a
/// value is walked through before they get it, which costs a fraction of what encoding it does. What the walk itself throws is left for
/// the encoder to report.
enum NestingCheck {
    /// Values within values. Encoding so many takes half of the 512 KiB that the stack of a thread has at least.
    static let maximumDepth = 256

    /// - Parameter userInfo: The encoder's, which values may ask for.
    /// - Throws: ``RequestGenerationError`` for the body where the value is more than ``maximumDepth`` levels deep.
    static func check(_ value: some Encodable, userInfo: [CodingUserInfoKey: Any]) throws(RequestGenerationError) {
        if isLeaf(value) { return }
        let walk = NestingWalk(userInfo: userInfo)
        try? walk.visit(value, in: 0)
        guard walk.isTooDeep else { return }
        throw RequestGenerationError(
            .body, "a \(type(of: value)) is nested more than \(maximumDepth) levels deep, or contains itself")
    }

    /// What holds nothing, or what encoders do not ask to encode itself.
    static func isLeaf<Value>(_ value: Value) -> Bool {
        Value.self == String.self || Value.self == Int.self || Value.self == Bool.self || Value.self == Double.self
            || Value.self == Data.self || Value.self == Date.self || Value.self == URL.self || Value.self == Decimal.self
            || Value.self == [String].self || Value.self == [Int].self || Value.self == [UInt8].self
            || Value.self == [Double].self
    }
}

/// The encoder that writes nothing. One for all levels: it keeps no coding path, and values that ask for it get an empty one.
private final class NestingWalk: Encoder {
    let userInfo: [CodingUserInfoKey: Any]
    var codingPath: [any CodingKey] { [] }
    private(set) var isTooDeep = false
    private var depth = 0

    private struct TooDeep: Error {}

    init(userInfo: [CodingUserInfoKey: Any]) {
        self.userInfo = userInfo
    }

    /// - Parameter level: How deep the container is that holds the value.
    func visit<Value: Encodable>(_ value: Value, in level: Int) throws {
        if NestingCheck.isLeaf(value) { return }
        try check(level)
        let before = depth
        depth = level + 1
        defer { depth = before }
        try value.encode(to: self)
        // A value may have caught it.
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
