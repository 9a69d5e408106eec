#if os(macOS) || os(Linux)
    import Endpoints
    import Foundation
    import NetworkCore
    import Testing

    @testable import NetworkCache

    /// The tests run in separate processes, because they block threads that other tests need.
    @Suite(.timeLimit(.minutes(10))) struct BlockedCacheTests {
        @Test func `with 1,000 completions blocked, a disk cache can be written and read`() async {
            await #expect(processExitsWith: .success) {
                let gate = DispatchSemaphore(value: 0)
                for _ in 0..<1000 { BackgroundThreads.completions.run { gate.wait() } }
                let directory = try CacheDirectory()
                let store = try DiskCacheStore(directory: directory.place)
                let response = StoredResponse.make(body: String(repeating: "x", count: 100_000))
                try await store.save(CacheEntry(response))
                #expect(await store.entries(for: response.key).map(\.response.body.count) == [100_000])
                #expect(try await store.remove(.all) == 1)
                await store.records.settle()
                #expect(BackgroundThreads.completions.waitingCount >= 930)
                for _ in 0..<1000 { gate.signal() }
            }
        }

        @Test func `an entry that is not in memory is read on the threads for files, and a small one in memory on the caller's`()
            async
        {
            await #expect(processExitsWith: .success) {
                let directory = try CacheDirectory()
                let store = try DiskCacheStore(directory: directory.place)
                let small = StoredResponse.make(body: "small")
                let large = StoredResponse.make(path: "large", body: String(repeating: "x", count: 100_000))
                for response in [small, large] { try await store.save(CacheEntry(response)) }
                await store.records.settle()
                let gate = DispatchSemaphore(value: 0)
                for _ in 0..<64 { BackgroundThreads.files.run { gate.wait() } }
                if CacheDirectory.isReadFromMemory(directory.file(of: StoredVariants.recordKey(small.key))) {
                    #expect(await store.entries(for: small.key).count == 1)
                }
                let found = Task { await store.entries(for: large.key).count }
                while BackgroundThreads.files.waitingCount < 1 { await Task.yield() }
                for _ in 0..<64 { gate.signal() }
                #expect(await found.value == 1)
            }
        }
    }
#endif
