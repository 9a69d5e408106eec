import Endpoints
import Foundation
import NetworkSupport
import NetworkTesting
import Testing
import TransferTestSupport

@testable import NetworkCache
@testable import NetworkTransport

@Suite(.timeLimit(.minutes(10)))
struct FailingStoreTests {
    /// A store whose selected operations fail.
    private final class FailingStore: CacheStore {
        enum Part { case entries, save, remove }

        let memory = MemoryCacheStore()
        let failing: Locked<Set<Part>>
        /// The entries that it returns instead of the stored ones.
        let wrong = Locked<[CacheEntry]?>(nil)

        init(_ failing: Part...) {
            self.failing = Locked(Set(failing))
        }

        let maximumEntryBytes = 1 << 20

        func entries(for key: CacheKey) async throws(CacheStoreError) -> [CacheEntry] {
            try check(.entries)
            return wrong.withLock { $0 } ?? memory.entries(for: key)
        }

        func save(_ entry: CacheEntry) async throws(CacheStoreError) {
            try check(.save)
            memory.save(entry)
        }

        func remove(_ selection: CacheSelection, because reason: CacheRemoval) async throws(CacheStoreError) -> Int {
            try check(.remove)
            return memory.remove(selection, because: reason)
        }

        private func check(_ part: Part) throws(CacheStoreError) {
            if failing.withLock({ $0.contains(part) }) { throw CacheStoreError("the disk is full") }
        }
    }

    @Test
    func `a store that cannot be read or written is treated as a miss, and the error is logged`() async throws {
        for part in [FailingStore.Part.entries, .save] {
            let logger = InMemoryLogger()
            let harness = CacheHarness(store: FailingStore(part), logger: logger)
            for count in 1...2 {
                harness.enqueue("one", "Cache-Control: max-age=60")
                let result = try await harness.send("Authorization: canary")
                #expect(result.body == "one" && !result.isHit)
                #expect(logger.networkErrors.count == count)
            }
        }
    }

    @Test
    func `a response that the store failed to remove is not used`() async throws {
        let store = FailingStore(.remove)
        let harness = CacheHarness(store: store, logger: InMemoryLogger())
        harness.enqueue("old", "Cache-Control: max-age=60")
        _ = try await harness.send()
        harness.enqueue("", status: 204)
        _ = try await harness.send(method: .put)
        harness.time.advance(1)
        harness.enqueue("new", "Cache-Control: max-age=60")
        #expect(try await harness.send().body == "new")
        #expect(try await harness.send().isHit)
        await #expect(throws: CacheStoreError.self) { try await harness.cache.remove(.all) }
        harness.enqueue("newer", "Cache-Control: no-store")
        #expect(try await harness.send().body == "newer")
    }

    @Test
    func `the list of distrusted selections is bounded, and every distrusted entry stays distrusted`() throws {
        let ledger = CacheLedger()
        let entry = CacheEntry(.make())
        ledger.distrust(.key(entry.response.key), until: TestTime.start)
        for index in 0..<1000 {
            ledger.distrust(.host("\(index).example.com"), until: TestTime.start)
            #expect(ledger.trusted([entry]).isEmpty)
        }
        #expect(ledger.trusted([CacheEntry(.make(age: -1))]).count == 1)
    }

    @Test
    func `an entry that a store returns under a wrong key is not used`() async throws {
        let store = FailingStore()
        let harness = CacheHarness(store: store)
        store.wrong.withLock { $0 = [CacheEntry(.make(partition: CachePartition(named: "other")))] }
        harness.enqueue("own", "Cache-Control: max-age=60")
        #expect(try await harness.send().body == "own")
    }

    @Test
    func `a store error describes the problem without the underlying error`() {
        let error = CacheStoreError("it is full", underlying: TransportError(.other, "canary"))
        var dumped = ""
        dump(error, to: &dumped)
        #expect("\(error)" == "cache store: it is full" && !dumped.contains("canary"))
    }
}
