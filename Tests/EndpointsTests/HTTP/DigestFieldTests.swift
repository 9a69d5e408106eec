import Endpoints
import Foundation
import Testing
import TestSupport

/// The `Content-Digest` and `Repr-Digest` fields (RFC 9530 §2, §3), with the syntax of RFC 9651 §3.2.
struct DigestFieldTests {
    private static let hello = Data("hello".utf8)

    @Test(
        arguments: [
            "sha-256=:aGVsbG8=:", "sha-256=:aGVsbG8=:, sha-512=:AAAA:", "sha-512=:AAAA:,sha-256=:aGVsbG8=:",
            " \u{20}sha-256=:aGVsbG8=:  ", "sha-256=:aGVsbG8=:;q=1;x",
            "a=1, b=\"x,\\\"y\", c=(1 2 \"3\");d=?1, e, sha-256=:aGVsbG8=:",
            "sha-256=1, sha-256=:aGVsbG8=:", "sha-256=:AAAA:, sha-256=:aGVsbG8=:",
            // Types and forms that RFC 9651 adds (§3.3.7, §3.3.8), and base64 without padding (§4.2.7).
            #"a=%"f%c3%bc, x";b=@1, sha-256=:aGVsbG8=:"#, "a=@1659578233;b=%\"\", sha-256=:aGVsbG8=:",
            "sha-256=:aGVsbG8:, sha-512=:AA:",
        ])
    func `a digest is found among other members and parameters`(text: String) {
        #expect(DigestField(text).digests["sha-256"] == Self.hello)
    }

    @Test(
        arguments: [
            "", "sha-256", "sha-256=", "sha-256=aGVsbG8=", "sha-256=:aGVsbG8=", "sha-256=:?:", "SHA-256=:aGVsbG8=:",
            "sha-256=:aGVsbG8=:,", "sha-256=:aGVsbG8=: x", "sha-256 =:aGVsbG8=:", "sha-256=:aGVsbG8=:, sha-256=1",
            "a=(1, sha-256=:aGVsbG8=:",
            "a=\"x, sha-256=:aGVsbG8=:", "sha-256=:aGVsbG8=:;=", "é=1, sha-256=:aGVsbG8=:",
        ])
    func `a malformed field contains no digest`(text: String) {
        #expect(DigestField(text).digests["sha-256"] == nil)
    }

    @Test func `parsing random fields does not trap`() {
        var random = SeededGenerator(seed: 9530)
        let alphabet = Array("sha-256=:;,()\" \\aA=?1.@%\u{7F}é")
        for _ in 0..<2000 {
            let text = String((0..<Int.random(in: 0..<30, using: &random)).map { _ in alphabet.randomElement(using: &random)! })
            #expect(DigestField(text).digests.count < 10)
        }
    }

    @Test(arguments: [
        ("", false), ("sha-512=:AAAA:", false), ("a=1", false), ("sha-256=:hT/5N2Kgbdv3IsTr6d3WbY9j3a6pf1IcPswg2nyXYCA:", false),
        ("sha-256=:AAAA:", true), ("sha-256", true), ("sha-256=1", true),
        ("sha-256=:hT/5N2Kgbdv3IsTr6d3WbY9j3a6pf1IcPswg2nyXYCA=", true),
        ("\u{301}", true),
    ])
    func `a field that is no dictionary, or whose SHA-256 has not 32 bytes, is malformed`(text: String, isMalformed: Bool) {
        #expect(DigestField(text).isMalformed == isMalformed)
    }
}
