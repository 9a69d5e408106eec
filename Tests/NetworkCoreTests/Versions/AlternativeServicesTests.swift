import NetworkSupport
import TestSupport
import Testing
import TransferTestSupport

@testable import NetworkEngine

/// What servers say of HTTP/3 in `Alt-Svc` (RFC 7838).
struct AlternativeServicesTests {
    private static let day = AlternativeServiceField.defaultLifetime

    @Test(arguments: [
        (#"h3=":443""#, AlternativeServiceField.port(443, lifetime: day)),
        (#"h3=":443"; ma=60"#, .port(443, lifetime: 60)),
        (#" h3=":443" ; ma="60" ; persist=1, h2=":444""#, .port(443, lifetime: 60)),
        (#"h2=":1", h3-29=":2", h3=":8443"; ma=5, h3=":3""#, .port(8443, lifetime: 5)),
        (#"h3="API.test:443""#, .port(443, lifetime: day)),
        (#"h3="other.test:443""#, .nothing),
        (#"h3="other.test:443", h3=":444""#, .port(444, lifetime: day)),
        (#"h3=":0", h3=":65536", h3=":-1", h3="", h3=":""#, .nothing),
        (#"h3=":65535"; MA=99999999999999999999999"#, .port(65535, lifetime: AlternativeServices.maximumAge)),
        (#"h3=":443"; ma=0"#, .port(443, lifetime: 0)),
        (#"w%3Dx%3Ay#z=":80", h3=":9";v="a;,\"b""#, .port(9, lifetime: day)),
        ("clear", .nothing), (" clear ", .nothing), ("", .nothing), (#", ,h3=":1", ,"#, .port(1, lifetime: day)),
    ])
    func `the first offer of HTTP 3 at the host of the origin counts`(text: String, expected: AlternativeServiceField) {
        #expect(AlternativeServiceField(text, host: "api.test") == expected)
    }

    @Test(arguments: [
        "h3", "h3=", "h3=:443", #"h3=":443"#, #"h3=":443" ma=60"#, #"h3=":443"; ma"#, #"h3=":443"; ma="#, #"h3=":443"; ma=-1"#,
        #"h3=":443"; ma=1.5"#, #"=":443""#, #"h3=":443";"#, #"h3=":443" h3=":444""#, "Clear", #"clear, h3=":443""#,
        #"h3=":443"; x="a"#,
    ])
    func `a malformed field changes nothing`(text: String) {
        #expect(AlternativeServiceField(text, host: "api.test") == nil)
    }

    @Test func `long fields are ignored, and no field makes the parser fail`() {
        #expect(AlternativeServiceField(#"h3=":443"; x="# + String(repeating: "x", count: 4096), host: "a") == nil)
        var random = SeededGenerator(seed: UInt64.random(in: 0...1 << 40))
        let parts = ["h3", "=", "\"", ":443", ";", "ma", "60", ",", " ", "\\", "clear", "é", "\u{0}", "9999999999"]
        for _ in 0..<5000 {
            let text = (0..<random.below(12)).map { _ in random.pick(parts) }.joined()
            guard case .port(let port, let lifetime)? = AlternativeServiceField(text, host: "a") else { continue }
            #expect((1...65_535).contains(port) && (0...AlternativeServices.maximumAge).contains(lifetime), "\(text)")
        }
    }

    @Test func `an offer counts until its time is over, it is replaced, or it is removed`() {
        var services = AlternativeServices()
        let second: UInt64 = 1_000_000_000
        services.note(.port(443, lifetime: 60), of: "a", at: 5)
        services.note(.port(444, lifetime: 60), age: 59, of: "b", at: 5)
        services.note(.port(445, lifetime: 60), age: 60, of: "c", at: 5)
        #expect(services.port(of: "a", at: 4 + 60 * second) == 443 && services.port(of: "a", at: 5 + 60 * second) == nil)
        #expect(services.port(of: "b", at: 4 + second) == 444 && services.port(of: "b", at: 5 + second) == nil)
        #expect(services.port(of: "c", at: 5) == nil)
        services.note(.port(1, lifetime: 1), of: "a", at: 5)
        #expect(services.port(of: "a", at: 5) == 1)
        services.note(.nothing, of: "a", at: 5)
        services.remove("b")
        #expect(services.port(of: "a", at: 5) == nil && services.port(of: "b", at: 5) == nil)
    }

    @Test func `the number of origins is limited, and so is the time`() {
        var services = AlternativeServices()
        for number in 0..<2 * AlternativeServices.maximum { services.note(.port(1, lifetime: 60), of: "\(number)", at: 0) }
        let known = (0..<2 * AlternativeServices.maximum).count { services.port(of: "\($0)", at: 0) != nil }
        #expect((1...AlternativeServices.maximum).contains(known))
        services.note(.port(1, lifetime: .max), age: -5, of: "a", at: 0)
        #expect(services.port(of: "a", at: UInt64(AlternativeServices.maximumAge) * 1_000_000_000) == nil)
    }
}
