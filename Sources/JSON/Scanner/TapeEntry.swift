#if _endian(big)
    #error("NetworkJSON reads text eight bytes at a time and needs a little-endian machine.")
#endif

/// One value of a scanned document, or one key, in 16 bytes.
///
/// Entries are in document order: a container is followed by its content, a member's key by its value. `head` holds the kind in bits 0 to 3,
/// flags in bits 4 to 7, the decimal exponent of a real number or the depth of a key in bits 8 to 23, and the byte offset in the text in bits 24 to 63 (1 TiB).
/// `payload` depends on the kind.
struct TapeEntry {
    var head: UInt64
    var payload: UInt64

    @inline(__always)
    init(_ kind: Kind, flags: UInt64 = 0, exponent: Int = 0, offset: Int, payload: UInt64) {
        head =
            UInt64(kind.rawValue) | flags << 4 | UInt64(UInt16(truncatingIfNeeded: exponent)) << 8 | UInt64(
                truncatingIfNeeded: offset) << 24
        self.payload = payload
    }

    /// The kind of a value. The raw value is stored in bits 0 to 3 of `head`.
    enum Kind: UInt8 {
        case null = 0
        case no = 1
        case yes = 2
        /// `payload` is the bit pattern of an `Int64`.
        case integer = 3
        /// `payload` is a `UInt64` above `Int64.max`.
        case unsigned = 4
        /// `payload` is the digits of the magnitude as a `UInt64`; the value is `payload` times ten to the power of `exponent`.
        case real = 5
        /// `payload` is the number of bytes between the quotes; `offset` is the byte after the opening quote. For a key, `exponent` is the number of
        /// enclosing containers; for a value it is 0.
        case string = 6
        /// `payload` holds the index after the content in its low half, and the number of elements in its high half.
        case array = 7
        /// `payload` as for an array; the number is the number of members.
        case object = 8
    }

    @inline(__always) var kind: Kind { unsafeBitCast(UInt8(truncatingIfNeeded: head & 15), to: Kind.self) }
    @inline(__always) func `is`(_ kind: Kind) -> Bool { head & 15 == UInt64(kind.rawValue) }
    @inline(__always) var flags: UInt64 { head >> 4 & 15 }
    @inline(__always) var offset: Int { Int(truncatingIfNeeded: head >> 24) }
    @inline(__always) var exponent: Int { Int(Int16(truncatingIfNeeded: head >> 8)) }

    // Containers.
    @inline(__always) var next: Int { Int(truncatingIfNeeded: payload & 0xFFFF_FFFF) }
    @inline(__always) var count: Int { Int(truncatingIfNeeded: payload >> 32) }
    /// The index after the value at `index` and its content.
    @inline(__always)
    static func next(_ tape: UnsafeMutablePointer<TapeEntry>, _ index: Int) -> Int {
        let entry = tape[index]
        return entry.head & 15 >= UInt64(Kind.array.rawValue) ? entry.next : index &+ 1
    }

    // Strings.
    @inline(__always) var length: Int { Int(truncatingIfNeeded: payload) }
}

/// The meaning of the four flag bits of a ``TapeEntry``, which depends on the kind.
enum TapeFlags {
    // Of a string or a key.
    static let escaped: UInt64 = 1
    static let nonASCII: UInt64 = 2

    // Of a real number.
    static let negative: UInt64 = 1
    /// The number does not fit the entry and has to be parsed from the text.
    static let truncated: UInt64 = 2
    /// The number has no fraction and no exponent.
    static let integral: UInt64 = 4

    // Of an object.
    /// A key is escaped or not ASCII: equal keys may have different bytes.
    static let specialKeys: UInt64 = 1
    /// The keys have been checked for duplicates.
    static let checked: UInt64 = 2
    /// Keys have to be looked up in a dictionary.
    static let dictionary: UInt64 = 4
    /// All keys are plain snake case (``SnakeCaseKeys``).
    static let snakeCase: UInt64 = 8
}
