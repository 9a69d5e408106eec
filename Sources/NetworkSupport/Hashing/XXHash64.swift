/// The XXH64 checksum (seed 0) of stored data. It detects accidental damage, but not deliberate changes.
package enum XXHash64 {
    private static let prime1: UInt64 = 11_400_714_785_074_694_791
    private static let prime2: UInt64 = 14_029_467_366_897_019_727
    private static let prime3: UInt64 = 1_609_587_929_392_839_161
    private static let prime4: UInt64 = 9_650_029_242_287_828_579
    private static let prime5: UInt64 = 2_870_177_450_012_600_261

    package static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var offset = 0
        var sum: UInt64
        if bytes.count >= 32 {
            var accumulators = (prime1 &+ prime2, prime2, UInt64(0), 0 &- prime1)
            while bytes.count - offset >= 32 {
                accumulators.0 = round(accumulators.0, word(bytes, offset))
                accumulators.1 = round(accumulators.1, word(bytes, offset + 8))
                accumulators.2 = round(accumulators.2, word(bytes, offset + 16))
                accumulators.3 = round(accumulators.3, word(bytes, offset + 24))
                offset += 32
            }
            sum =
                rotate(accumulators.0, 1) &+ rotate(accumulators.1, 7) &+ rotate(accumulators.2, 12) &+ rotate(accumulators.3, 18)
            for accumulator in [accumulators.0, accumulators.1, accumulators.2, accumulators.3] {
                sum = (sum ^ round(0, accumulator)) &* prime1 &+ prime4
            }
        } else {
            sum = prime5
        }
        sum &+= UInt64(bytes.count)
        while bytes.count - offset >= 8 {
            sum = rotate(sum ^ round(0, word(bytes, offset)), 27) &* prime1 &+ prime4
            offset += 8
        }
        if bytes.count - offset >= 4 {
            let half = UInt64(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
            sum = rotate(sum ^ half &* prime1, 23) &* prime2 &+ prime3
            offset += 4
        }
        while offset < bytes.count {
            sum = rotate(sum ^ UInt64(bytes[offset]) &* prime5, 11) &* prime1
            offset += 1
        }
        sum = (sum ^ sum >> 33) &* prime2
        sum = (sum ^ sum >> 29) &* prime3
        return sum ^ sum >> 32
    }

    private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    private static func round(_ sum: UInt64, _ input: UInt64) -> UInt64 {
        rotate(sum &+ input &* prime2, 31) &* prime1
    }

    private static func rotate(_ word: UInt64, _ count: UInt64) -> UInt64 {
        word << count | word >> (64 - count)
    }
}
