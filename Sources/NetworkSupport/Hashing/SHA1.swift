/// Computes SHA-1 (FIPS 180-4 §6.1) of bytes that arrive piece by piece, for protocols that require it. It does not protect against forgery.
package struct SHA1: BlockDigest {
    typealias Words = (UInt32, UInt32, UInt32, UInt32, UInt32)

    var words: Words = (0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0)
    var blocks = DigestBlocks()

    package init() {}

    package func finalized() -> [UInt8] {
        let words = finalWords(isBigEndian: true)
        return [words.0, words.1, words.2, words.3, words.4].flatMap { word in withUnsafeBytes(of: word.bigEndian) { Array($0) } }
    }

    static func compress(_ words: inout Words, _ blocks: UnsafeRawBufferPointer) {
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 80) { schedule in
            var start = 0
            while start < blocks.count {
                for index in 0..<16 {
                    let word = blocks.loadUnaligned(fromByteOffset: start &+ index &* 4, as: UInt32.self)
                    schedule[index] = UInt32(bigEndian: word)
                }
                for index in 16..<80 {
                    let mixed = schedule[index &- 3] ^ schedule[index &- 8] ^ schedule[index &- 14] ^ schedule[index &- 16]
                    schedule[index] = rotate(mixed, 1)
                }
                var (a, b, c, d, e) = words
                for step in 0..<80 {
                    let (mixed, constant): (UInt32, UInt32) =
                        switch step / 20 {
                        case 0: ((b & c) | (~b & d), 0x5a82_7999)
                        case 1: (b ^ c ^ d, 0x6ed9_eba1)
                        case 2: ((b & c) | (b & d) | (c & d), 0x8f1b_bcdc)
                        default: (b ^ c ^ d, 0xca62_c1d6)
                        }
                    let sum = rotate(a, 5) &+ mixed &+ e &+ constant &+ schedule[step]
                    (e, d, c, b, a) = (d, c, rotate(b, 30), a, sum)
                }
                words.0 &+= a
                words.1 &+= b
                words.2 &+= c
                words.3 &+= d
                words.4 &+= e
                start &+= DigestBlocks.byteCount
            }
        }
    }

    private static func rotate(_ word: UInt32, _ bits: UInt32) -> UInt32 { word &<< bits | word &>> (32 &- bits) }
}
