import Foundation
import NetworkCache
import Testing
import TransferTestSupport

@Suite struct CacheDirectivesFuzzTests {
    private static let pieces = [
        "max-age", "s-maxage", "no-cache", "private", "no-store", "public", "max-stale", "immutable", "x", "=", "=", "=", ",",
        ",", ",",
        "\"", "\"", "\\", " ", "\t", "0", "60", "99999999999", "-1", "é", "\u{301}", "\u{1F600}", "\u{0}", "\r\n", "Set-Cookie",
        ";",
    ]

    private func text(_ random: inout SeededGenerator) -> String {
        (0..<Int.random(in: 0...14, using: &random)).map { _ in Self.pieces.randomElement(using: &random) ?? "" }.joined()
    }

    @Test(arguments: 5...8 as ClosedRange<UInt64>)
    func `durations are between zero and the limit, and appended directives do not change earlier ones`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let allowed = Duration.zero...Duration.seconds(CacheDirectives.maximumSeconds)
        for _ in 0..<5_000 {
            let text = text(&random)
            let value = CacheDirectives(parsing: text)
            let durations = [value.maxAge, value.staleWhileRevalidate, value.maxStale, value.minFresh, value.staleIfError]
            #expect(durations.compactMap { $0 }.allSatisfy(allowed.contains), "\(text.debugDescription)")
            // A separator and a directive that follow malformed text are parsed, unless the text has an open quote that they
            // close.
            let longer = CacheDirectives(parsing: text + ", no-store")
            #expect(longer.directives.starts(with: value.directives), "\(text.debugDescription)")
            #expect(longer.noStore, "\(text.debugDescription)")
        }
    }
}
