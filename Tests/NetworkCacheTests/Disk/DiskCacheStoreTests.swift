import Endpoints
import Foundation
import NetworkCore
import NetworkSupport
import Testing

@testable import NetworkCache

@Suite(.timeLimit(.minutes(10)))
struct DiskCacheStoreTests {
    private let directory: CacheDirectory
    private let removals = Locked<[String]>([])

    init() throws {
        directory = try CacheDirectory()
    }

    private func store(_ change: (inout CacheStoreLimits) -> Void = { _ in }) throws -> DiskCacheStore {
        var limits = CacheStoreLimits.disk
        change(&limits)
        return try DiskCacheStore(directory: directory.place, limits: limits) { [removals] key, reason in
            removals.withLock { $0.append("\(key.url.split(separator: "/").last ?? "") \(reason.rawValue)") }
        }
    }

    private func language(_ value: String?) -> [StoredResponse.VaryingField] {
        [.init(name: "accept-language", value: value)]
    }

    private func bodies(_ store: DiskCacheStore, _ response: StoredResponse = .kept()) async -> [String] {
        await store.entries(for: response.key).map { String(decoding: $0.response.body, as: UTF8.self) }
    }

    @Test func `a saved response is found, also by a store that is opened later`() async throws {
        let response = StoredResponse.kept(varying: language("de"), body: "hallo")
        do {
            let store = try store()
            #expect(await store.entries(for: response.key).isEmpty)
            try await store.save(CacheEntry(response))
            #expect(await store.entries(for: response.key).map(\.response) == [response])
        }
        let store = try store()
        #expect(await store.entries(for: response.key).map(\.response) == [response])
        await store.records.settle()
        #expect(store.count == 1 && store.byteCount == directory.files().reduce(0) { $0 + size($1) })
    }

    private func size(_ path: String) -> Int { (try? Data(contentsOf: directory.place.appendingPathComponent(path)).count) ?? 0 }

    @Test func `variants are stored under one key, and a variant replaces an equal one`() async throws {
        let store = try store { $0.maximumVariants = 3 }
        for (value, body) in [(nil, "none"), ("", "empty"), ("de", "de 1"), ("de", "de 2"), ("fr", "fr")] as [(String?, String)] {
            try await store.save(CacheEntry(.kept(varying: language(value), body: body)))
        }
        #expect(await bodies(store) == ["empty", "de 2", "fr"])
        #expect(removals.withLock(\.self) == ["movies replaced", "movies evicted"])
        #expect(directory.files().count == 1)
    }

    @Test func `different partitions, queries, hosts and schemes have separate keys`() async throws {
        let store = try store()
        let responses = [
            StoredResponse.kept(body: "1"), .kept(partition: CachePartition(named: "7"), body: "2"),
            .kept("https://api.example.com/movies?page=1", body: "3"), .kept("https://other.example.com/movies", body: "4"),
            .kept("http://api.example.com/movies", body: "5"),
        ]
        for response in responses { try await store.save(CacheEntry(response)) }
        for response in responses { #expect(await store.entries(for: response.key).map(\.response) == [response]) }
    }

    @Test(
        arguments: [
            (CacheSelection.all, []), (.host("API.example.com"), ["other"]),
            (.partition(CachePartition(named: "7")), ["a", "b", "other"]),
            (.storedBefore(Date(timeIntervalSinceReferenceDate: 700_000_002)), ["mine", "other"]),
            (.url(URL(fileURLWithPath: "/")), ["a", "b", "mine", "other"]),
        ] as [(CacheSelection, [String])])
    func `only the selected responses are removed`(selection: CacheSelection, kept: [String]) async throws {
        let store = try store()
        let responses = [
            StoredResponse.kept("https://api.example.com/a", body: "a", at: 700_000_000),
            .kept("https://api.example.com/b", body: "b", at: 700_000_001),
            .kept("https://api.example.com/a", partition: CachePartition(named: "7"), body: "mine", at: 700_000_002),
            .kept("https://other.example.com/a", body: "other", at: 700_000_003),
        ]
        for response in responses { try await store.save(CacheEntry(response)) }
        #expect(try await store.remove(selection) == 4 - kept.count)
        var left: [String] = []
        for response in responses { left += await bodies(store, response) }
        #expect(left.sorted() == kept)
        #expect(removals.withLock(\.count) == 4 - kept.count)
    }

    @Test func `a URL is removed in all partitions, without reading other entries`() async throws {
        let store = try store()
        let url = try #require(URL(string: "https://api.example.com/movies"))
        for name in ["1", "2", "3"] {
            try await store.save(CacheEntry(.kept(partition: CachePartition(named: name), varying: language("de"))))
            try await store.save(CacheEntry(.kept(partition: CachePartition(named: name), varying: language("fr"))))
        }
        try await store.save(CacheEntry(.kept("https://api.example.com/movies/1")))
        #expect(Set(directory.files(below: "records").map { $0.prefix(2) }).count == 2)
        #expect(try await store.remove(.url(url), because: .invalidated) == 6)
        #expect(removals.withLock { $0 } == Array(repeating: "movies invalidated", count: 6))
        #expect(directory.files().count == 1)
    }

    @Test func `only the old variants of a key are removed`() async throws {
        let store = try store()
        try await store.save(CacheEntry(.kept(varying: language("de"), body: "old", at: 1)))
        try await store.save(CacheEntry(.kept(varying: language("fr"), body: "new", at: 3)))
        #expect(try await store.remove(.storedBefore(Date(timeIntervalSinceReferenceDate: 2))) == 1)
        #expect(await bodies(store) == ["new"])
        #expect(try await store.remove(.key(StoredResponse.kept().key)) == 1)
        #expect(directory.files().isEmpty)
    }

    @Test func `a response that is too large is an error that names the limit, and the previous response is removed`()
        async throws
    {
        let store = try store { $0.maximumEntryBytes = 3_000 }
        try await store.save(CacheEntry(.kept(body: "small")))
        do throws(CacheStoreError) {
            try await store.save(CacheEntry(.kept(body: String(repeating: "x", count: 3_000))))
            Issue.record("the save did not fail")
        } catch {
            #expect(error.code == .tooLarge && error.message.contains("3000"), "\(error)")
        }
        #expect(await bodies(store).isEmpty)
        // Two variants that fit individually, but not together.
        for value in ["de", "fr"] {
            try await store.save(CacheEntry(.kept(varying: language(value), body: String(repeating: value, count: 700))))
        }
        #expect(await bodies(store) == [String(repeating: "fr", count: 700)])
    }

    @Test func `evicted responses are reported`() async throws {
        let store = try store { $0.maximumKeys = 2 }
        // The oldest records are known reliably only after a complete scan.
        await store.records.settle()
        for number in 1...3 {
            try await store.save(CacheEntry(.kept("https://api.example.com/\(number)", varying: language("de"))))
            try await store.save(CacheEntry(.kept("https://api.example.com/\(number)", varying: language("fr"))))
        }
        await store.records.settle()
        #expect(store.count == 2)
        #expect(removals.withLock(\.self) == ["1 evicted", "1 evicted"])
    }

    @Test func `a file with any damaged byte is a miss`() async throws {
        let response = StoredResponse.kept(varying: language("de"), body: "hello")
        let writer = try store()
        try await writer.save(CacheEntry(response))
        let url = directory.place.appendingPathComponent(try #require(directory.files().first))
        let good = try Data(contentsOf: url)
        for index in good.indices {
            var bad = good
            bad[index] ^= 1
            try bad.write(to: url)
            #expect(await writer.entries(for: response.key).isEmpty, "byte \(index)")
            await writer.records.settle()
        }
        try await writer.save(CacheEntry(response))
        #expect(await writer.entries(for: response.key).map(\.response) == [response])
    }

    @Test func `large responses are stored and read`() async throws {
        let store = try store()
        let response = StoredResponse.kept(body: String(repeating: "0123456789", count: 300_000))
        try await store.save(CacheEntry(response))
        #expect(await store.entries(for: response.key).map(\.response) == [response])
    }

    @Test func `concurrent tasks find the responses that they saved`() async throws {
        let store = try store()
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for number in 0..<20 {
                        let response = StoredResponse.kept("https://api.example.com/\(task)/\(number)", body: "\(task) \(number)")
                        try? await store.save(CacheEntry(response))
                        #expect(await store.entries(for: response.key).map(\.response) == [response])
                    }
                }
            }
        }
        await store.records.settle()
        #expect(store.count == 160)
    }
}
