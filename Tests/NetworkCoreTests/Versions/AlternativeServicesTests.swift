import Foundation
import Testing
import TransferTestSupport

@testable import NetworkEngine
@testable import NetworkTransport

struct AlternativeServicesTests {
    private typealias Field = AlternativeServicesField

    @Test(
        arguments: [
            // RFC 7838 §3.
            ("h3=\":443\"", .http3(port: 443, seconds: 86_400)), ("h3=\":8443\"; ma=60", .http3(port: 8443, seconds: 60)),
            ("h2=\":443\", h3=\":8443\";ma=2592000;persist=1", .http3(port: 8443, seconds: 2_592_000)),
            ("h3=\":1\"; persist=1; MA=\"7\"", .http3(port: 1, seconds: 7)),
            ("h3=\"A.Example:444\"; ma=5", .http3(port: 444, seconds: 5)),
            ("h3=\"other.example:443\", h3=\":9\"", .http3(port: 9, seconds: 86_400)),
            ("h3=\":1\", h3=\":2\"", .http3(port: 1, seconds: 86_400)),
            ("  h3=\":443\" ; ma=60 ; x=\"a,b;c\" ", .http3(port: 443, seconds: 60)),
            ("h3=\":443\"; ma=99999999999999999999", .http3(port: 443, seconds: 30 * 86_400)),
            ("clear", .none), ("", .none), ("h3=\":443\"; ma=0", .none), ("h3-29=\":443\"", .none), ("H3=\":443\"", .none),
            ("h3=:443", .none), ("h3=\":0\"", .none), ("h3=\":65536\"", .none), ("h3=\"443\"", .none), ("h3=\":443\"; ma", .none),
            ("h3=\":443\"; ma=-1", .none), ("h3=\":443\" x", .none), ("h3=\":443", .none), ("h3=\"a.example.:443\"", .none),
            (",,,=,;", .none), ("h3=\":\"", .none), ("h3=\":+1\"", .none),
        ] as [(String, AlternativeServicesField)])
    func `only HTTP 3 at the host of the origin is taken from the field`(value: String, expected: AlternativeServicesField) {
        #expect(Field(value, host: "a.example") == expected)
    }

    @Test(arguments: [(0, 60), (59, 1), (60, nil), (.max, nil), (-5, 60), (.min, 60)] as [(Int, Int?)])
    func `the age of a response shortens the lifetime of its offer`(age: Int, seconds: Int?) {
        let expected = seconds.map { AlternativeServicesField.http3(port: 1, seconds: $0) } ?? .none
        #expect(AlternativeServicesField("h3=\":1\"; ma=60", host: "a", age: age) == expected)
    }

    @Test func `random values are read to their end, and none has more than one offer`() {
        let pieces = [
            "h3", "=", "\"", ":", "443", ";", "ma", "60", ",", " ", "\\", "clear", "é", "\u{FE0F}", "\t", "999999999999999999999",
        ]
        for seed in 0..<20_000 {
            var random = SeededGenerator(seed: UInt64(seed))
            let value = (0..<Int.random(in: 0...14, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }
                .joined()
            guard case .http3(let port, let seconds) = AlternativeServicesField(value, host: "a") else { continue }
            #expect((1...65_535).contains(port) && (1...2_592_000).contains(seconds), "\(value)")
            #expect(value.contains("h3=\":"), "\(value)")
        }
        let many = String(repeating: "h2=\":1\",", count: 200_000) + "h3=\":1\""
        #expect(AlternativeServicesField(many, host: "a") == .none)
    }

    private static let second: UInt64 = 1_000_000_000

    @Test func `an offer lasts for its lifetime, and the latest one counts`() {
        var table = AlternativeServices()
        #expect(table.service(of: "o", orAt: nil, at: 0) == nil)
        #expect(table.service(of: "o", orAt: 443, at: 0)?.port == 443)
        table.receive(.http3(port: 8443, seconds: 60), from: "o", at: 0)
        #expect(table.service(of: "o", orAt: nil, at: 59 * Self.second)?.port == 8443)
        #expect(table.service(of: "o", orAt: 443, at: 59 * Self.second)?.port == 8443)
        #expect(table.service(of: "o", orAt: nil, at: 60 * Self.second) == nil)
        table.receive(.http3(port: 9, seconds: 60), from: "o", at: 0)
        #expect(table.service(of: "o", orAt: nil, at: 1)?.port == 9)
        table.receive(.none, from: "o", at: 0)
        #expect(table.service(of: "o", orAt: nil, at: 1) == nil)
        #expect(table.service(of: "other", orAt: nil, at: 1) == nil)
    }

    @Test func `failures still count if the same service is withdrawn and offered again, but not for another one`() {
        var table = AlternativeServices()
        table.receive(.http3(port: 1, seconds: 3600), from: "o", at: 0)
        table.fail("o", at: 0)
        table.receive(.none, from: "o", at: 1)
        table.receive(.http3(port: 1, seconds: 3600), from: "o", at: 2)
        #expect(table.service(of: "o", orAt: nil, at: 3) == nil)
        table.receive(.http3(port: 2, seconds: 3600), from: "o", at: 4)
        #expect(table.service(of: "o", orAt: nil, at: 5)?.port == 2)
    }

    @Test func `after failures HTTP 3 is tried again later and later, and at once after a success or a new offer`() {
        var table = AlternativeServices()
        var now: UInt64 = 0
        for minutes in [5, 10, 20, 40, 60, 60, 60] as [UInt64] {
            #expect(table.service(of: "o", orAt: 1, at: now) == .init(port: 1, isProven: false))
            for _ in 0..<50 { table.fail("o", at: now) }
            #expect(table.service(of: "o", orAt: 1, at: now + minutes * 60 * Self.second - 1) == nil)
            now += minutes * 60 * Self.second
        }
        table.succeed("o", at: now)
        #expect(table.service(of: "o", orAt: 1, at: now) == .init(port: 1, isProven: true))
        table.fail("o", at: now)
        #expect(table.service(of: "o", orAt: 1, at: now + 299 * Self.second) == nil)
        #expect(table.service(of: "o", orAt: 1, at: now + 300 * Self.second) == .init(port: 1, isProven: false))
        table.receive(.http3(port: 2, seconds: 60), from: "o", at: now)
        #expect(table.service(of: "o", orAt: nil, at: now) == .init(port: 2, isProven: false), "another port is another service")
        table.fail("o", at: now)
        table.receive(.http3(port: 2, seconds: 600), from: "o", at: now)
        #expect(table.service(of: "o", orAt: nil, at: now) == nil, "the same offer again is no reason to try again")
    }

    @Test func `the table has no more origins than its limit, whatever is recorded`() {
        var table = AlternativeServices(limit: 8)
        var random = SeededGenerator(seed: 1)
        for step in 0..<5_000 as Range<UInt64> {
            let origin = "o\(random.next() % 40)"
            let now = step * Self.second
            switch random.next() % 4 {
            case 0: table.receive(.http3(port: 1, seconds: Int(random.next() % 100) + 1), from: origin, at: now)
            case 1: table.receive(.none, from: origin, at: now)
            case 2: table.fail(origin, at: now)
            default: table.succeed(origin, at: now)
            }
            #expect(table.count <= 8)
        }
        table.receive(.http3(port: 7, seconds: 1), from: "last", at: 1 << 60)
        #expect(table.service(of: "last", orAt: nil, at: 1 << 60)?.port == 7)
    }
}
