import Foundation

/// Limits the nesting of a value that another encoder encodes: Foundation's have no limit that fits every thread's stack.
///
/// The value, each value in it, and the encoders that they get are wrapped. Types that encoders write in their own way pass unchanged.
struct BoundedValue<Value: Encodable>: Encodable {
    let value: Value
    fileprivate let nesting: NestingCounter
    /// The number of arrays and objects around the value.
    fileprivate let level: Int

    package func encode(to encoder: any Encoder) throws {
        if try nesting.passes(value, encoder, level) {
            var container = encoder.singleValueContainer()
            try container.encode(value)
        } else if let dictionary = value as? any BoundedDictionary {
            try dictionary.encode(to: encoder, nesting, level)
        } else {
            try nesting.enter(Value.self, encoder) {
                try value.encode(to: BoundedEncoder(base: encoder, nesting: nesting, level: level))
            }
        }
    }
}

extension JSONEncoder {
    /// Encodes a value as ``TransferJSONEncoder`` does, within its limits.
    ///
    /// - Throws: `EncodingError` if it is nested more than ``NestingLimit/maximumFoundationDepth`` levels deep, or too deeply for the stack, and for a number or date
    ///   that the encoder would write although the format has none; otherwise the encoder's error.
    package func encodeWithinLimits<T: Encodable>(_ value: T) throws -> Data {
        // A class that inherits from it is used as it is.
        guard Swift.type(of: self) == JSONEncoder.self else {
            return try NestingCounter(isJSON: true, writesDates: dateEncodingStrategy.hasText).run(value) { try encode($0) }
        }
        return try EncodingOptions(self).encodeWithFoundation(value)
    }
}

extension PropertyListEncoder {
    /// Encodes a value as a property list, with the limits and errors of JSON.
    package func encodeWithinLimits<T: Encodable>(_ value: T) throws -> Data {
        try NestingCounter(isJSON: false, writesDates: outputFormat == .xml).run(value) { try encode($0) }
    }
}

extension EncodingOptions {
    /// Encodes a value with Foundation's encoder, bounded, with the closures of the strategies.
    func encodeWithFoundation<T: Encodable>(_ value: T) throws -> Data {
        let nesting = NestingCounter(isJSON: true, writesDates: dates.hasText)
        let encoder = foundationEncoder
        if case .custom(let write) = dates {
            encoder.dateEncodingStrategy = .custom { date, encoder in
                try nesting.enter(Date.self, encoder) {
                    try write(date, BoundedEncoder(base: encoder, nesting: nesting, level: nesting.level))
                }
            }
        }
        if case .custom(let write) = data {
            encoder.dataEncodingStrategy = .custom { data, encoder in
                try nesting.enter(Data.self, encoder) {
                    try write(data, BoundedEncoder(base: encoder, nesting: nesting, level: nesting.level))
                }
            }
        }
        return try nesting.run(value) { try encoder.encode($0) }
    }
}

extension JSONEncoder.DateEncodingStrategy {
    /// Whether Foundation writes the text of a date.
    fileprivate var hasText: Bool {
        switch self {
        case .deferredToDate, .secondsSince1970, .millisecondsSince1970, .custom: false
        default: true
        }
    }
}

/// A dictionary whose keys are strings.
private protocol BoundedDictionary {
    func encode(to encoder: any Encoder, _ nesting: NestingCounter, _ level: Int) throws
}

extension Dictionary: BoundedDictionary where Key == String, Value: Encodable {
    fileprivate func encode(to encoder: any Encoder, _ nesting: NestingCounter, _ level: Int) throws {
        try nesting.enter(Self.self, encoder) {
            try nesting.check(level + 1, encoder.codingPath)
            // Encoders do not convert the keys of a dictionary, so they have to see one.
            var container = encoder.singleValueContainer()
            try container.encode(mapValues { BoundedValue<Value>(value: $0, nesting: nesting, level: level + 1) })
        }
    }
}

/// The number of values that are being encoded within each other in one call.
final class NestingCounter: @unchecked Sendable {
    // Unchecked: a call is on one thread.
    private let isJSON: Bool
    private let writesDates: Bool
    /// The number of levels that the encoder, which writes the text by recursion after the value is encoded, may write.
    private let maximumDepth: Int
    private let levelError: NestingError
    /// The stack that it needs for a level, in bytes.
    private static let bytesPerLevel = 1 << 10
    private var depth = 0
    /// The number of arrays and objects around the value that the encoder writes itself, with a strategy.
    fileprivate private(set) var level = 0
    private var bounds = StackBounds()
    /// The error that ends the call.
    private var error: EncodingError?

    init(isJSON: Bool, writesDates: Bool) {
        self.isJSON = isJSON
        self.writesDates = writesDates
        let limit = isJSON ? NestingLimit.maximumFoundationDepth : NestingLimit.maximumDepth
        maximumDepth = min(limit, bounds.levels(of: Self.bytesPerLevel))
        levelError = maximumDepth < limit ? .stack : .levels(limit)
    }

    /// Encodes a value with an encoder.
    func run<T: Encodable>(_ value: T, _ encode: (BoundedValue<T>) throws -> Data) throws -> Data {
        do {
            let data = try encode(BoundedValue(value: value, nesting: self, level: 0))
            // The value may have caught the error.
            if let error { throw error }
            return data
        } catch EncodingError.invalidValue(let bounded as BoundedValue<T>, let context) {
            // Foundation's encoder of property lists puts each error into another one, with the value.
            if let error = self.error ?? context.underlyingError as? EncodingError { throw error }
            // The value that the caller knows.
            let reason = context.debugDescription.replacing("BoundedValue<\(T.self)>", with: "\(T.self)")
            throw EncodingError.invalidValue(
                bounded.value,
                .init(codingPath: context.codingPath, debugDescription: reason, underlyingError: context.underlyingError))
        }
    }

    /// Whether the encoder writes a value of this type itself, or without other values in it.
    ///
    /// - Throws: `EncodingError` for a number or date that the format has not.
    fileprivate func passes<T>(_ value: T, _ encoder: any Encoder, _ level: Int) throws -> Bool {
        self.level = level
        if T.self == Decimal.self {
            if isJSON { try Self.check(unsafeBitCast(value, to: Decimal.self), encoder.codingPath) }
            return true
        }
        if T.self == Date.self {
            if writesDates { try ISO8601.check(unsafeBitCast(value, to: Date.self), encoder.codingPath) }
            return true
        }
        if T.self == [String].self || T.self == [Int].self || T.self == [UInt8].self || T.self == [Double].self {
            try check(level + 1, encoder.codingPath)
            return true
        }
        // What a single value container writes must not be encoded by its own type again.
        return T.self == String.self || T.self == Int.self || T.self == Bool.self || T.self == Double.self || T.self == Data.self
            || T.self == URL.self || T.self == Float.self || T.self == Int64.self || T.self == UInt64.self || T.self == Int32.self
            || T.self == UInt32.self || T.self == UInt.self || T.self == UInt8.self || T.self == Int8.self || T.self == Int16.self
            || T.self == UInt16.self
    }

    /// Throws an error for a number that JSON has not.
    static func check(_ decimal: Decimal, _ path: @autoclosure () -> [any CodingKey]) throws {
        guard decimal.isNaN else { return }
        throw EncodingError.refusal(decimal, path(), "Unable to encode Decimal.nan directly in JSON.")
    }

    /// Encodes a value in the one that is being encoded.
    fileprivate func enter<T>(_ type: T.Type, _ encoder: any Encoder, _ body: () throws -> Void) throws {
        if let error { throw error }
        if depth >= NestingLimit.maximumValues { throw refuse(type, encoder.codingPath, .depth) }
        if !bounds.hasRoom() { throw refuse(type, encoder.codingPath, .stack) }
        depth += 1
        defer { depth -= 1 }
        try body()
        if let error { throw error }
    }

    /// Throws the error that ends the call if there is one, or if a container is too deep.
    fileprivate func check(_ level: Int, _ path: @autoclosure () -> [any CodingKey]) throws {
        if let error { throw error }
        if level > maximumDepth { throw refuse([Any].self, path(), levelError) }
    }

    /// Wraps the container of an object, which is not created if it is too deep.
    fileprivate func keyed<Key: CodingKey>(
        _ isOpen: Bool, _ level: Int, _ base: () -> KeyedEncodingContainer<Key>?
    ) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(BoundedKeyed(base: isOpen ? base() : nil, nesting: self, level: level))
    }

    /// Wraps the container of an array, which is not created if it is too deep.
    fileprivate func unkeyed(
        _ isOpen: Bool, _ level: Int, _ base: () -> (any UnkeyedEncodingContainer)?
    ) -> any UnkeyedEncodingContainer {
        BoundedUnkeyed(base: isOpen ? base() : nil, nesting: self, level: level)
    }

    /// Whether a container can be created. If not, the call ends with an error.
    fileprivate func opens(_ level: Int, _ path: @autoclosure () -> [any CodingKey]) -> Bool {
        if error != nil { return false }
        if level > maximumDepth {
            _ = refuse([Any].self, path(), levelError)
        } else if !bounds.hasRoom() {
            _ = refuse([Any].self, path(), .stack)
        }
        return error == nil
    }

    private func refuse(_ type: Any.Type, _ path: [any CodingKey], _ reason: NestingError) -> EncodingError {
        let refusal = NestingLimit.error(type, path, reason)
        error = refusal
        return refusal
    }
}

/// An encoder that wraps the values which it passes to another one, which is nil after the error that ends the call.
private struct BoundedEncoder: Encoder {
    let base: (any Encoder)?
    let nesting: NestingCounter
    let level: Int
    var codingPath: [any CodingKey] { base?.codingPath ?? [] }
    var userInfo: [CodingUserInfoKey: Any] { base?.userInfo ?? [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        nesting.keyed(nesting.opens(level + 1, codingPath), level + 1) { base?.container(keyedBy: type) }
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        nesting.unkeyed(nesting.opens(level + 1, codingPath), level + 1) { base?.unkeyedContainer() }
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        BoundedSingle(base: base?.singleValueContainer(), nesting: nesting, level: level)
    }
}

private struct BoundedKeyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
    var base: KeyedEncodingContainer<Key>?
    let nesting: NestingCounter
    let level: Int
    var codingPath: [any CodingKey] { base?.codingPath ?? [] }

    private func check() throws { try nesting.check(level, codingPath) }

    mutating func encodeNil(forKey key: Key) throws {
        try check()
        try base?.encodeNil(forKey: key)
    }

    mutating func encode(_ value: String, forKey key: Key) throws {
        try check()
        try base?.encode(value, forKey: key)
    }

    mutating func encode(_ value: Int, forKey key: Key) throws {
        try check()
        try base?.encode(value, forKey: key)
    }

    @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
    mutating func encode(_ value: Int128, forKey key: Key) throws {
        try check()
        try base?.encode(value, forKey: key)
    }

    @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
    mutating func encode(_ value: UInt128, forKey key: Key) throws {
        try check()
        try base?.encode(value, forKey: key)
    }

    mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        try check()
        let bounded = BoundedValue(value: value, nesting: nesting, level: level)
        try base?.encode(bounded, forKey: key)
    }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) -> KeyedEncodingContainer<Nested>
    {
        nesting.keyed(nesting.opens(level + 1, codingPath), level + 1) { base?.nestedContainer(keyedBy: type, forKey: key) }
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        nesting.unkeyed(nesting.opens(level + 1, codingPath), level + 1) { base?.nestedUnkeyedContainer(forKey: key) }
    }

    mutating func superEncoder() -> any Encoder { BoundedEncoder(base: base?.superEncoder(), nesting: nesting, level: level) }

    mutating func superEncoder(forKey key: Key) -> any Encoder {
        BoundedEncoder(base: base?.superEncoder(forKey: key), nesting: nesting, level: level)
    }
}

private struct BoundedUnkeyed: UnkeyedEncodingContainer {
    var base: (any UnkeyedEncodingContainer)?
    let nesting: NestingCounter
    let level: Int
    var codingPath: [any CodingKey] { base?.codingPath ?? [] }
    var count: Int { base?.count ?? 0 }

    private func check() throws { try nesting.check(level, codingPath) }

    mutating func encodeNil() throws {
        try check()
        try base?.encodeNil()
    }

    mutating func encode(_ value: Int) throws {
        try check()
        try base?.encode(value)
    }

    @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
    mutating func encode(_ value: Int128) throws {
        try check()
        try base?.encode(value)
    }

    @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
    mutating func encode(_ value: UInt128) throws {
        try check()
        try base?.encode(value)
    }

    mutating func encode<T: Encodable>(_ value: T) throws {
        try check()
        let bounded = BoundedValue(value: value, nesting: nesting, level: level)
        try base?.encode(bounded)
    }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        nesting.keyed(nesting.opens(level + 1, codingPath), level + 1) { base?.nestedContainer(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        nesting.unkeyed(nesting.opens(level + 1, codingPath), level + 1) { base?.nestedUnkeyedContainer() }
    }

    mutating func superEncoder() -> any Encoder { BoundedEncoder(base: base?.superEncoder(), nesting: nesting, level: level) }
}

private struct BoundedSingle: SingleValueEncodingContainer {
    var base: (any SingleValueEncodingContainer)?
    let nesting: NestingCounter
    let level: Int
    var codingPath: [any CodingKey] { base?.codingPath ?? [] }

    private func check() throws { try nesting.check(level, codingPath) }

    mutating func encodeNil() throws {
        try check()
        try base?.encodeNil()
    }

    @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
    mutating func encode(_ value: Int128) throws {
        try check()
        try base?.encode(value)
    }

    @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
    mutating func encode(_ value: UInt128) throws {
        try check()
        try base?.encode(value)
    }

    mutating func encode<T: Encodable>(_ value: T) throws {
        try check()
        let bounded = BoundedValue(value: value, nesting: nesting, level: level)
        try base?.encode(bounded)
    }
}
