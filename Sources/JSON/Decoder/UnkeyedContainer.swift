/// The decoding container of an array. It fits into an existential without a box.
struct UnkeyedContainer: UnkeyedDecodingContainer {
    private let owner: SessionOwner
    private let container: UInt32
    private let depth: UInt32
    /// The tape index of the current element.
    private var element: UInt32
    private var position: UInt32 = 0

    init(owner: SessionOwner, index: Int, depth: Int) {
        self.owner = owner
        container = UInt32(truncatingIfNeeded: index)
        self.depth = UInt32(truncatingIfNeeded: depth)
        element = UInt32(truncatingIfNeeded: index &+ 1)
    }

    @inline(__always) var session: DecodingSession { owner.session }
    @inline(__always) private var entry: TapeEntry { session.tape[Int(container)] }

    var codingPath: [any CodingKey] { session.path(to: Int(container), depth: Int(depth)) }
    var count: Int? { entry.count }
    var currentIndex: Int { Int(position) }
    var isAtEnd: Bool { Int(position) >= entry.count }

    /// The tape index of the current element.
    @inline(__always)
    func value(_ type: Any.Type) throws -> Int {
        guard !isAtEnd else { throw atEnd(type) }
        return Int(element)
    }

    /// The tape index of the current element, or -1 at the end.
    @inline(__always)
    func valueIfPresent() -> Int { isAtEnd ? -1 : Int(element) }

    @inline(never)
    private func atEnd(_ type: Any.Type) -> DecodingError {
        .valueNotFound(
            type,
            .init(
                codingPath: place.path(session),
                debugDescription: type == (any Decoder).self
                    ? "Cannot get superDecoder() -- unkeyed container is at end." : "Unkeyed container is at end.",
                underlyingError: session.sharedLocation(Int(container))))
    }

    var place: DecodingPlace {
        @inline(never) get { DecodingPlace(index: Int(container), depth: Int(depth), last: JSONKey(index: Int(position))) }
    }

    @inline(__always)
    mutating func advance() {
        if Int(element) < entry.next { element = UInt32(truncatingIfNeeded: session.next(Int(element))) }
        position &+= 1
    }

    @inline(__always)
    private func step(_ value: Int) {
        session.frames[Int(depth)] = CodingFrame(nil, container: Int(container), value: value, ordinal: Int(position))
    }

    mutating func decodeNil() throws -> Bool {
        guard session.isNull(try value(Never.self)) else { return false }
        advance()
        return true
    }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        let index = try value(type)
        step(index)
        let result = try session.decode(type, index, Int(depth) &+ 1, place)
        advance()
        return result
    }

    mutating func decodeIfPresent<T: Decodable>(_ type: T.Type) throws -> T? {
        let index = valueIfPresent()
        var result: T?
        if index >= 0, !session.isNull(index) {
            step(index)
            result = try session.decode(type, index, Int(depth) &+ 1, place)
        }
        advance()
        return result
    }

    mutating func nestedContainer<NestedKey: CodingKey>(keyedBy type: NestedKey.Type) throws -> KeyedDecodingContainer<NestedKey>
    {
        let index = try value(KeyedDecodingContainer<NestedKey>.self)
        step(index)
        let result = try session.keyedContainer(type, index, Int(depth) + 1)
        advance()
        return result
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let index = try value((any UnkeyedDecodingContainer).self)
        step(index)
        let result = try session.unkeyedContainer(index, Int(depth) + 1)
        advance()
        return result
    }

    mutating func superDecoder() throws -> any Decoder {
        let index = try value((any Decoder).self)
        step(index)
        advance()
        return ValueDecoder(owner: owner, index: index, depth: Int(depth) + 1)
    }

    /// Reads the current element and advances, unless the reading fails.
    @inline(__always)
    private mutating func scalar<T>(_ read: (_ index: Int, _ place: () -> DecodingPlace) throws -> T) throws -> T {
        let result = try read(try value(T.self)) { place }
        advance()
        return result
    }

    /// Reads the current element and advances; nil for null and at the end of the array.
    @inline(__always)
    private mutating func scalarIfPresent<T>(_ read: (_ index: Int, _ place: () -> DecodingPlace) throws -> T) throws -> T? {
        let index = valueIfPresent()
        let result: T? = index < 0 || session.isNull(index) ? nil : try read(index) { place }
        advance()
        return result
    }

    @inline(__always)
    private mutating func integer<T: FixedWidthInteger>() throws -> T {
        let session = session
        return try scalar { try session.readInteger(T.self, $0, $1()) }
    }

    @inline(__always)
    private mutating func integerIfPresent<T: FixedWidthInteger>() throws -> T? {
        let session = session
        return try scalarIfPresent { try session.readInteger(T.self, $0, $1()) }
    }

    mutating func decode(_ type: Bool.Type) throws -> Bool {
        let session = session
        return try scalar { try session.readBool($0, $1()) }
    }

    mutating func decodeIfPresent(_ type: Bool.Type) throws -> Bool? {
        let session = session
        return try scalarIfPresent { try session.readBool($0, $1()) }
    }

    mutating func decode(_ type: String.Type) throws -> String {
        let session = session
        return try scalar { try session.readString($0, $1()) }
    }

    mutating func decodeIfPresent(_ type: String.Type) throws -> String? {
        let session = session
        return try scalarIfPresent { try session.readString($0, $1()) }
    }

    mutating func decode(_ type: Double.Type) throws -> Double {
        let session = session
        return try scalar { try session.readDouble($0, $1()) }
    }

    mutating func decodeIfPresent(_ type: Double.Type) throws -> Double? {
        let session = session
        return try scalarIfPresent { try session.readDouble($0, $1()) }
    }

    mutating func decode(_ type: Float.Type) throws -> Float {
        let session = session
        return try scalar { try session.readFloat($0, $1()) }
    }

    mutating func decodeIfPresent(_ type: Float.Type) throws -> Float? {
        let session = session
        return try scalarIfPresent { try session.readFloat($0, $1()) }
    }

    mutating func decode(_ type: Int.Type) throws -> Int { try integer() }

    mutating func decodeIfPresent(_ type: Int.Type) throws -> Int? { try integerIfPresent() }

    mutating func decode(_ type: Int8.Type) throws -> Int8 { try integer() }

    mutating func decodeIfPresent(_ type: Int8.Type) throws -> Int8? { try integerIfPresent() }

    mutating func decode(_ type: Int16.Type) throws -> Int16 { try integer() }

    mutating func decodeIfPresent(_ type: Int16.Type) throws -> Int16? { try integerIfPresent() }

    mutating func decode(_ type: Int32.Type) throws -> Int32 { try integer() }

    mutating func decodeIfPresent(_ type: Int32.Type) throws -> Int32? { try integerIfPresent() }

    mutating func decode(_ type: Int64.Type) throws -> Int64 { try integer() }

    mutating func decodeIfPresent(_ type: Int64.Type) throws -> Int64? { try integerIfPresent() }

    mutating func decode(_ type: UInt.Type) throws -> UInt { try integer() }

    mutating func decodeIfPresent(_ type: UInt.Type) throws -> UInt? { try integerIfPresent() }

    mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try integer() }

    mutating func decodeIfPresent(_ type: UInt8.Type) throws -> UInt8? { try integerIfPresent() }

    mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try integer() }

    mutating func decodeIfPresent(_ type: UInt16.Type) throws -> UInt16? { try integerIfPresent() }

    mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try integer() }

    mutating func decodeIfPresent(_ type: UInt32.Type) throws -> UInt32? { try integerIfPresent() }

    mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try integer() }

    mutating func decodeIfPresent(_ type: UInt64.Type) throws -> UInt64? { try integerIfPresent() }

    @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
    mutating func decode(_ type: Int128.Type) throws -> Int128 { try integer() }

    @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
    mutating func decodeIfPresent(_ type: Int128.Type) throws -> Int128? { try integerIfPresent() }

    @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
    mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try integer() }

    @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
    mutating func decodeIfPresent(_ type: UInt128.Type) throws -> UInt128? { try integerIfPresent() }
}
