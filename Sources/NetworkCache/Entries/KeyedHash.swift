import Endpoints
import NetworkSupport

/// SipHash-2-4 with 128 bits (Aumasson and Bernstein, 2012) of a sequence of texts: a hash with a secret key.
///
/// Without the key, neither the hash of a text nor two texts with the same hash can be found. It takes a tenth of the time of a SHA-256.
struct KeyedHash {
    /// A key of 128 bits.
    struct Key: Sendable {
        let low: UInt64
        let high: UInt64

        /// A key from the system's random generator.
        static var random: Key { Key(low: .random(in: .min ... .max), high: .random(in: .min ... .max)) }
    }

    /// A hash of 128 bits.
    struct Value: Equatable, Sendable {
        let low: UInt64
        let high: UInt64
    }

    private var v0: UInt64
    private var v1: UInt64
    private var v2: UInt64
    private var v3: UInt64

    init(_ key: Key) {
        v0 = key.low ^ 0x736f_6d65_7073_6575
        v1 = key.high ^ 0x646f_7261_6e64_6f6d ^ 0xee
        v2 = key.low ^ 0x6c79_6765_6e65_7261
        v3 = key.high ^ 0x7465_6462_7974_6573
    }

    /// Adds a text: its length, and its UTF-8 bytes in words that zeros complete. Different sequences of texts so add different words.
    mutating func add(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            add(UInt64(bytes.count))
            let bytes = UnsafeRawBufferPointer(bytes)
            var offset = 0
            while bytes.count &- offset >= 8 {
                add(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
                offset &+= 8
            }
            guard offset < bytes.count else { return }
            var last: UInt64 = 0
            for index in offset..<bytes.count { last |= UInt64(bytes[index]) << UInt64(8 &* (index &- offset)) }
            add(last)
        }
    }

    mutating func add(_ word: UInt64) {
        v3 ^= word
        mix()
        mix()
        v0 ^= word
    }

    /// Returns the hash of everything that was added.
    consuming func finished() -> Value {
        v2 ^= 0xee
        for _ in 0..<4 { mix() }
        let low = v0 ^ v1 ^ v2 ^ v3
        v1 ^= 0xdd
        for _ in 0..<4 { mix() }
        return Value(low: low, high: v0 ^ v1 ^ v2 ^ v3)
    }

    @inline(__always)
    private mutating func mix() {
        v0 = v0 &+ v1
        v1 = v1 &<< 13 | v1 &>> 51
        v1 ^= v0
        v0 = v0 &<< 32 | v0 &>> 32
        v2 = v2 &+ v3
        v3 = v3 &<< 16 | v3 &>> 48
        v3 ^= v2
        v0 = v0 &+ v3
        v3 = v3 &<< 21 | v3 &>> 43
        v3 ^= v0
        v2 = v2 &+ v1
        v1 = v1 &<< 17 | v1 &>> 47
        v1 ^= v2
        v2 = v2 &<< 32 | v2 &>> 32
    }
}
