import NetworkCore
import NetworkSupport

/// The name of the record of a key: 32 hexadecimal digits, with 64 bits of the SHA-256 of the key's group, and 64 bits of the
/// SHA-256 of the key. The first two digits name the folder of the shard, and the others name the file.
///
/// Therefore all records of a group are in one shard. Two keys may have the same name, so the record also contains its key; the
/// record that is written later replaces the other.
struct RecordName: Hashable, Sendable {
    static let shards = 256

    private(set) var group: UInt64
    private var key: UInt64

    init(_ key: RecordKey) {
        self.key = Self.hash(key.bytes)
        group = key.group == key.bytes ? self.key : Self.hash(key.group)
    }

    private static func hash(_ bytes: [UInt8]) -> UInt64 {
        SHA256.digest(of: bytes).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Returns whether the record may belong to a group.
    func isOfGroup(_ bytes: [UInt8]) -> Bool { group == Self.hash(bytes) }

    /// Returns the shard of a group.
    static func shard(ofGroup bytes: [UInt8]) -> Int { Int(hash(bytes) >> 56) }

    /// Creates a name from the name of a file in a shard, or returns `nil` if it is not the name of a record.
    init?(shard: Int, file: UnsafePointer<CChar>) {
        var words: (UInt64, UInt64) = (UInt64(shard), 0)
        for position in 2..<32 {
            // The terminating zero of a name that is too short is not a digit.
            guard let digit = Self.value(of: UInt8(bitPattern: file[position - 2])) else { return nil }
            if position < 16 { words.0 = words.0 << 4 | digit } else { words.1 = words.1 << 4 | digit }
        }
        guard file[30] == 0 else { return nil }
        (group, key) = words
    }

    var shard: Int { Int(group >> 56) }

    /// The name of the file in the folder of its shard.
    var file: String { Self.digits(2..<32, group, key) }

    static func folder(ofShard shard: Int) -> String { digits(0..<2, UInt64(shard) << 56, 0) }

    private static func digits(_ range: Range<Int>, _ high: UInt64, _ low: UInt64) -> String {
        String(unsafeUninitializedCapacity: range.count) { buffer in
            for position in range {
                let word = position < 16 ? high : low
                let digit = UInt8(truncatingIfNeeded: word &>> (60 &- 4 &* UInt64(position & 15))) & 15
                buffer[position - range.lowerBound] = digit < 10 ? 0x30 + digit : 0x57 + digit
            }
            return range.count
        }
    }

    private static func value(of digit: UInt8) -> UInt64? {
        switch digit {
        case 0x30...0x39: UInt64(digit - 0x30)
        case 0x61...0x66: UInt64(digit - 0x57)
        default: nil
        }
    }
}

/// The key of a record, with the group to which it belongs.
struct RecordKey: Hashable, Sendable {
    var bytes: [UInt8]
    /// The bytes that identify the group: the keys that can be looked up together.
    var group: [UInt8]

    init(_ bytes: [UInt8], group: [UInt8]? = nil) {
        self.bytes = bytes
        self.group = group ?? bytes
    }
}

/// The names of the records of keys that were used lately: two SHA-256 each, which take as long as reading a record.
final class RecordNames: Sendable {
    /// The number of names. A new one replaces the one at its place.
    static let maximumCount = 256
    /// The maximum size of a key, in bytes. The name of a longer one is calculated each time.
    static let maximumKeyBytes = 1024

    private let rows = Locked([(key: RecordKey, name: RecordName)?](repeating: nil, count: maximumCount))

    func name(of key: RecordKey) -> RecordName {
        guard key.bytes.count + key.group.count <= Self.maximumKeyBytes else { return RecordName(key) }
        let place = Int(UInt(bitPattern: key.hashValue) % UInt(Self.maximumCount))
        let known = rows.withLock { rows in rows[place].flatMap { $0.key == key ? $0.name : nil } }
        if let known { return known }
        let name = RecordName(key)
        rows.withLock { $0[place] = (key, name) }
        return name
    }
}
