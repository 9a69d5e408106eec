import Endpoints
import Foundation
import NetworkCore
import Testing

@testable import NetworkCache

struct CacheEntryTests {
    private let status = CacheStatus(name: "First")

    @Test func `hits within a second have the same fields, and those of another second their own`() {
        let entry = CacheEntry(.make())
        let first = entry.hit(age: 1, ttl: 59, status)
        #expect(first.headers["Age"] == "1" && first.headers["Cache-Status"] == "First; hit; ttl=59")
        #expect(entry.hit(age: 1, ttl: 59, status).headers == first.headers)
        #expect(entry.hit(age: 2, ttl: 58, status).headers["Age"] == "2")
        #expect(entry.hit(age: 2, ttl: 57, status).headers["Cache-Status"] == "First; hit; ttl=57")
        #expect(entry.hit(age: 1, ttl: 59, status).headers == first.headers)
    }

    @Test func `caches that share a store state their own names`() {
        let entry = CacheEntry(.make())
        #expect(entry.hit(age: 1, ttl: 59, status).headers["Cache-Status"] == "First; hit; ttl=59")
        #expect(entry.hit(age: 1, ttl: 59, CacheStatus(name: "Second")).headers["Cache-Status"] == "Second; hit; ttl=59")
    }

    @Test func `a caller that changes its response changes no other one`() {
        let entry = CacheEntry(.make(["Cache-Control": "max-age=60", "Age": "7"]))
        var first = entry.hit(age: 8, ttl: 52, status)
        first.headers["Age"] = "changed"
        first.headers["X-Mine"] = "1"
        first.data = Data("changed".utf8)
        first.statusCode = 500
        first.timings.redirects = 3
        let second = entry.hit(age: 8, ttl: 52, status)
        #expect(second.headers.values(for: "Age") == ["8"] && second.headers["X-Mine"] == nil)
        #expect(second.data == Data("body".utf8) && second.statusCode == 200 && second.timings.redirects == 0)
        #expect(CacheEntry(.make()).hit(age: 8, ttl: 52, status).timings.redirects == 0)
        #expect(entry.response.headers["Age"] == "7")
    }

    @Test func `fields that no-cache lists are removed without validation only`() {
        let entry = CacheEntry(.make(["Cache-Control": "max-age=60, no-cache=\"X-User\"", "X-User": "a"]))
        #expect(entry.hit(age: 1, ttl: 59, status).headers["X-User"] == nil)
        #expect(entry.whole.headers["X-User"] == "a")
    }
}
