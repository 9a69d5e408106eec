import Endpoints
import Testing
import TransferTestSupport

@testable import NetworkCache

/// The normal form of the fields that `Vary` names (RFC 9111 §4.1, RFC 9110 §12.5).
struct WeightedListTests {
    @Test(arguments: [
        ("gzip, br", "GZIP ,br", true), ("gzip, br", "br, gzip", true), ("gzip;q=0.5, br", "br,gzip; Q=0.50", true),
        ("gzip;q=1.000", "gzip", true), ("gzip;q=0.5, br;q=0.5", "br;q=0.5, gzip;q=0.5", true), (", gzip,,", "gzip", true),
        ("text/html;Level=1", "TEXT/HTML ; level = 1", true), ("a/b;profile=X", "a/b;profile=x", false),
        (#"a/b;p="x, y""#, #"a/b;p="x,y""#, false), ("gzip;q=2", "gzip", false), ("gzip;q=500", "gzip;q=0.5", false),
        ("gzip;q=0", "gzip", false), ("", ",", true), ("en", "en-US", false), ("en;q", "en", false),
    ])
    func `values that mean the same have the same normal form`(left: String, right: String, isSame: Bool) {
        #expect((WeightedList.normalized(left) == WeightedList.normalized(right)) == isSame)
        for value in [left, right] {
            let normal = WeightedList.normalized(value)
            #expect(WeightedList.normalized(normal) == normal)
        }
    }

    @Test(arguments: ["accept", "accept-charset", "accept-encoding", "accept-language"])
    func `white space, case and lines of a list do not distinguish variants (§4.1)`(name: String) {
        let stored = StorageRules.varying([name], HeaderFields(lines: "\(name): A, b;q=0.5,c;q=0.7"))
        #expect(StorageRules.matches(stored, HeaderFields(lines: "\(name):   c; q=0.7,a", "\(name): B;q=0.5")))
        #expect(!StorageRules.matches(stored, HeaderFields(lines: "\(name): a, b;q=0.7,c;q=0.5")))
        #expect(!StorageRules.matches(stored, [:]))
    }

    @Test
    func `fields with an unknown grammar are compared as they are, without white space around commas`() {
        let stored = StorageRules.varying(["x-list", "user-agent"], HeaderFields(lines: "X-List: a,b", "User-Agent: A"))
        #expect(StorageRules.matches(stored, HeaderFields(lines: "X-List: a,b", "User-Agent: A")))
        #expect(StorageRules.matches(stored, HeaderFields(lines: "X-List: a , b", "User-Agent: A")))
        #expect(!StorageRules.matches(stored, HeaderFields(lines: "X-List: b,a", "User-Agent: A")))
        #expect(!StorageRules.matches(stored, HeaderFields(lines: "X-List: a,b", "User-Agent: a")))
    }

    @Test
    func `random lists in another notation have the same normal form`() {
        var random = SeededGenerator(seed: 9111)
        for _ in 0..<2000 {
            // In any order.
            let weights = [1000, 999, 700, 500, 120, 10, 0].shuffled(using: &random).prefix(random.below(5))
            let elements = weights.map { (name: random.pick(["gzip", "Br", "*", "x/y;z=1"]), weight: $0) }
            func text(_ order: [(name: String, weight: Int)]) -> String {
                let parts = order.map { name, weight in
                    let name = random.chance(50) ? name.lowercased() : name
                    let space = random.pick(["", " ", "\t"])
                    if weight == 1000 { return name + random.pick(["", ";q=1", "; Q=1.0", " ;q=1.000"]) }
                    var digits = String(String(weight + 1000).dropFirst())
                    while digits.hasSuffix("0"), random.chance(70) { digits.removeLast() }
                    return "\(name)\(space);\(space)q=0\(digits.isEmpty ? "" : ".")\(digits)"
                }
                return parts.joined(separator: random.pick([",", " , ", ", ,", ",\t"]))
            }
            let (left, right) = (text(elements), text(elements.shuffled(using: &random)))
            #expect(WeightedList.normalized(left) == WeightedList.normalized(right), "\(left) and \(right)")
            let other = elements.dropLast()
            if !elements.isEmpty { #expect(WeightedList.normalized(left) != WeightedList.normalized(text(Array(other)))) }
        }
    }
}
