import Endpoints
import Testing

@Suite struct HeaderFieldsTests {
    private let headers: HeaderFields = ["Accept": "a", "Set-Cookie": "x=1", "accept": "b", "set-cookie": "y=2", "B": ""]

    @Test func `names are case-insensitive and values stay separate`() {
        // RFC 9110 §5.1, §5.3
        #expect(headers["ACCEPT"] == "a, b")
        #expect(headers.values(for: "Accept") == ["a", "b"])
        #expect(headers["b"] == "")
        #expect(headers["C"] == nil)
        #expect(headers.values(for: "C").isEmpty)
        #expect(headers.contains("bB") == false && headers.contains("b"))
    }

    @Test func `Set-Cookie values are never joined`() {
        #expect(headers["SET-COOKIE"] == "x=1")
        #expect(headers.values(for: "Set-Cookie") == ["x=1", "y=2"])
    }

    @Test func `setting replaces all lines at the position of the first`() {
        var headers = headers
        headers["aCCept"] = "c"
        #expect(headers.map(\.name) == ["aCCept", "Set-Cookie", "set-cookie", "B"])
        headers["Set-Cookie"] = nil
        headers["New"] = "1"
        headers.add("2", for: "new")
        #expect(headers.map { $0.name + $0.value } == ["aCCeptc", "B", "New1", "new2"])
        headers.remove("NEW")
        headers.remove("absent")
        #expect(headers.count == 2)
    }

    @Test func `replacing keeps the other fields in order and appends all new lines`() {
        let other: HeaderFields = ["B": "1", "b": "2"]
        #expect(headers.replacing(with: other).map(\.value) == ["a", "x=1", "b", "y=2", "1", "2"])
        #expect(headers.replacing(with: [:]).map(\.value) == headers.map(\.value))
        #expect(HeaderFields().replacing(with: other) == other)
    }

    @Test(
        arguments: [
            (["A": "1", "B": "2"], ["b": "2", "a": "1"], true),
            (["A": "1", "a": "2"], ["a": "1", "A": "2"], true),
            (["A": "1", "a": "2"], ["a": "2", "A": "1"], false),
            (["A": "1"], ["A": "1", "a": "1"], false),
            (["A": "x"], ["A": "X"], false),
            ([:], [:], true),
        ] as [(HeaderFields, HeaderFields, Bool)]
    )
    func `only the order of fields with the same name matters for equality`(
        left: HeaderFields, right: HeaderFields, isEqual: Bool
    ) {
        #expect((left == right) == isEqual)
        if isEqual { #expect(left.hashValue == right.hashValue) }
    }

    @Test func `fields from a dictionary are sorted, and fields from a literal keep their order`() {
        #expect(HeaderFields(["b": "1", "a": "2"] as [String: String]).map(\.name) == ["a", "b"])
        #expect((["b": "1", "a": "2"] as HeaderFields).map(\.name) == ["b", "a"])
        #expect(([.init(name: "a", value: "1")] as HeaderFields)["A"] == "1")
    }

    @Test func `the cache policy is the value of Cache-Control`() {
        var headers: HeaderFields = ["cache-control": "no-cache", "A": "b", "Cache-Control": "no-store"]
        #expect(headers.cachePolicy == .ignoringCaches)
        headers.cachePolicy = .maximumAge(.seconds(60))
        #expect(headers.values(for: "Cache-Control") == ["max-age=60"])
        headers.cachePolicy = .protocolRules
        #expect(headers == ["A": "b"])
        #expect(headers.cachePolicy == .protocolRules)
    }

    @Test func `descriptions show only values that cannot be secret`() {
        let headers: HeaderFields = ["Accept": "a/b", "X-Api-Key": "CANARY"]
        #expect(headers.description == "[Accept: a/b, X-Api-Key: <6 bytes>]")
        #expect(!everyText(of: headers).contains("CANARY"))
    }
}
