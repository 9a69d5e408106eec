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
}
