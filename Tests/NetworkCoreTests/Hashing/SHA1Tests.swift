import NetworkSupport
import Testing

@testable import NetworkTransport

struct SHA1Tests {
    // FIPS 180-4's examples, and those of RFC 3174 §7.3.
    @Test(arguments: [
        ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"), ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
        ("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "84983e441c3bd26ebaae4aa1f95129e5e54670f1"),
        (String(repeating: "a", count: 1_000_000), "34aa973cd4c4daa4f61eeb2bdbad27316534016f"),
        (String(repeating: "01234567", count: 80), "dea356a2cddd90c7a7ecedc5ebb563934f460452"),
    ])
    func `digests match the published examples`(message: String, digest: String) {
        #expect(SHA1.digest(of: message.utf8).hexadecimal == digest)
    }

    @Test func `the division into pieces does not matter`() {
        let message = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        for piece in [1, 3, 63, 64, 65, 200] {
            var hash = SHA1()
            for start in stride(from: 0, to: message.count, by: piece) {
                message[start..<min(start + piece, message.count)].withUnsafeBytes { hash.update($0) }
            }
            #expect(hash.finalized() == SHA1.digest(of: message))
        }
    }
}
