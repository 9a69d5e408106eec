import Endpoints
import Foundation
import NetworkCore
import NetworkSupport
import Testing
import TransferTestSupport

@testable import NetworkCache

struct MemoryCacheStoreTests {
    private final class Removals: Sendable {
        let all = Locked<[String]>([])

        var handler: CacheRemovalHandler {
            { key, reason in self.all.withLock { $0.append("\(key.url.split(separator: "/").last ?? "") \(reason.rawValue)") } }
        }
    }

    @Test
    func `a saved response is found only under its key`() {
        let store = MemoryCacheStore()
        let entry = entry("a")
        store.save(entry)
        #expect(store.entries(for: entry.response.key).map(\.response) == [entry.response])
        #expect(store.entries(for: key("b")).isEmpty)
        #expect(store.entries(for: key("a", CachePartition(named: "x"))).isEmpty)
        #expect(store.byteCount == entry.footprint && store.count == 1)
    }

    @Test
    func `the least recently used values are evicted`() {
        let removals = Removals()
        let size = entry("0").footprint
        let store = MemoryCacheStore(limits: CacheStoreLimits(maximumBytes: 3 * size), onRemoval: removals.handler)
        for name in ["0", "1", "2"] { store.save(entry(name)) }
        _ = store.entries(for: key("0"))
        store.save(entry("3"))
        #expect(present(store, ["0", "1", "2", "3"]) == ["0", "2", "3"])
        #expect(removals.all.withLock { $0 } == ["1 evicted"])
        #expect(store.byteCount == 3 * size)
    }

    @Test
    func `a response replaces the one with the same variant`() {
        let removals = Removals()
        let store = MemoryCacheStore(onRemoval: removals.handler)
        store.save(entry("a", body: "old"))
        store.save(entry("a", body: "new"))
        store.save(entry("a", body: "text", accept: "text/plain"))
        #expect(store.entries(for: key("a")).map { String(decoding: $0.response.body, as: UTF8.self) } == ["new", "text"])
        #expect(removals.all.withLock { $0 } == ["a replaced"])
        #expect(store.count == 2)
    }

    @Test
    func `the number of variants per key is limited, and the oldest variant is evicted`() {
        var limits = CacheStoreLimits.memory
        limits.maximumVariants = 2
        let removals = Removals()
        let store = MemoryCacheStore(limits: limits, onRemoval: removals.handler)
        for accept in ["1", "2", "3"] { store.save(entry("a", accept: accept)) }
        #expect(store.entries(for: key("a")).map { $0.response.varying[0].value } == ["2", "3"])
        #expect(removals.all.withLock { $0 } == ["a evicted"])
    }

    @Test
    func `the number of keys is limited`() {
        var limits = CacheStoreLimits.memory
        limits.maximumKeys = 2
        let store = MemoryCacheStore(limits: limits)
        for name in ["0", "1", "2"] { store.save(entry(name)) }
        #expect(present(store, ["0", "1", "2"]) == ["1", "2"])
    }

    @Test
    func `an entry that exceeds its size limit is not stored, and the previous one is removed`() {
        var limits = CacheStoreLimits.memory
        limits.maximumEntryBytes = entry("a").footprint
        let removals = Removals()
        let store = MemoryCacheStore(limits: limits, onRemoval: removals.handler)
        store.save(entry("a"))
        store.save(entry("a", body: "longer than before"))
        #expect(store.count == 0 && store.byteCount == 0)
        #expect(removals.all.withLock { $0 } == ["a replaced"])
    }

    @Test
    func `with limits of zero or less, no responses are stored`() {
        for number in [0, -1] {
            var limits = CacheStoreLimits.memory
            limits.maximumVariants = number
            let store = MemoryCacheStore(limits: limits)
            store.save(entry("a"))
            #expect(store.count == 0)
            let none = MemoryCacheStore(limits: CacheStoreLimits(maximumBytes: number))
            none.save(entry("a"))
            #expect(none.count == 0)
        }
    }

    @Test
    func `only the selected responses are removed`() throws {
        let someone = CachePartition(named: "someone")
        let url = try #require(URL(string: "https://api.example.com/a"))
        let rows: [(CacheSelection, [String])] = [
            (.key(key("a")), ["a someone", "b", "c old", "other"]), (.url(url), ["b", "c old", "other"]),
            (.host("API.example.com"), ["other"]), (.partition(someone), ["a", "b", "c old", "other"]),
            (.storedBefore(TestTime.start), ["a", "a someone", "b", "other"]), (.all, []),
        ]
        for (selection, left) in rows {
            let store = MemoryCacheStore()
            let entries = [
                ("a", entry("a")), ("a someone", entry("a", partition: someone)), ("b", entry("b")),
                ("c old", entry("c", age: 1)),
                ("other", entry("a", host: "other.example.com")),
            ]
            for (_, entry) in entries { store.save(entry) }
            let count = store.remove(selection, because: .removed)
            let found = entries.filter { !store.entries(for: $0.1.response.key).isEmpty }.map(\.0)
            #expect(found == left, "\(selection)")
            #expect(count == entries.count - left.count && store.count == left.count)
            #expect(store.byteCount == entries.filter { left.contains($0.0) }.reduce(0) { $0 + $1.1.footprint })
        }
    }

    @Test
    func `a selection with several conditions matches entries that meet all of them`() {
        var selection = CacheSelection.host("api.example.com")
        selection.storedBefore = TestTime.start
        let store = MemoryCacheStore()
        store.save(entry("a"))
        store.save(entry("b", age: 1))
        store.save(entry("c", age: 1, host: "other.example.com"))
        #expect(store.remove(selection) == 1)
        #expect(store.entries(for: key("b")).isEmpty)
    }

    @Test
    func `the removal handler receives the reason, and may use the store`() {
        let store = Locked<MemoryCacheStore?>(nil)
        let received = Locked<[CacheRemoval]>([])
        let memory = MemoryCacheStore { key, reason in
            _ = store.withLock { $0 }?.entries(for: key)
            received.withLock { $0.append(reason) }
        }
        store.withLock { $0 = memory }
        memory.save(entry("a"))
        memory.remove(.all, because: .invalidated)
        #expect(received.withLock { $0 } == [.invalidated])
        store.withLock { $0 = nil }
    }

    @Test
    func `random operations keep the sizes and the order of eviction correct`() {
        var random = SystemRandomNumberGenerator()
        let size = entry("0").footprint
        let store = MemoryCacheStore(limits: CacheStoreLimits(maximumBytes: 5 * size))
        var model: [String] = []
        for _ in 0..<5000 {
            let name = String(Int.random(in: 0..<10, using: &random))
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                store.remove(.key(key(name)))
                model.removeAll { $0 == name }
            case 1:
                let isFound = !store.entries(for: key(name)).isEmpty
                #expect(isFound == model.contains(name))
                if isFound {
                    model.removeAll { $0 == name }
                    model.append(name)
                }
            default:
                store.save(entry(name))
                model.removeAll { $0 == name }
                model.append(name)
                if model.count > 5 { model.removeFirst() }
            }
            #expect(store.count == model.count && store.byteCount == model.count * size)
        }
    }

    private func key(_ path: String, _ partition: CachePartition = .withoutCredentials) -> CacheKey {
        StoredResponse.make(path: path, partition: partition).key
    }

    private func entry(
        _ path: String, body: String = "body", accept: String? = nil, partition: CachePartition = .withoutCredentials,
        age: Double = 0,
        host: String = "api.example.com"
    ) -> CacheEntry {
        CacheEntry(
            .make(
                path: path, body: body, varying: accept.map { [.init(name: "accept", value: $0)] } ?? [], partition: partition,
                age: age,
                host: host))
    }

    private func present(_ store: MemoryCacheStore, _ names: [String]) -> [String] {
        names.filter { !store.entries(for: key($0)).isEmpty }
    }
}
