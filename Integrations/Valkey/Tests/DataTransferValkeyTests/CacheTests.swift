import DataTransferValkey
import Foundation
import NetworkTesting
import Synchronization
import Testing
import ValkeyTesting

/// A cache over a server, in front of a stubbed origin. Each one is like a separate process.
private struct Process {
    let cache: CacheInterceptor
    let store: ValkeyCacheStore
    let service: DefaultNetworkService

    init(
        _ configuration: ValkeyConfiguration, origin: any NetworkSessionManager,
        options: ValkeyCacheOptions = ValkeyCacheOptions()
    ) throws {
        store = ValkeyCacheStore(ValkeyClient(configuration), options: options)
        cache = CacheInterceptor(store: store)
        service = DefaultNetworkService(
            configuration: try APIConfiguration("https://api.example.com"), sessionManager: origin, interceptors: [cache])
    }

    func get(_ path: String = "item", _ headers: HeaderFields = [:]) async throws -> (body: String, isHit: Bool) {
        let response = try await service.response(
            for: Endpoint<Data>(path: path, headerParameters: headers, responseDecoder: .rawData))
        return (String(decoding: response.data, as: UTF8.self), response.headers["Cache-Status"]?.contains("hit") ?? false)
    }

    func post(_ path: String = "item") async throws {
        _ = try await service.response(for: Endpoint<Data>(path: path, method: .post, responseDecoder: .rawData))
    }
}

extension CacheSelection {
    fileprivate static let kinds = ["change", "key", "url", "host", "partition", "all"]

    fileprivate static func make(_ kind: String, _ url: URL) -> CacheSelection {
        switch kind {
        case "key": .key(CacheKey(url: url))
        case "url": .url(url)
        case "host": .host("api.example.com")
        case "partition": .partition(.withoutCredentials)
        default: .all
        }
    }
}

private func fresh(_ body: String, _ headers: HeaderFields = ["Cache-Control": "max-age=600"]) -> StubResponse {
    StubResponse(headers: headers, body: Data(body.utf8))
}

@Suite struct CacheTests {
    let server: TestServer
    let origin = StubSessionManager()

    init() throws {
        server = try TestServer()
    }

    private func process(_ options: ValkeyCacheOptions = ValkeyCacheOptions()) throws -> Process {
        try Process(server.patient, origin: origin, options: options)
    }

    private func client() -> ValkeyClient {
        ValkeyClient(server.patient)
    }

    @Test func `a response that one process has stored is used by another one`() async throws {
        let (first, second) = (try process(), try process())
        origin.enqueue(fresh("one"))
        #expect(try await first.get() == ("one", false))
        #expect(try await second.get() == ("one", true))
        #expect(try await first.get() == ("one", true))
    }

    @Test func `users and languages get their own responses`() async throws {
        let (first, second) = (try process(), try process())
        let headers: HeaderFields = ["Cache-Control": "max-age=600", "Vary": "Accept-Language"]
        origin.route { request in
            fresh((request.headers["Authorization"] ?? "none") + (request.headers["Accept-Language"] ?? ""), headers)
        }
        for user in ["Bearer a", "Bearer b"] {
            for language in ["de", "en"] {
                let fields: HeaderFields = ["Authorization": user, "Accept-Language": language]
                // The first response of a user may not be stored, because it was requested before the epochs of the URL existed.
                #expect(try await first.get("item", fields).body == user + language)
                #expect(try await second.get("item", fields) == (user + language, true))
            }
        }
        #expect(try await second.get("item", ["Accept-Language": "de"]).body == "nonede")
    }

    @Test func `a change removes the responses of all processes and users`() async throws {
        let (first, second) = (try process(), try process())
        origin.route { fresh($0.method == .post ? "changed" : "one") }
        for fields in [[:], ["Authorization": "Bearer a"]] as [HeaderFields] {
            #expect(try await first.get("item", fields).isHit == false)
            #expect(try await second.get("item", fields).isHit)
        }
        try await second.post()
        for fields in [[:], ["Authorization": "Bearer a"]] as [HeaderFields] {
            #expect(try await first.get("item", fields).isHit == false)
        }
        #expect(try await first.get().isHit)
    }

    @Test(arguments: [true, false], CacheSelection.kinds)
    func `a response requested before a removal in another process is not stored after it`(
        _ wasStored: Bool, _ kind: String
    ) async throws {
        let second = try process()
        let url = try #require(URL(string: "https://api.example.com/item"))
        let during = SlowOrigin(origin: origin) {
            if kind == "change" {
                try? await second.post()
            } else {
                _ = try? await second.cache.remove(CacheSelection.make(kind, url))
            }
        }
        let first = try Process(server.patient, origin: during)
        origin.route { fresh($0.method == .post ? "changed" : "new") }
        if wasStored {
            origin.enqueue(fresh("old", ["Cache-Control": "max-age=0", "ETag": "\"1\""]), for: "/item", method: .get)
            _ = try await second.get()
        }
        origin.enqueue(fresh("outdated"), for: "/item", method: .get)
        #expect(try await first.get() == ("outdated", false))
        #expect(try await second.get() == ("new", false))
    }

    @Test func `removals by key, host, partition, date and of all`() async throws {
        let process = try process()
        origin.route { _ in fresh("one") }
        let url = try #require(URL(string: "https://api.example.com/item"))
        for selection: CacheSelection in [
            .key(CacheKey(url: url)), .url(url), .host("api.example.com"), .partition(.withoutCredentials),
            .storedBefore(.distantFuture), .all,
        ] {
            _ = try await process.get()
            #expect(try await process.get().isHit)
            _ = try await self.process().cache.remove(.host("other.example.com"))
            #expect(try await process.get().isHit)
            let count = try await self.process().cache.remove(selection)
            #expect(count == (selection.onlyKey == nil ? 0 : 1))
            #expect(try await process.get().isHit == false, "\(selection)")
        }
    }

    @Test func `the server removes a response at the end of its life`() async throws {
        let process = try process(ValkeyCacheOptions(validationPeriod: .seconds(100)))
        origin.enqueue(fresh("one", ["Cache-Control": "max-age=60"]), for: "/a")
        origin.enqueue(fresh("two", ["Cache-Control": "max-age=60, stale-while-revalidate=40"]), for: "/b")
        origin.enqueue(fresh("three", ["Cache-Control": "max-age=60", "ETag": "\"3\""]), for: "/c")
        origin.enqueue(fresh("four", ["Cache-Control": "max-age=0"]), for: "/d")
        for (path, limit) in [("a", 60_000), ("b", 100_000), ("c", 160_000), ("d", -2)] {
            _ = try await process.get(path)
            let key = CacheKey(url: try #require(URL(string: "https://api.example.com/" + path)))
            guard case .integer(let time) = try await client().send("PTTL", "dt:cache:" + key.digest) else { continue }
            #expect(time <= limit && time >= limit - 20_000, "\(path): \(time)")
        }
    }

    @Test func `entries and variants are bounded`() async throws {
        var configuration = server.patient
        configuration.maximumValueBytes = 10_000
        let process = try Process(configuration, origin: origin, options: ValkeyCacheOptions(maximumVariants: 3))
        origin.route { request in
            let body = request.url.path == "/large" ? String(repeating: "x", count: 10_000) : "small"
            return fresh(body, ["Cache-Control": "max-age=600", "Vary": "Accept-Language"])
        }
        _ = try await process.get("large")
        #expect(try await process.get("large").isHit == false)
        for number in 0..<6 { _ = try await process.get("item", ["Accept-Language": "\(number)"]) }
        for number in 3..<6 { #expect(try await process.get("item", ["Accept-Language": "\(number)"]).isHit) }
        let key = CacheKey(url: try #require(URL(string: "https://api.example.com/item")))
        #expect(await process.store.entries(for: key).count == 3)
    }

    @Test func `damaged and foreign bytes are misses`() async throws {
        let process = try process()
        origin.route { fresh($0.url.path) }
        let keys = try ["item", "other"].map { CacheKey(url: try #require(URL(string: "https://api.example.com/" + $0))) }
        _ = try await process.get("item")
        _ = try await process.get("other")
        let entry = try #require(await process.store.entries(for: keys[1]).first)
        for bytes in [Data(), Data("nonsense".utf8), entry.encoded(), entry.encoded().dropLast()] {
            _ = try await process.get("item")
            #expect(try await process.get("item").isHit)
            let name = "dt:cache:" + keys[0].digest
            _ = try await client().send([Data("HSET".utf8), Data(name.utf8), Data("v\(entry.variantDigest)".utf8), bytes])
            #expect(await process.store.entries(for: keys[0]).isEmpty)
            #expect(try await process.get("item") == ("/item", false))
        }
        _ = try await client().send("SET", "dt:cache:" + keys[1].digest, "a text")
        #expect(try await process.get("other") == ("/other", false))
    }

    @Test func `a full server stores nothing, and requests go on`() async throws {
        let process = try process()
        origin.route { _ in fresh("one") }
        _ = try await client().send("CONFIG", "SET", "maxmemory", "1")
        for _ in 0..<3 { #expect(try await process.get() == ("one", false)) }
        try await process.post()
        #expect(try await process.cache.remove(.all) == 0)
    }

    @Test func `evicted epochs never bring removed responses back`() async throws {
        let process = try process()
        origin.route { _ in fresh("one") }
        _ = try await process.get()
        #expect(try await process.get().isHit)
        let url = try #require(URL(string: "https://api.example.com/item"))
        for tag in ["all"] + CacheKey(url: url).tags {
            _ = try await client().send("DEL", "dt:epoch:" + tag)
            #expect(try await process.get().isHit == false)
            #expect(try await process.get().isHit)
        }
    }

    @Test func `without a server, requests go on, and one failure is reported`() async throws {
        let reports = Mutex<[ValkeyError]>([])
        // On a busy machine, that there is no server is found out after a while.
        let configuration = ValkeyConfiguration(
            .unix(path: "/nonexistent"), connectTimeout: .seconds(60), commandTimeout: .seconds(60),
            reportInterval: .seconds(3600))
        let client = ValkeyClient(configuration) { error, _ in
            reports.withLock { $0.append(error) }
        }
        let store = ValkeyCacheStore(client)
        let service = DefaultNetworkService(
            configuration: try APIConfiguration("https://api.example.com"), sessionManager: origin,
            interceptors: [CacheInterceptor(store: store)])
        origin.route { _ in fresh("one") }
        for _ in 0..<100 {
            let response = try await service.response(for: Endpoint<Data>(path: "item", responseDecoder: .rawData))
            #expect(response.data == Data("one".utf8))
        }
        #expect(reports.withLock(\.self).map(\.code) == [.unreachable])
        let error = await #expect(throws: CacheStoreError.self) { try await store.remove(.all) }
        #expect(error?.code == .unavailable)
    }
}

@Suite struct CacheFleetTests {
    @Test func `processes that are killed at random never mix, keep or bring back responses`() async throws {
        let full = ProcessInfo.processInfo.environment["DATA_TRANSFER_SLOW"] != nil
        var (reads, hits, changes) = (0, 0, 0)
        // On a busy machine, processes may be killed before they have done much.
        for _ in 0..<10 where reads == 0 || hits == 0 || changes == 0 {
            let summary = try await CacheFleet.run(
                processes: 8, for: full ? 10 : 4, rounds: full ? 20 : 1, killed: 3, seed: UInt64.random(in: 0..<1_000_000))
            #expect(summary.violations == [])
            reads += summary.reads
            hits += summary.hits
            changes += summary.changes
        }
        #expect(reads > 0 && hits > 0 && changes > 0)
    }
}
