import Foundation

/// Values of any type. Each function appends one value to the text, after the key or comma before it.
extension EncodingSession {
    @inline(__always)
    func write(_ value: Bool) {
        storage.pointee.out.reserve(8)
        storage.pointee.out.store8(value ? 0x6575_7274 : 0x65_736C_6166)
        storage.pointee.out.count &+= value ? 4 : 5
    }

    @inline(__always)
    func writeNull() {
        storage.pointee.out.reserve(8)
        storage.pointee.out.store4(0x6C6C_756E)
        storage.pointee.out.count &+= 4
    }

    @inline(__always)
    func write(_ value: String) { storage.pointee.out.appendString(value, slashes: storage.pointee.escapesSlashes) }

    @inline(__always)
    func write(integer value: Int) { storage.pointee.out.appendInteger(Int64(value)) }

    @inline(__always)
    func write(integer value: Int64) { storage.pointee.out.appendInteger(value) }

    @inline(__always)
    func write(integer value: UInt32) { write(integer: UInt64(value)) }

    @inline(__always)
    func write(integer value: UInt64) {
        storage.pointee.out.reserve(24)
        storage.pointee.out.appendDigits(value)
    }

    /// Writes an integer of another type with shared code.
    @inline(__always)
    func write<T: FixedWidthInteger>(integer value: T) {
        if T.bitWidth > 64 {
            storage.pointee.out.appendNumber(value.description)
        } else if T.isSigned {
            writeSigned(Int64(truncatingIfNeeded: value))
        } else {
            writeUnsigned(UInt64(truncatingIfNeeded: value))
        }
    }

    @inline(never)
    private func writeSigned(_ value: Int64) { write(integer: value) }

    @inline(never)
    private func writeUnsigned(_ value: UInt64) { write(integer: value) }

    /// Writes a number.
    ///
    /// - Parameter path: The value's coding path, evaluated only for an error.
    /// - Throws: `EncodingError.invalidValue` for infinity and NaN, unless the strategy converts them.
    @inline(__always)
    func write(_ value: Double, _ path: () -> [any CodingKey]) throws {
        if value.isFinite {
            storage.pointee.out.appendDouble(value)
        } else {
            try writeNonConforming(value, options.floats, path())
        }
    }

    @inline(__always)
    func write(_ value: Float, _ path: () -> [any CodingKey]) throws {
        if value.isFinite {
            storage.pointee.out.appendNumber(value.description)
        } else {
            try writeNonConforming(value, options.floats, path())
        }
    }

    @inline(never)
    func writeNonConforming<T: BinaryFloatingPoint>(
        _ value: T, _ strategy: JSONEncoder.NonConformingFloatEncodingStrategy, _ path: [any CodingKey]
    ) throws {
        if case .convertToString(let positive, let negative, let nan) = strategy {
            write(value.isNaN ? nan : value > 0 ? positive : negative)
            return
        }
        throw EncodingError.invalidValue(
            value, .init(codingPath: path, debugDescription: "Unable to encode \(T.self).\(value) directly in JSON."))
    }

    /// Writes one value of any type.
    ///
    /// - Returns: False if the value did not encode anything.
    @inline(__always)
    func encode<T: Encodable>(_ value: T) throws -> Bool {
        let entry = storage.pointee.types.entry(T.self).pointee
        if entry.way != .generic { return try encodeKnown(value, entry) }
        return try encode { try value.encode(to: $0) }
    }

    /// Writes the value that a closure encodes.
    @inline(__always)
    func encode(_ body: (ValueEncoder) throws -> Void) throws -> Bool {
        if storage.pointee.nesting >= NestingLimit.maximumValues || !storage.pointee.bounds.hasRoom() { throw tooManyValues() }
        storage.pointee.nesting &+= 1
        defer { storage.pointee.nesting &-= 1 }
        let serial = nextSerial()
        let level = storage.pointee.depth
        let start = storage.pointee.out.count
        storage.pointee.fresh = serial
        storage.pointee.freshStart = start
        try body(ValueEncoder(owner: owner, value: serial, level: level))
        if storage.pointee.depth > level { close(to: level) }
        storage.pointee.fresh = 0
        return storage.pointee.out.count != start
    }

    /// Writes an empty object for a value that did not encode anything.
    @inline(never)
    func writeNothing() {
        guard !storage.pointee.isAbandoned else { return }
        storage.pointee.out.append("{")
        if options.isPretty {
            storage.pointee.out.append("\n")
            newLine(storage.pointee.depth)
        }
        storage.pointee.out.append("}")
    }

    @inline(never)
    private func encodeKnown<T: Encodable>(_ value: T, _ entry: TypeTable.Entry) throws -> Bool {
        @inline(__always)
        func cast<Value>(_ type: Value.Type) -> Value { unsafeBitCast(value, to: Value.self) }

        // An encoder that was kept must not write into this value.
        storage.pointee.fresh = 0
        switch entry.way {
        case .date: return try write(cast(Date.self))
        case .url: write(cast(URL.self).absoluteString)
        case .uuid:
            storage.pointee.out.reserve(40)
            storage.pointee.out.put(0x22)
            UUIDText.write(cast(UUID.self), to: storage.pointee.out.start + storage.pointee.out.count)
            storage.pointee.out.count += 36
            storage.pointee.out.put(0x22)
        case .decimal:
            try NestingCounter.check(cast(Decimal.self), path)
            DecimalText.append(cast(Decimal.self), to: &storage.pointee.out)
        case .data: return try write(cast(Data.self))
        case .bool: write(cast(Bool.self))
        case .string: write(cast(String.self))
        case .double: try write(cast(Double.self)) { path }
        case .float: try write(cast(Float.self)) { path }
        case .int: write(integer: cast(Int.self))
        case .int8: write(integer: cast(Int8.self))
        case .int16: write(integer: cast(Int16.self))
        case .int32: write(integer: cast(Int32.self))
        case .int64: write(integer: cast(Int64.self))
        case .uint: write(integer: cast(UInt.self))
        case .uint8: write(integer: cast(UInt8.self))
        case .uint16: write(integer: cast(UInt16.self))
        case .uint32: write(integer: cast(UInt32.self))
        case .uint64: write(integer: cast(UInt64.self))
        case .ints: try array(cast([Int].self)) { write(integer: $0) }
        case .doubles: try array(cast([Double].self)) { value in try write(value) { path } }
        case .strings: try array(cast([String].self)) { write($0) }
        case .stringsByKey: dictionary(cast([String: String].self)) { write($1) }
        case .intsByKey: dictionary(cast([String: Int].self)) { write(integer: $1) }
        case .doublesByKey, .collection:
            if let collection = entry.encodable { return try open(collection, value) }
            return try encode { try value.encode(to: $0) }
        case .generic: return try encode { try value.encode(to: $0) }
        }
        return true
    }

    private func open<C: DirectlyEncodable, T>(_ type: C.Type, _ value: T) throws -> Bool {
        try unsafeBitCast(value, to: C.self).write(self)
        return true
    }
}

/// Foundation's types, encoded with the encoder's strategies.
extension EncodingSession {
    func write(_ date: Date) throws -> Bool {
        if options.writesInternetDates {
            storage.pointee.out.reserve(InternetDate.bytes + 4)
            guard InternetDate.write(date, to: storage.pointee.out.start + storage.pointee.out.count + 1) else {
                throw InternetDate.error(date, path)
            }
            storage.pointee.out.put(0x22)
            storage.pointee.out.count += InternetDate.bytes
            storage.pointee.out.put(0x22)
            return true
        }
        switch options.dates {
        case .deferredToDate:
            try write(date.timeIntervalSinceReferenceDate) { path }
        case .secondsSince1970:
            try writeSeconds(date.timeIntervalSince1970)
        case .millisecondsSince1970:
            try writeSeconds(1000 * date.timeIntervalSince1970)
        case .iso8601:
            storage.pointee.out.reserve(24)
            if ISO8601.write(date, to: storage.pointee.out.start + storage.pointee.out.count + 1) {
                storage.pointee.out.put(0x22)
                storage.pointee.out.count += 20
                storage.pointee.out.put(0x22)
            } else {
                try ISO8601.check(date, path)
                write(date.formatted(.iso8601))
            }
        #if canImport(Darwin)
            case .formatted(let formatter):
                try ISO8601.check(date, path)
                write(formatter.string(from: date))
        #endif
        case .custom(let encodeDate):
            if try !encode({ try encodeDate(date, $0) }) { writeNothing() }
        @unknown default:
            abandon()
        }
        return true
    }

    private func writeSeconds(_ seconds: Double) throws {
        guard seconds.isFinite else { return try writeNonConforming(seconds, .throw, path) }
        storage.pointee.out.appendDouble(seconds)
    }

    func write(_ data: Data) throws -> Bool {
        switch options.data {
        case .deferredToData:
            return try encode { try data.encode(to: $0) }
        case .base64:
            write(data.base64EncodedString())
        case .custom(let encodeData):
            if try !encode({ try encodeData(data, $0) }) { writeNothing() }
        @unknown default:
            abandon()
        }
        return true
    }
}
