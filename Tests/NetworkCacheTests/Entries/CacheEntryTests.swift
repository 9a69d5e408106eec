import Endpoints
import Foundation
import NetworkCore
import Testing

@testable import NetworkCache

struct CacheEntryTests {
    private let status = CacheStatus(name: "First")

    private func hit(_ entry: CacheEntry, age: Int, ttl: Int, _ status: CacheStatus) -> NetworkResponse {
        entry.hit(age: age, ttl: ttl, of: status.hitPrefix) { $0.note(status.hit(ttl: ttl), age: age) }
    }

    @Test func `hits within a second have the same fields, and those of another second their own`() {
        let entry = CacheEntry(.make())
        let first = hit(entry, age: 1, ttl: 59, status)
        #expect(first.headers["Age"] == "1" && first.headers["Cache-Status"] == "First; hit; ttl=59")
        #expect(hit(entry, age: 1, ttl: 59, status).headers == first.headers)
        #expect(hit(entry, age: 2, ttl: 58, status).headers["Age"] == "2")
        #expect(hit(entry, age: 2, ttl: 57, status).headers["Cache-Status"] == "First; hit; ttl=57")
        #expect(hit(entry, age: 1, ttl: 59, status).headers == first.headers)
    }

    @Test func `caches that share a store state their own names`() {
        let entry = CacheEntry(.make())
        #expect(hit(entry, age: 1, ttl: 59, status).headers["Cache-Status"] == "First; hit; ttl=59")
        #expect(hit(entry, age: 1, ttl: 59, CacheStatus(name: "Second")).headers["Cache-Status"] == "Second; hit; ttl=59")
    }

    @Test func `a caller that changes its response changes no other one`() {
        let entry = CacheEntry(.make(["Cache-Control": "max-age=60", "Age": "7"]))
        var first = hit(entry, age: 8, ttl: 52, status)
        first.headers["Age"] = "changed"
        first.headers["X-Mine"] = "1"
        first.data = Data("changed".utf8)
        first.statusCode = 500
        first.timings.redirects = 3
        let second = hit(entry, age: 8, ttl: 52, status)
        #expect(second.headers.values(for: "Age") == ["8"] && second.headers["X-Mine"] == nil)
        #expect(second.data == Data("body".utf8) && second.statusCode == 200 && second.timings.redirects == 0)
        #expect(hit(CacheEntry(.make()), age: 8, ttl: 52, status).timings.redirects == 0)
        #expect(entry.response.headers["Age"] == "7")
    }

    @Test func `fields that no-cache lists are removed without validation only`() {
        let entry = CacheEntry(.make(["Cache-Control": "max-age=60, no-cache=\"X-User\"", "X-User": "a"]))
        #expect(hit(entry, age: 1, ttl: 59, status).headers["X-User"] == nil)
        #expect(entry.whole.headers["X-User"] == "a")
    }

    @Test func `a list that is written differently matches each time, and another list never`() {
        let varying = [
            StoredResponse.VaryingField(name: "accept", value: "application/json,text/plain;q=0.500"),
            StoredResponse.VaryingField(name: "accept-language", value: "de"),
            StoredResponse.VaryingField(name: "origin", value: nil),
        ]
        let entry = CacheEntry(.make(varying: varying))
        for _ in 0..<3 {
            for accept in ["text/plain;q=0.5, application/json", "application/json, text/plain;q=0.5"] {
                #expect(StorageRules.matches(entry, ["Accept": accept, "Accept-Language": "de"]))
                #expect(StorageRules.matches(entry, ["Accept": accept, "Accept-Language": "DE"]))
                #expect(!StorageRules.matches(entry, ["Accept": accept, "Accept-Language": "en"]))
                #expect(!StorageRules.matches(entry, ["Accept": accept + ", */*", "Accept-Language": "de"]))
                #expect(!StorageRules.matches(entry, ["Accept": accept]))
                #expect(!StorageRules.matches(entry, ["Accept": accept, "Accept-Language": "de", "Origin": ""]))
            }
            let lines: HeaderFields = ["Accept": "text/plain;q=0.5", "Accept-Language": "de", "accept": "application/json"]
            #expect(StorageRules.matches(entry, lines))
            #expect(
                !StorageRules.matches(entry, ["Accept": "application/json", "Accept-Language": "de", "accept": "text/plain"]))
        }
    }

    @Test func `a field that may contain credentials is compared as a digest, and not remembered`() throws {
        let headers: HeaderFields = ["X-Tenant": "secret-one"]
        let entry = CacheEntry(.make(varying: StorageRules.varying(["x-tenant"], headers)))
        for _ in 0..<2 {
            #expect(StorageRules.matches(entry, headers))
            #expect(!StorageRules.matches(entry, ["X-Tenant": "secret-two"]))
            #expect(!StorageRules.matches(entry, ["X-Tenant": try #require(entry.response.varying[0].value)]))
        }
        #expect(!entry.hasRemembered("secret-one", at: 0))
    }
}
