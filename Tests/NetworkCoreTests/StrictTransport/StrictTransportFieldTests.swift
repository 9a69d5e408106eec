import Testing
import TransferTestSupport

@testable import NetworkTransport

struct StrictTransportFieldTests {
    private static let greatest = StrictTransportField.greatestAge

    // RFC 6797 §6.1 and §6.2.
    @Test(
        arguments: [
            ("max-age=31536000", 31_536_000, false), ("max-age=15768000 ; includeSubDomains", 15_768_000, true),
            ("max-age=\"31536000\"", 31_536_000, false), ("max-age=0", 0, false), ("max-age=0; includeSubDomains", 0, true),
            ("MAX-AGE=5;INCLUDESUBDOMAINS", 5, true), ("includeSubDomains; max-age=5", 5, true),
            (";; max-age = 5 ;; ; includeSubDomains ;", 5, true), ("\tmax-age\t=\t5\t", 5, false),
            ("max-age=5; preload; other=\"a;b\\\"c\"; more=t", 5, false), ("max-age=000005", 5, false),
            ("max-age=99999999999999999999999999", greatest, false), ("max-age=\"5\\5\"", 55, false),
        ] as [(String, Int64, Bool)])
    func `a valid field has an age, perhaps subdomains, and unknown directives`(text: String, age: Int64, subdomains: Bool) {
        #expect(StrictTransportField(text) == StrictTransportField(maximumAge: age, includesSubdomains: subdomains))
    }

    @Test(
        arguments: [
            "", ";", "max-age", "max-age=", "max-age=\"", "max-age=\"\"", "max-age=-1", "max-age=+1", "max-age=1.5", "max-age=1s",
            "max-age=1, max-age=2", "max-age=1; max-age=2", "max-age=1; Max-Age=1", "includeSubDomains",
            "max-age=5; includeSubDomains=1",
            "max-age=5; includeSubDomains; includesubdomains", "max-age=5; x; x", "max-age=5 includeSubDomains", "max-age=5; =a",
            "max-age=5; a=", "max-age=5; a=\"b", "max-age=5; a=b c", "max-age=5; \u{E9}", "max-age=\u{0665}", "max-age=5\u{0}",
        ])
    func `a field that violates the grammar is invalid as a whole`(text: String) {
        #expect(StrictTransportField(text) == nil)
    }

    @Test func `random fields are parsed as a model that composes them says`() {
        var random = SeededGenerator(seed: 6797)
        for _ in 0..<5000 {
            var directives: [String] = []
            var isValid = true
            var expected = StrictTransportField(maximumAge: 0)
            let age = Int64(random.below(1_000_000))
            func cased(_ name: String, _ random: inout SeededGenerator) -> String {
                String(name.map { random.chance(50) ? Character($0.uppercased()) : $0 })
            }
            let ages = random.pick([0, 1, 1, 1, 1, 2])
            for _ in 0..<ages {
                let value = random.pick(["\(age)", "\"\(age)\"", "00\(age)"])
                directives.append(cased("max-age", &random) + random.pick(["=", " = ", "= "]) + value)
            }
            expected.maximumAge = age
            if ages != 1 { isValid = false }
            if random.chance(40) {
                directives.append(cased("includeSubDomains", &random))
                expected.includesSubdomains = true
            }
            if random.chance(30) { directives.append(random.pick(["preload", "x=1", "y=\";max-age=7\""])) }
            if random.chance(10) {
                directives.append(random.pick(["a b", "=", "includesubdomains=\"\"", "q=\"", "max-age=x", "\u{1}"]))
                isValid = false
            }
            if random.chance(20) { directives.append("") }
            directives.shuffle(using: &random)
            let text = directives.joined(separator: random.pick([";", "; ", " ; "]))
            #expect(StrictTransportField(text) == (isValid ? expected : nil), "\(text)")
        }
    }
}
