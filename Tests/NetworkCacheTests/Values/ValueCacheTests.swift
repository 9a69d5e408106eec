import Foundation
import NetworkCore
import NetworkSupport
import Testing
import TransferTestSupport

@testable import NetworkCache

/// Most tests run with a cache in memory and with one in a directory.
@Suite(.timeLimit(.minutes(10)))
struct ValueCacheTests {
    struct Movie: Codable, Equatable, Sendable {
        var id: Int
        var title: String
        var date = Date(timeIntervalSinceReferenceDate: 0.125)
    }

    enum Place: CaseIterable { case memory, disk }

    struct Failure: Error, Equatable {}

    private let directory: CacheDirectory
    private let clock = TestClock()
    private let failures = Locked<[CacheStoreError]>([])

    init() throws {
        directory = try CacheDirectory()
    }

    private func cache(_ place: Place, limits: ValueCache.Limits = ValueCache.Limits(maximumBytes: 1 << 24)) throws -> ValueCache
    {
        let clock: @Sendable () -> FileTime = { [clock] in clock.now }
        let storage: any ValueStorage =
            switch place {
            case .memory: MemoryValues(limits)
            case .disk: try DiskValues(directory.place, limits, noting: .zero, clock: clock)
            }
        return ValueCache(storage, clock: clock) { [failures] error in failures.withLock { $0.append(error) } }
    }

    @Test(arguments: Place.allCases)
    func `a value is returned for its lifetime, and computed again afterwards`(place: Place) async throws {
        let cache = try cache(place)
        let made = Locked(0)
        func value() async -> Movie {
            await cache.value(for: "popular", lifetime: .seconds(300)) {
                let id = made.withLock {
                    $0 += 1
                    return $0
                }
                return Movie(id: id, title: "é")
            }
        }
        #expect(await value() == Movie(id: 1, title: "é"))
        clock.advance(by: .milliseconds(299_900))
        #expect(await value() == Movie(id: 1, title: "é"))
        #expect(await cache.value(for: "popular", as: Movie.self)?.id == 1)
        clock.advance(by: .milliseconds(100))
        #expect(await cache.value(for: "popular", as: Movie.self) == nil)
        #expect(await value().id == 2)
    }

    @Test(arguments: Place.allCases)
    func `the shorter of the stored and the requested lifetime applies`(place: Place) async throws {
        let cache = try cache(place)
        try await cache.set(1, for: "key", lifetime: .seconds(1_000))
        clock.advance(by: .seconds(100))
        #expect(await cache.value(for: "key", lifetime: .seconds(101)) { 2 } == 1)
        #expect(await cache.value(for: "key", lifetime: .seconds(100)) { 2 } == 2)
    }

    @Test(arguments: Place.allCases)
    func `with a lifetime of zero or less, no value is stored, and the stored one is removed`(place: Place) async throws {
        let cache = try cache(place)
        try await cache.set(1, for: "key", lifetime: .seconds(1))
        #expect(await cache.value(for: "key", lifetime: .zero) { 2 } == 2)
        #expect(await cache.value(for: "key", as: Int.self) == nil)
        try await cache.set(1, for: "key", lifetime: .seconds(Int64.max))
        #expect(await cache.value(for: "key", as: Int.self) == 1)
        try await cache.set(1, for: "key", lifetime: .seconds(-1))
        #expect(await cache.value(for: "key", as: Int.self) == nil)
    }

    @Test(arguments: Place.allCases)
    func `setting the clock back does not extend the lifetime of a value`(place: Place) async throws {
        let cache = try cache(place)
        try await cache.set(1, for: "key", lifetime: .seconds(300))
        clock.advance(by: .seconds(-1_000))
        #expect(await cache.value(for: "key", as: Int.self) == nil)
        #expect(await cache.value(for: "key", lifetime: .seconds(300), allowingStale: .seconds(1_000)) { 2 } == 2)
        #expect(await cache.value(for: "key", as: Int.self) == 2)
        try await cache.set(3, for: "other", lifetime: .seconds(300))
        clock.advance(by: .seconds(-1_000))
        #expect(try await cache.removeExpired() == 2)
    }

    @Test(arguments: Place.allCases)
    func `any text is a valid key, and no key is used as a path`(place: Place) async throws {
        let cache = try cache(place)
        let keys = [
            "", ".", "..", "../../x", "/etc/passwd", "a/b", "a\u{0}b", "a", "b", "ab", String(repeating: "ü", count: 5_000), "📽",
        ]
        for partition in ["", "a", "1:a", "../x"] {
            for key in keys {
                try await cache.partition(partition).set(partition + "|" + key, for: key, lifetime: .seconds(3600))
            }
        }
        for partition in ["", "a", "1:a", "../x"] {
            for key in keys { #expect(await cache.partition(partition).value(for: key) == partition + "|" + key) }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == (place == .disk ? ["cache"] : []))
    }

    @Test(arguments: Place.allCases)
    func `removal affects only the selected values`(place: Place) async throws {
        let cache = try cache(place)
        let (one, two) = (cache.partition("1"), cache.partition("2"))
        func fill() async throws {
            try await one.set(1, for: "a", lifetime: .seconds(10))
            try await one.set(2, for: "b", lifetime: .seconds(1_000))
            clock.advance(by: .seconds(100))
            try await two.set(3, for: "a", lifetime: .seconds(1_000))
        }
        func left() async -> [Int?] {
            await [one.value(for: "a"), one.value(for: "b"), two.value(for: "a")]
        }
        try await fill()
        #expect(try await cache.removeExpired() == 1)
        try await fill()
        try await one.remove("b")
        #expect(await left() == [nil, nil, 3])
        try await fill()
        #expect(try await one.removePartition() == 2)
        #expect(await left() == [nil, nil, 3])
        try await fill()
        let before = Date(timeIntervalSince1970: Double(clock.now.nanoseconds) / 1e9 - 50)
        #expect(try await cache.remove(storedBefore: before) == 2)
        #expect(await left() == [nil, nil, 3])
        try await fill()
        #expect(try await two.removeAll() == 3)
        #expect(await left() == [nil, nil, nil])
    }

    @Test(arguments: Place.allCases)
    func `a stored value of another type is a miss, and is replaced`(place: Place) async throws {
        let cache = try cache(place)
        try await cache.set("text", for: "key", lifetime: .seconds(3600))
        #expect(await cache.value(for: "key", as: Int.self) == nil)
        #expect(await cache.value(for: "key", lifetime: .seconds(3600)) { 7 } == 7)
        #expect(await cache.value(for: "key", as: Int.self) == 7)
        #expect(await cache.value(for: "nan", lifetime: .seconds(3600)) { Double.nan }.isNaN)
        #expect(await cache.value(for: "nan", as: Double.self)?.isNaN == true)
    }

    @Test(arguments: Place.allCases)
    func `limits are enforced, and the least recently used values are evicted first`(place: Place) async throws {
        var limits = ValueCache.Limits(maximumBytes: 1 << 20)
        limits.maximumValues = 3
        limits.maximumValueBytes = 2_000
        let cache = try cache(place, limits: limits)
        // The oldest records are known reliably only after a complete scan.
        await (cache.storage as? DiskValues)?.records.settle()
        for key in 1...3 {
            clock.advance(by: .seconds(1))
            try await cache.set(key, for: "\(key)", lifetime: .seconds(3600))
        }
        clock.advance(by: .seconds(1))
        #expect(await cache.value(for: "1", as: Int.self) == 1)
        clock.advance(by: .seconds(1))
        try await cache.set(4, for: "4", lifetime: .seconds(3600))
        await (cache.storage as? DiskValues)?.records.settle()
        var kept: [Int?] = []
        for key in 1...4 { kept.append(await cache.value(for: "\(key)")) }
        #expect(kept == [1, nil, 3, 4])
        do {
            try await cache.set(String(repeating: "x", count: 3_000), for: "4", lifetime: .seconds(3600))
            Issue.record("the save did not fail")
        } catch let error as CacheStoreError {
            #expect(error.code == .tooLarge && error.message.contains("2000"), "\(error)")
        }
        // The caller has already seen a newer value, so the older one must not be returned.
        #expect(await cache.value(for: "4", as: Int.self) == nil)
    }

    @Test func `a directory keeps values between caches, and in memory only copies share values`() async throws {
        try await cache(.disk).set(Movie(id: 7, title: "Seven"), for: "movie", lifetime: .seconds(3600))
        #expect(try await cache(.disk).value(for: "movie") == Movie(id: 7, title: "Seven"))
        let memory = ValueCache()
        let copy = memory.partition("")
        try await memory.set(1, for: "key", lifetime: .seconds(3600))
        #expect(await copy.value(for: "key", as: Int.self) == 1)
        #expect(await ValueCache().value(for: "key", as: Int.self) == nil)
    }

    // MARK: Failures

    @Test(arguments: Place.allCases)
    func `on failure, a stale value is returned for as long as the caller allows`(place: Place) async throws {
        let cache = try cache(place)
        func value(_ staleness: Duration) async throws(Failure) -> Int {
            try await cache.value(for: "key", lifetime: .seconds(10), allowingStale: staleness) { () throws(Failure) in
                throw Failure()
            }
        }
        try await cache.set(1, for: "key", lifetime: .seconds(10))
        clock.advance(by: .seconds(69))
        await #expect(throws: Failure()) { try await value(.zero) }
        #expect(try await value(.seconds(60)) == 1)
        clock.advance(by: .seconds(1))
        await #expect(throws: Failure()) { try await value(.seconds(60)) }
    }

    @Test func `a value that cannot be stored is returned, and the failure is reported`() async throws {
        let cache = try cache(.disk)
        try FileManager.default.removeItem(at: directory.url)
        try Data().write(to: directory.url)
        #expect(await cache.value(for: "key", lifetime: .seconds(10)) { 7 } == 7)
        #expect(failures.withLock(\.self).map(\.code) == [.directoryMissing])
        #expect(await cache.value(for: "key", as: Int.self) == nil)
        await #expect(throws: CacheStoreError.self) { try await cache.set(1, for: "key", lifetime: .seconds(1)) }
    }

    @Test func `a value that cannot be encoded is an error that names its type`() async throws {
        struct Odd: Codable, Sendable {
            init() {}
            init(from decoder: any Decoder) throws {}
            func encode(to encoder: any Encoder) throws { throw Failure() }
        }
        let cache = try cache(.memory)
        _ = await cache.value(for: "key", lifetime: .seconds(10)) { Odd() }
        let error = try #require(failures.withLock(\.first))
        #expect(error.code == .encoding && error.message.contains("Odd") && error.underlying is Failure)
    }

    // MARK: Concurrent calls

    /// Waits until this number of calls wait for the value that another call computes.
    private func wait(for count: Int, in cache: ValueCache, as type: Any.Type = Int.self) async throws {
        let key = MadeValue.Key(value: ValueKey(partition: cache.partition, name: "key"), type: ObjectIdentifier(type))
        while cache.flights.waitingCount(key) < count {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    @Test(arguments: Place.allCases)
    func `concurrent calls for the same value share one computation`(place: Place) async throws {
        let cache = try cache(place)
        let made = Locked(0)
        let gate = AsyncStream.makeStream(of: Void.self)
        @Sendable func value() async -> Int {
            await cache.value(for: "key", lifetime: .seconds(3600)) {
                for await _ in gate.stream { break }
                return made.withLock {
                    $0 += 1
                    return $0
                }
            }
        }
        let all = (0..<10).map { _ in Task { await value() } }
        try await wait(for: 9, in: cache)
        // Another partition is not affected.
        #expect(await cache.partition("x").value(for: "key", lifetime: .seconds(3600)) { 42 } == 42)
        gate.continuation.finish()
        for task in all { #expect(await task.value == 1) }
        #expect(made.withLock(\.self) == 1)
    }

    @Test func `calls that share a computation also receive its error`() async throws {
        let cache = try cache(.memory)
        let gate = AsyncStream.makeStream(of: Void.self)
        let all = (0..<3).map { _ in
            Task {
                try await cache.value(for: "key", lifetime: .seconds(3600)) { () async throws(Failure) -> Int in
                    for await _ in gate.stream { break }
                    throw Failure()
                }
            }
        }
        try await wait(for: 2, in: cache)
        gate.continuation.finish()
        for task in all { await #expect(throws: Failure()) { try await task.value } }
    }

    @Test func `when the call that computes a value is cancelled, a waiting call computes it`() async throws {
        let cache = try cache(.memory)
        let (never, started) = (AsyncStream.makeStream(of: Void.self), AsyncStream.makeStream(of: Void.self))
        let first = Task {
            try await cache.value(for: "key", lifetime: .seconds(3600)) { () async throws(CancellationError) -> Int in
                started.continuation.finish()
                for await _ in never.stream { break }
                throw CancellationError()
            }
        }
        for await _ in started.stream { break }
        let others = (0..<3).map { number in
            // Their closures can throw the same error as the first one.
            Task { try await cache.value(for: "key", lifetime: .seconds(3600)) { () async throws(CancellationError) in 7 } }
        }
        try await wait(for: 3, in: cache)
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        for task in others { #expect(try await task.value == 7) }
    }

    @Test func `a call that is cancelled stops waiting for a shared value`() async throws {
        let cache = try cache(.memory)
        let gate = AsyncStream.makeStream(of: Void.self)
        let first = Task {
            await cache.value(for: "key", lifetime: .seconds(3600)) {
                for await _ in gate.stream { break }
                return 1
            }
        }
        // The first call computes the value, so it must have joined before the second.
        let key = MadeValue.Key(value: ValueKey(partition: "", name: "key"), type: ObjectIdentifier(Int.self))
        while !cache.flights.isRunning(key) {
            try Task.checkCancellation()
            await Task.yield()
        }
        let second = Task { await cache.value(for: "key", lifetime: .seconds(3600)) { Task.isCancelled ? 2 : 3 } }
        try await wait(for: 1, in: cache)
        second.cancel()
        #expect(await second.value == 2)
        gate.continuation.finish()
        #expect(await first.value == 1)
    }
}
