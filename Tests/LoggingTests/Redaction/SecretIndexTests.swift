import Foundation
import Testing
import TestSupport

@testable import NetworkLogging

struct SecretIndexTests {
    private static func ranges(_ index: SecretIndex, _ text: [UInt8], isCut: Bool = false) -> [Range<Int>] {
        text.withUnsafeBufferPointer { index.ranges(in: $0, isCut: isCut) }
    }

    private static func pattern(_ bytes: [UInt8], standsAlone: Bool = false) -> SecretIndex.Pattern {
        SecretIndex.Pattern(bytes: bytes, standsAlone: standsAlone, isBeginning: false)
    }

    /// The texts and patterns have few letters, so that there are many that are similar.
    @Test func `the index finds what a search for each pattern finds, also after removals`() throws {
        for seed in 0..<UInt64(runs(20, slow: 400)) {
            var random = SeededGenerator(seed: seed)
            func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in random.pick(Array("aab".utf8)) } }
            var index = SecretIndex()
            var patterns = (0..<12).map { _ in bytes(6 + random.below(random.chance(30) ? 70 : 10)) }
            for pattern in patterns { index.count(Self.pattern(pattern), by: 1) }
            for pattern in patterns.suffix(4) { index.count(Self.pattern(pattern), by: -1) }
            patterns.removeLast(4)
            var text = bytes(300)
            for pattern in patterns { text.insert(contentsOf: pattern, at: random.below(text.count)) }
            let found = Self.ranges(index, text)
            let hidden = Set(found.flatMap { Array($0) })
            for pattern in patterns where text.count >= pattern.count {
                for start in 0...(text.count - pattern.count) where text[start..<start + pattern.count].elementsEqual(pattern) {
                    try #require((start..<start + pattern.count).allSatisfy(hidden.contains), "seed \(seed)")
                }
            }
            // What is hidden is equal to a pattern, or to 48 bytes of one.
            for range in found {
                let isPart = patterns.contains { $0.starts(with: text[range]) || text[range].starts(with: $0.prefix(48)) }
                try #require(isPart, "seed \(seed)")
            }
        }
    }

    @Test func `the time of a search does not depend on the number of values`() {
        func time(values: Int) -> Double {
            var index = SecretIndex()
            for number in 0..<values {
                let start = String(repeating: "a", count: number % 60)
                index.count(Self.pattern(Array("aaaaaa\(start)\(number)b".utf8)), by: 1)
            }
            for text in ["a", "aaaaaaa1", "aaaaaab", "x"] {
                _ = Self.ranges(index, Array(String(repeating: text, count: 1 << 10 / text.utf8.count).utf8))
            }
            let texts = ["a", "aaaaaaa1", "aaaaaab", "x"].map {
                Array(String(repeating: $0, count: (1 << 14) / $0.utf8.count).utf8)
            }
            return (0..<3).map { _ in processorTime { for text in texts { _ = Self.ranges(index, text) } } / .microseconds(1) }
                .min() ?? 0
        }
        #expect((0..<4).contains { _ in time(values: 8000) < 2 * time(values: 400) })
    }

    @Test func `of a secret that is cut, less than four bytes are shown, in each encoding`() async {
        await #expect(processExitsWith: .success) {
            let secret = "Zq+9/x&Kd7\"mW2vT<8pLr"
            SecretValues.insert(secret)
            let encoded = [
                secret, secret.utf8.map { "%" + String($0, radix: 16) }.joined(),
                secret.utf8.map { "\\u00" + String($0, radix: 16) }.joined(),
                secret.utf8.map { "&#x0000\(String($0, radix: 16));" }.joined(), Data(secret.utf8).base64EncodedString(),
            ]
            for text in encoded {
                let whole = Array("harmless-\(text)-text".utf8)
                for count in 9..<whole.count {
                    let start = TextStart(whole, bytes: count)
                    let shown = start.bytes.hiding(SecretValues.ranges(in: start)).text
                    let kept = shown.dropFirst(9).prefix { $0 != "<" }.utf8.count
                    #expect(shown.hasPrefix("harmless-") && kept <= 4 * text.utf8.count / secret.utf8.count + 3, "\(shown)")
                }
                #expect(
                    SecretValues.masked("harmless-\(text)-text") == "harmless-\(Redaction.placeholder)-text" || text == encoded[4]
                )
            }
        }
    }

    @Test func `a peer can neither displace a value of the program nor hide what a log is read for`() async {
        await #expect(processExitsWith: .success) {
            SecretValues.insert("program-secret")
            for number in 0..<20_000 {
                SecretValues.insert("peer-Value-\(number)-0123456789".utf8, sentBy: "a\(number).evil\(number % 50).test")
            }
            SecretValues.insert("program-secret".utf8, sentBy: "evil.test")
            let kept = "Another-Peer-0123456789"
            SecretValues.insert(kept.utf8, sentBy: "good.test")
            for number in 0..<5000 { SecretValues.insert("peer-Value-\(number)-9876543210".utf8, sentBy: "a\(number).evil.test") }
            let words = [
                "the ", "production", "https://api.example.com/v1", "/admin/users/12345678", "api2024.Example-Host.com",
                "10.20.30.40:8080901",
                "aaaaaaaaaaaaaaaaaaaaaaaa", "2026-11-26T14:20:02Z", "POST /transfer HTTP/1.1", "a1b2c3d4e5.evil.test:443",
            ]
            for word in words { SecretValues.insert(word.utf8, sentBy: "evil.test") }
            let text = words.joined(separator: " | ")
            #expect(SecretValues.masked(text) == text)
            let hidden = Redaction.placeholder
            #expect(SecretValues.masked("a program-secret \(kept) b") == "a \(hidden) \(hidden) b")
            #expect(
                SecretValues.masked("peer-Value-4999-9876543210, peer-Value-1-9876543210") == "\(hidden), peer-Value-1-9876543210"
            )
            // A value of a peer within a word is not one.
            #expect(SecretValues.masked("x\(kept)y") == "x\(kept)y")
        }
    }
}
