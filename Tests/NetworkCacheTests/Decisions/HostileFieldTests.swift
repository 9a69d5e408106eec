import Endpoints
import Foundation
import NetworkSupport
import Testing
import TransferTestSupport

@testable import NetworkCache

/// Header fields with characters that combine with delimiters, or that are equal to others with different bytes.
struct HostileFieldTests {
    /// RFC 9110 §8.8.3.2: entity tags are compared by octets.
    @Test func `entity tags and Vary values that are equal as text are different`() throws {
        let (one, two) = ("\"e\u{301}\"", "\"\u{E9}\"")
        #expect(one == two)
        let terms = ResponseTerms(.make(["ETag": one]))
        #expect(ValidationRules.isAbout(["ETag": two], terms) == false)
        #expect(ValidationRules.isAbout(["ETag": "W/" + one], terms) == true)
        let varying = StorageRules.varying(["accept"], ["Accept": one])
        #expect(StorageRules.matches(varying, ["Accept": one]) && !StorageRules.matches(varying, ["Accept": two]))
    }

    /// RFC 9111 §5.1: the first value counts.
    @Test func `the age in a random field is that of a reference parser`() {
        var random = SeededGenerator(seed: 9111)
        for _ in 0..<4000 {
            let text = random.hostileText(of: ["7", "12", "-3", "+4", "9999999999", ", "], maximumPieces: 8)
            let first = Array(text.utf8.prefix { $0 != UInt8(ascii: ",") }).trimmed
            let isNumber = !first.isEmpty && first.allSatisfy { (0x30...0x39).contains($0) }
            let age = isNumber ? min(Double(String(decoding: first, as: UTF8.self)) ?? 0, 2_147_483_648) : 0
            let terms = ResponseTerms(.make(["Age": text]))
            #expect(terms.initialAge == age, "\(text.debugDescription)")
        }
    }
}
