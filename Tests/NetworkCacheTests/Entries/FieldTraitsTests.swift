import Endpoints
import NetworkSupport
import Testing

@testable import NetworkCache

struct FieldTraitsTests {
    private static let names =
        NeutralFields.listedNames + FieldTraits.namesWithTerms + HeaderFields.selectingNames.names + [
            "authorization", "cookie", "x-api-key", "x-tenant", "traceparent", "x-request-id", "x-b3-traceid", "x-datadog-origin",
            "",
            "é", "a",
        ]

    @Test(arguments: names)
    func `the traits of a field are those that its name has by the separate rules`(name: String) {
        for name in [name, name.uppercased()] {
            let traits = FieldTraits(ofName: name)
            #expect(traits.contains(.separates) == !NeutralFields.contains(name))
            #expect(traits.contains(.hasTerms) == FieldTraits.namesWithTerms.contains(name.lowercased()))
            #expect(traits.contains(.replacesMethod) == HeaderFields([.init(name: name, value: "x")]).replaceMethod)
            #expect(traits.contains(.isHost) == (name.lowercased() == "host"))
        }
    }

    @Test func `a request has the traits of all of its fields`() {
        #expect(FieldTraits([:]) == [])
        #expect(FieldTraits(["Accept": "a", "User-Agent": "b"]) == [])
        #expect(
            FieldTraits(["Accept": "a", "Cache-Control": "b", "X-Tenant": "c", "Host": "d"]) == [.hasTerms, .separates, .isHost])
    }

    @Test(arguments: [
        ["Cache-Control: no-store"], ["Pragma: no-cache"], ["Range: bytes=0-1"], ["If-Match: x"], ["If-None-Match: x"],
        ["If-Range: x", "Range: bytes=0-1"], ["If-Modified-Since: x"], ["If-Unmodified-Since: x"], ["Upgrade: x"], ["Accept: x"],
    ])
    func `requirements are read with traits as without`(lines: [String]) {
        let headers = HeaderFields(lines: lines)
        #expect(RequestTerms(headers, FieldTraits(headers)) == RequestTerms(headers))
        #expect((RequestTerms(headers) == RequestTerms()) == (lines == ["Accept: x"]))
    }
}
