import Foundation

/// Values of any type: Foundation's types directly, arrays and dictionaries in a loop, all other types with their `init(from:)`.
extension DecodingSession {
    /// Decodes the value at `index`, `depth` steps below the document.
    ///
    /// - Parameter place: The value's position, evaluated only for an error.
    @inline(__always)
    func decode<T: Decodable>(_ type: T.Type, _ index: Int, _ depth: Int, _ place: @autoclosure () -> DecodingPlace) throws -> T {
        let entry = storage.pointee.types.entry(type).pointee
        if entry.way == .generic { return try T(from: ValueDecoder(owner: owner, index: index, depth: depth)) }
        return try decodeKnown(type, entry, index, depth, place)
    }

    @inline(never)
    private func decodeKnown<T: Decodable>(
        _ type: T.Type, _ entry: TypeTable.Entry, _ index: Int, _ depth: Int, _ place: () -> DecodingPlace
    ) throws -> T {
        @inline(__always)
        func result<Value>(_ value: Value) -> T { unsafeBitCast(value, to: T.self) }

        switch entry.way {
        case .date:
            if let date = quickDate(index) { return result(date) }
            return result(try date(index, depth, place()))
        case .url:
            return result(try url(index, place()))
        case .uuid:
            if let uuid = quickUUID(index) { return result(uuid) }
        case .decimal:
            if let decimal = quickDecimal(index) { return result(decimal) }
            return result(try decimal(index, place()))
        case .data:
            return result(try data(index, depth, place()))
        case .bool: return result(try readBool(index, place()))
        case .string: return result(try readString(index, place()))
        case .double: return result(try readDouble(index, place()))
        case .float: return result(try readFloat(index, place()))
        case .int: return result(try readInteger(Int.self, index, place()))
        case .int8: return result(try readInteger(Int8.self, index, place()))
        case .int16: return result(try readInteger(Int16.self, index, place()))
        case .int32: return result(try readInteger(Int32.self, index, place()))
        case .int64: return result(try readInteger(Int64.self, index, place()))
        case .uint: return result(try readInteger(UInt.self, index, place()))
        case .uint8: return result(try readInteger(UInt8.self, index, place()))
        case .uint16: return result(try readInteger(UInt16.self, index, place()))
        case .uint32: return result(try readInteger(UInt32.self, index, place()))
        case .uint64: return result(try readInteger(UInt64.self, index, place()))
        case .ints:
            if tape[index].is(.array) { return result(try array(index, depth) { try readInteger(Int.self, $0, $1()) }) }
        case .doubles:
            if tape[index].is(.array) { return result(try array(index, depth) { try readDouble($0, $1()) }) }
        case .strings:
            if tape[index].is(.array) { return result(try array(index, depth) { try readString($0, $1()) }) }
        case .stringsByKey:
            if tape[index].is(.object) { return result(try dictionary(index, depth) { try readString($0, $1()) }) }
        case .intsByKey:
            if tape[index].is(.object) { return result(try dictionary(index, depth) { try readInteger(Int.self, $0, $1()) }) }
        case .doublesByKey:
            if tape[index].is(.object) { return result(try dictionary(index, depth) { try readDouble($0, $1()) }) }
        case .collection:
            if tape[index].is(entry.isObject ? .object : .array) {
                try checkStack()
                return try collection(entry.collection!, index, depth)
            }
        case .generic:
            break
        }
        if entry.isArray { throw notContainer([Any].self, "unkeyed", index, depth) }
        if entry.isObject {
            throw options.usesDefaultKeys
                ? notContainer([String: Any].self, "keyed", index, depth) : nullOrMismatch([String: Any].self, index, place())
        }
        return try T(from: ValueDecoder(owner: owner, index: index, depth: depth))
    }

    private func collection<C: DirectCollection, T>(_ type: C.Type, _ index: Int, _ depth: Int) throws -> T {
        unsafeBitCast(try C.read(self, index, depth), to: T.self)
    }

    /// Reads an array's elements in a loop.
    @inline(__always)
    func array<Element>(
        _ index: Int, _ depth: Int, _ read: (_ value: Int, _ place: () -> DecodingPlace) throws -> Element
    ) throws -> [Element] {
        let entry = tape[index]
        let count = entry.count
        var value = index &+ 1
        return try [Element](unsafeUninitializedCapacity: count) { buffer, initialized in
            var out = buffer.baseAddress
            while initialized < count {
                let ordinal = initialized
                out.unsafelyUnwrapped.initialize(
                    to: try read(value) { DecodingPlace(index: index, depth: depth, last: JSONKey(index: ordinal)) })
                out = out.unsafelyUnwrapped + 1
                value = next(value)
                initialized &+= 1
            }
        }
    }

    /// Reads an object's values in a loop. Of several equal keys, the first wins.
    @inline(__always)
    func dictionary<Value>(
        _ index: Int, _ depth: Int, _ read: (_ value: Int, _ place: () -> DecodingPlace) throws -> Value
    ) throws -> [String: Value] {
        let entry = tape[index]
        var result = [String: Value](minimumCapacity: entry.count)
        var key = index &+ 1
        let end = entry.next
        while key < end {
            let name = string(tape[key])
            do {
                let value = try read(key &+ 1) { DecodingPlace(index: index, depth: depth, last: dictionaryKey(name)) }
                if let first = result.updateValue(value, forKey: name) { result[name] = first }
            } catch {
                // Foundation ignores the value of a repeated key.
                if !options.usesDefaultKeys || result[name] == nil { throw error }
            }
            key = next(key &+ 1)
        }
        return result
    }

    @inline(never)
    private func dictionaryKey(_ name: String) -> any CodingKey {
        options.usesDefaultKeys ? DictionaryKey(stringValue: name) : JSONKey(stringValue: name)
    }
}

/// An array or dictionary that is decoded in a loop, without creating a container.
protocol DirectCollection {
    static var isObject: Bool { get }
    /// Decodes the value at `index`, which is an array, or an object if ``isObject``.
    static func read(_ session: DecodingSession, _ index: Int, _ depth: Int) throws -> Self
}

extension Array: DirectCollection where Element: Decodable {
    static var isObject: Bool { false }

    static func read(_ session: DecodingSession, _ index: Int, _ depth: Int) throws -> Self {
        var result: [Element] = []
        let count = session.tape[index].count
        if count == 0 { return result }
        result.reserveCapacity(count)
        let way = session.storage.pointee.types.entry(Element.self).pointee.way
        var value = index &+ 1
        var ordinal = 0
        while ordinal < count {
            session.frames[depth] = CodingFrame(nil, container: index, value: value, ordinal: ordinal)
            if way == .generic {
                result.append(try Element(from: ValueDecoder(owner: session.owner, index: value, depth: depth &+ 1)))
            } else {
                result.append(
                    try session.decode(
                        Element.self, value, depth &+ 1, DecodingPlace(index: index, depth: depth, last: JSONKey(index: ordinal)))
                )
            }
            value = session.next(value)
            ordinal &+= 1
        }
        return result
    }
}

extension Dictionary: DirectCollection where Key == String, Value: Decodable {
    static var isObject: Bool { true }

    static func read(_ session: DecodingSession, _ index: Int, _ depth: Int) throws -> Self {
        let keys: any CodingKey.Type = session.options.usesDefaultKeys ? DictionaryKey.self : JSONKey.self
        return try session.dictionary(index, depth) { value, place in
            session.frames[depth] = CodingFrame(keys, container: index, value: value)
            return try session.decode(Value.self, value, depth &+ 1, place())
        }
    }
}
