import Endpoints
import Foundation
import NetworkCore
import Testing
import TransferTestSupport

@testable import NetworkCache

/// One row: a response, and whether a private cache stores it: RFC 9111 permits that, and the response can be reused.
struct StorageRow: Sendable, CustomTestStringConvertible {
    var section: String
    var status: Int
    var response: [String]
    var request: [String]
    var isStored: Bool

    init(_ section: String, _ response: [String], status: Int = 200, request: [String] = [], _ isStored: Bool) {
        self.section = section
        self.status = status
        self.response = response
        self.request = request
        self.isStored = isStored
    }

    var testDescription: String { "\(section): \(status) \(response) \(request)" }
}

struct StorageTests {
    private static let tag = #"ETag: "1""#
    private static let modified = "Last-Modified: \(TestTime.text(-1000))"

    static let rows: [StorageRow] = [
        StorageRow("§3 fresh", ["Cache-Control: max-age=60"], true),
        StorageRow("§3 Expires", ["Expires: \(TestTime.text(60))"], true),
        StorageRow("§3 of use with a validator", [tag], true),
        StorageRow("§4.2.2 of use for a while", [modified], true),
        StorageRow("§4.2.4 of use only if it may be stale", ["Content-Type: text/plain"], true),
        StorageRow("§4.2.4 stale when it comes", ["Cache-Control: max-age=60", "Age: 60"], true),
        StorageRow("§4.2.4 max-age=0 and nothing to ask with", ["Cache-Control: max-age=0"], true),
        StorageRow("§5.2.2.2 never of use", ["Cache-Control: max-age=0, must-revalidate"], false),
        StorageRow("§5.2.2.2 of use while fresh", ["Cache-Control: max-age=1, must-revalidate"], true),
        StorageRow("§4.2.4 a failure is of no use", ["Cache-Control: max-age=0"], status: 500, false),
        StorageRow("§3 a control character in the tag", ["Cache-Control: no-cache", "ETag: \"a\u{1}\""], false),
        StorageRow("§3 max-age=0 and a validator", ["Cache-Control: max-age=0", tag], true),
        StorageRow("§5.2.2.4 no-cache and nothing to ask with", ["Cache-Control: no-cache, max-age=60"], false),
        StorageRow("§5.2.2.4 no-cache and a validator", ["Cache-Control: no-cache", tag], true),
        StorageRow("§5.2.2.5 no-store", ["Cache-Control: no-store, max-age=60", tag], false),
        StorageRow(
            "§5.2.1.5 no-store in the request", ["Cache-Control: max-age=60"], request: ["Cache-Control: no-store"], false),
        StorageRow("§5.2.2.7 private", ["Cache-Control: private, max-age=60"], true),
        StorageRow(
            "§3.5 Authorization matters to shared caches", ["Cache-Control: max-age=60"], request: ["Authorization: Bearer x"],
            true),
        StorageRow(
            "§5.2.2.3 must-understand, and it is", ["Cache-Control: must-understand, no-store, max-age=60"], status: 200, true),
        StorageRow("§5.2.2.3 must-understand, and it is not", ["Cache-Control: must-understand, max-age=60"], status: 299, false),
        StorageRow("§3 another final status, with a lifetime", ["Cache-Control: max-age=60"], status: 299, true),
        StorageRow("§3 another final status, without", [modified, tag], status: 299, false),
        StorageRow("§3 a failure with a lifetime", ["Cache-Control: max-age=60"], status: 503, true),
        StorageRow("§4.2.2 404", [modified], status: 404, true),
        StorageRow("§4.2.2 302", [modified], status: 302, false),
        StorageRow("§3.3 a part", ["Cache-Control: max-age=60", tag, "Content-Range: bytes 1-4/9"], status: 206, true),
        StorageRow("§3.3 a part of unknown content", ["Cache-Control: max-age=60", tag], status: 206, false),
        StorageRow(
            "§3.4 a part that can be combined with no other", ["Cache-Control: max-age=60", "Content-Range: bytes 1-4/9"],
            status: 206, false),
        StorageRow("§3 304 is not a complete response", ["Cache-Control: max-age=60", tag], status: 304, false),
        StorageRow("§4.1 Vary: *", ["Cache-Control: max-age=60", "Vary: *", tag], false),
        StorageRow("§4.1 Vary: * among others", ["Cache-Control: max-age=60", "Vary: Accept, *", tag], false),
        StorageRow("§4.1 Vary", ["Cache-Control: max-age=60", "Vary: Accept, , accept-language"], true),
        StorageRow("§4.1 Vary that names no fields", ["Cache-Control: max-age=60", "Vary: a b"], false),
        StorageRow("RFC 5861 §3", ["Cache-Control: max-age=0, stale-while-revalidate=60"], true),
    ]

    @Test(arguments: rows)
    func `responses that may be stored and can be reused are stored`(row: StorageRow) {
        #expect(isStored(row.response, status: row.status, request: row.request) == row.isStored)
    }

    @Test
    func `responses to other methods are not stored`() {
        #expect(!isStored(["Cache-Control: max-age=60"], method: .post))
        #expect(!isStored(["Cache-Control: max-age=60"], method: .head))
    }

    @Test
    func `a response with more names in Vary than the limit is not stored`() {
        let names = (0...StorageRules.maximumVaryingFields).map { "a\($0)" }
        #expect(!isStored(["Cache-Control: max-age=60", "Vary: \(names.joined(separator: ","))"]))
        #expect(isStored(["Cache-Control: max-age=60", "Vary: \(names.dropLast().joined(separator: ","))"]))
    }

    @Test
    func `connection-specific fields are not stored, and a missing Date is added (§3.1, RFC 9110 §6.6.1)`() {
        let headers = HeaderFields(
            lines: "Connection: close, X-Hop", "X-Hop: 1", "Transfer-Encoding: chunked", "Keep-Alive: 5", "TE: x", "Upgrade: h2c",
            "Proxy-Authenticate: Basic", "Content-Type: a/b")
        let kept = StorageRules.keptHeaders(headers, receivedAt: TestTime.start)
        #expect(kept == HeaderFields(lines: "Content-Type: a/b", "Date: \(TestTime.text(0))"))
    }

    @Test
    func `a 304 updates all fields except those that describe the stored bytes (§3.2, §4.3.4)`() {
        let old = HeaderFields(
            lines: "Content-Length: 4", "Content-Encoding: gzip", "X-Old: 1", "X-Both: 1", "Age: 99",
            "Date: \(TestTime.text(-99))",
            "Cache-Control: max-age=1", "Content-Type: a/b")
        let new = HeaderFields(
            lines: "content-length: 0", "Content-Encoding: br", "Content-Range: bytes 0-1/2", "X-Both: 2", "X-Both: 3",
            "Cache-Control: max-age=2", "Connection: X-Hop", "X-Hop: 1")
        let expected = HeaderFields(
            lines: "Content-Length: 4", "Content-Encoding: gzip", "X-Old: 1", "X-Both: 2", "X-Both: 3",
            "Cache-Control: max-age=2",
            "Content-Type: a/b", "Date: \(TestTime.text(5))")
        #expect(StorageRules.updatedHeaders(old, by: new, receivedAt: TestTime.start.addingTimeInterval(5)) == expected)
    }

    @Test
    func `whitespace and the number of field lines do not distinguish variants (§4.1)`() {
        let names = StorageRules.varyingNames(HeaderFields(lines: "Vary: accept, Accept-Language", "Vary: ACCEPT"))
        #expect(names == ["accept", "accept-language"])
        let stored = StorageRules.varying(names ?? [], HeaderFields(lines: "Accept: a/b, c/d"))
        #expect(StorageRules.matches(stored, [.init(name: "accept", value: " a/b "), .init(name: "Accept", value: "c/d")]))
        #expect(!StorageRules.matches(stored, HeaderFields(lines: "Accept: a/b")))
        #expect(!StorageRules.matches(stored, HeaderFields(lines: "Accept: a/b, c/d", "Accept-Language: ")))
    }

    @Test
    func `a credential that Vary names is stored as a digest`() {
        let varying = StorageRules.varying(
            ["authorization", "x-api-key"], HeaderFields(lines: "Authorization: Bearer canary", "X-Api-Key: canary"))
        #expect(!varying.contains { $0.value?.contains("canary") ?? true })
        #expect(StorageRules.matches(varying, HeaderFields(lines: "X-Api-Key: canary", "Authorization: Bearer canary")))
        #expect(!StorageRules.matches(varying, HeaderFields(lines: "X-Api-Key: canary", "Authorization: Bearer other")))
    }

    @Test
    func `conditional requests contain the validators unchanged (§4.3.1)`() {
        let date = "Sunday, 06-Nov-94 08:49:37 GMT"
        let request = NetworkRequest(url: URL(filePath: "/"))
        let both = ValidationRules.conditional(request, ResponseTerms(.make(["ETag": #"W/"a""#, "Last-Modified": date])))
        #expect(both.headers == ["If-None-Match": #"W/"a""#, "If-Modified-Since": date])
        let neither = ValidationRules.conditional(request, ResponseTerms(.make(["Last-Modified": "yesterday"])))
        #expect(neither.headers.isEmpty)
    }

    @Test(arguments: [
        (RequestMethod.post, 201, ["https://a.example/x", "https://a.example/new", "https://a.example/y/z"]), (.get, 200, []),
        (.put, 404, []), (.delete, 500, []),
        (RequestMethod("PURGE"), 302, ["https://a.example/x", "https://a.example/new", "https://a.example/y/z"]),
    ])
    func `a successful unsafe request invalidates its URL, Location and Content-Location on its own origin (§4.4)`(
        method: RequestMethod, status: Int, urls: [String]
    )
        throws
    {
        let url = try #require(URL(string: "https://A.example:443/x#part"))
        for location in ["/new", "https://a.example/new"] {
            let headers = HeaderFields(
                lines: "Location: \(location)", "Content-Location: y/z", "Location: https://b.example/x",
                "Location: http://a.example/x")
            let response = NetworkResponse(statusCode: status, headers: headers, url: url)
            let found = ValidationRules.invalidated(by: NetworkRequest(method: method, url: url), response)
            #expect(found == Set(urls))
        }
    }

    private func isStored(_ response: [String], status: Int = 200, method: RequestMethod = .get, request: [String] = []) -> Bool {
        let stored = StoredResponse.make(HeaderFields(lines: response), method: method, status: status)
        return StorageRules.mayStore(RequestTerms(HeaderFields(lines: request)), stored, ResponseTerms(stored), CacheOptions())
    }
}
