import Endpoints
import Foundation
import NetworkTesting
import Testing
import TransferTestSupport

@testable import NetworkCache
@testable import NetworkTransport

/// Random requests against a model of RFC 9111 §3, §4 and §5.2: which are served from the cache, with which response, and which are
/// forwarded in which form.
@Suite(.timeLimit(.ofStorm))
struct CacheModelTests {
    /// What the origin returns, and the model of what the cache has stored.
    struct Response {
        var version = 0
        var time = 0
        var age = 0
        var maxAge: Int?
        var hasTag = false
        var mustRevalidate = false
        var noCache = false
        var noStore = false

        init(version: Int, time: Int, _ random: SharedGenerator) {
            self.version = version
            self.time = time
            age = [0, 0, 5][random.next(below: 3)]
            maxAge = [nil, 0, 10, 60][random.next(below: 4)]
            hasTag = random.next(below: 2) == 0
            mustRevalidate = random.next(below: 4) == 0
            noCache = random.next(below: 8) == 0
            noStore = random.next(below: 8) == 0
        }

        var lines: [String] {
            let directives = [
                maxAge.map { "max-age=\($0)" }, mustRevalidate ? "must-revalidate" : nil, noCache ? "no-cache" : nil,
                noStore ? "no-store" : nil, "x",
            ]
            let control = directives.compactMap(\.self).joined(separator: ", ")
            return ["Cache-Control: \(control)", "Age: \(age)", "Date: \(TestTime.text(time))"] + (hasTag ? ["ETag: \(tag)"] : [])
        }

        var tag: String { "\"\(version)\"" }
        func age(at now: Int) -> Int { age + now - time }
        func ttl(at now: Int) -> Int { (maxAge ?? 0) - age(at: now) }
        /// §3, and whether a later request could use it.
        var isStored: Bool { !noStore && (hasTag || !noCache && (!mustRevalidate || ttl(at: time) > 0)) }
    }

    struct Request {
        var maxAge: Int?
        var maxStale: Int?
        var minFresh: Int?
        var staleIfError: Int?
        var noCache = false
        var noStore = false
        var onlyIfCached = false
        var condition: Int?

        init(version: Int, _ random: SharedGenerator) {
            maxAge = [nil, nil, nil, 0, 20][random.next(below: 5)]
            maxStale = [nil, nil, nil, 10, 1000][random.next(below: 5)]
            minFresh = [nil, nil, nil, nil, 15][random.next(below: 5)]
            staleIfError = [nil, nil, 50][random.next(below: 3)]
            noCache = random.next(below: 10) == 0
            noStore = random.next(below: 10) == 0
            onlyIfCached = random.next(below: 6) == 0
            condition = random.next(below: 4) == 0 ? max(0, version - random.next(below: 2)) : nil
        }

        var lines: [String] {
            let directives = [
                maxAge.map { "max-age=\($0)" }, maxStale.map { "max-stale=\($0)" }, minFresh.map { "min-fresh=\($0)" },
                staleIfError.map { "stale-if-error=\($0)" }, noCache ? "no-cache" : nil, noStore ? "no-store" : nil,
                onlyIfCached ? "only-if-cached" : nil, "x",
            ]
            let control = "Cache-Control: " + directives.compactMap(\.self).joined(separator: ", ")
            return [control] + (condition.map { ["If-None-Match: \"\($0)\""] } ?? [])
        }

        /// §4: whether the stored response may be used without the origin.
        func accepts(_ stored: Response, at now: Int) -> Bool {
            let (age, ttl) = (stored.age(at: now), stored.ttl(at: now))
            let isStale = ttl <= 0
            if noCache || noStore || stored.noCache || isStale && stored.mustRevalidate { return false }
            if let minFresh, ttl < minFresh { return false }
            let excess = max(isStale ? -ttl : -1, maxAge.map { age >= $0 ? age - $0 : -1 } ?? -1)
            return excess < 0 || maxStale.map { excess <= $0 } ?? false
        }

        /// RFC 5861 §4.
        func acceptsOnFailure(_ stored: Response, at now: Int) -> Bool {
            guard let staleIfError, !noCache, !noStore, !stored.noCache, !stored.mustRevalidate else { return false }
            return -stored.ttl(at: now) <= staleIfError
        }
    }

    /// The cache between a caller and an origin, and the model of both.
    struct World {
        let harness: CacheHarness
        let random: SharedGenerator
        var now = 0
        var version = 0
        var stored: Response?

        init(seed: Int) {
            harness = CacheHarness(isStreamed: seed % 2 == 1)
            random = SharedGenerator(UInt64(seed))
        }
    }

    @Test(arguments: 0..<runs(20, slow: 80))
    func `each request has the result that the model predicts`(seed: Int) async throws {
        var world = World(seed: seed)
        let url = try #require(URL(string: CacheHarness.url))
        for step in 0..<60 {
            let pause = [0, 1, 9, 30, 70][world.random.next(below: 5)]
            world.now += pause
            world.harness.time.advance(Double(pause))
            if world.random.next(below: 3) == 0 { world.version += 1 }
            let request = Request(version: world.version, world.random)
            let method: RequestMethod = [.get, .get, .get, .get, .head, .head, .post][world.random.next(below: 7)]
            let context = "seed \(seed), step \(step): \(method) \(request) at \(world.now), \(String(describing: world.stored))"
            let before = world.harness.requestCount
            let (status, body, asked) = world.predict(request, method)
            let result = try await world.harness.send(
                NetworkRequest(method: method, url: url, headers: HeaderFields(lines: request.lines)))
            let comment = Comment(rawValue: context)
            #expect(world.harness.requestCount - before == (asked == nil ? 0 : 1), comment)
            if let asked { #expect(world.harness.origin.requests.last?.headers["If-None-Match"] == asked.tag, comment) }
            #expect(result.response.statusCode == status && result.body == (method == .head ? "" : body), comment)
        }
    }

    /// §4.1: the model is one response for each meaning of `Accept-Language`.
    @Test(arguments: 0..<runs(3, slow: 10))
    func `the newest response with an equivalent field that Vary names is used`(seed: Int) async throws {
        let random = SharedGenerator(UInt64(seed))
        let harness = CacheHarness()
        let url = try #require(URL(string: CacheHarness.url))
        let meanings: [[[String]]] = [
            [["en, de;q=0.5"], ["EN,de; q=0.50"], ["de;q=0.5", "en"]], [["de"], [" DE ;q=1.0"], [",de,"]],
            [["en, de"], ["en", "de"], ["de, en"]], [[]], [["*;q=0"]],
        ]
        var stored: [Int: (body: String, time: Int)] = [:]
        var now = 0
        for step in 0..<100 {
            let pause = random.next(below: 20)
            now += pause
            harness.time.advance(Double(pause))
            let meaning = random.next(below: meanings.count)
            let lines = meanings[meaning][random.next(below: meanings[meaning].count)].map { "Accept-Language: \($0)" }
            let known = stored[meaning].flatMap { now - $0.time < 60 ? $0.body : nil }
            if known == nil {
                harness.enqueue("\(step)", "Cache-Control: max-age=60", "Vary: accept-language")
                stored[meaning] = ("\(step)", now)
            }
            let result = try await harness.send(NetworkRequest(url: url, headers: HeaderFields(lines: lines)))
            #expect(result.isHit == (known != nil) && result.body == known ?? "\(step)", "seed \(seed), step \(step): \(lines)")
        }
    }
}

extension CacheModelTests.World {
    /// Enqueues what the origin returns for a request, if the model forwards it, and applies the effect on the stored response.
    ///
    /// - Returns: The status code and the body that the caller receives, and the condition that the origin receives; `nil` if it
    ///   receives no request.
    mutating func predict(
        _ request: CacheModelTests.Request, _ method: RequestMethod
    ) -> (status: Int, body: String, asked: (tag: String?, Void)?) {
        let fails = random.next(below: 6) == 0
        let new = CacheModelTests.Response(version: version, time: now, random)
        func served(_ response: CacheModelTests.Response) -> (Int, String) {
            response.hasTag && request.condition == response.version ? (304, "") : (200, "\(response.version)")
        }
        let own = request.condition.map { "\"\($0)\"" }
        if method == .post {
            harness.origin.enqueue(StubResponse(status: fails ? 503 : 200))
            // §4.4
            if !fails { stored = nil }
            return (fails ? 503 : 200, "", (own, ()))
        }
        if let stored, request.accepts(stored, at: now) {
            let (status, body) = served(stored)
            return (status, body, nil)
        }
        if request.onlyIfCached { return (504, "", nil) }
        // A request to HEAD is not validated with the tag of the stored response.
        let tag = own ?? (method == .head || request.noStore ? nil : stored.flatMap { $0.hasTag ? $0.tag : nil })
        let isSame = new.hasTag && tag == new.tag
        let status = fails ? 503 : isSame ? 304 : 200
        let body = status == 200 && method == .get ? "\(version)" : ""
        harness.origin.enqueue(
            StubResponse(status: status, headers: HeaderFields(lines: fails ? [] : new.lines), body: Data(body.utf8)))
        if fails {
            let old = stored.flatMap { request.acceptsOnFailure($0, at: now) ? $0 : nil }
            let (status, body) = old.map(served) ?? (503, "")
            return (status, body, (tag, ()))
        }
        if !request.noStore { update(with: new, isSame: isSame, method) }
        return isSame && own == nil ? (200, "\(version)", (tag, ())) : (status, body, (tag, ()))
    }

    private mutating func update(with new: CacheModelTests.Response, isSame: Bool, _ method: RequestMethod) {
        var renewed = new
        if isSame || method == .head {
            guard let old = stored else { return }
            if isSame {
                // §4.3.4: the 304 names the stored response, or another one.
                guard old.hasTag, old.version == version else { return }
            } else if new.hasTag, !old.hasTag || old.version != version {
                // §4.3.5
                return stored = nil
            }
            // The fields replace those of the stored response; its tag and its body remain.
            renewed.version = old.version
            renewed.hasTag = old.hasTag
        }
        stored = renewed.isStored ? renewed : nil
    }
}
