import Foundation
import NetworkCore
import NetworkSupport
import Testing
import TransferTestSupport

@testable import NetworkCache

/// Which records are removed, and when.
@Suite(.timeLimit(.minutes(10)))
struct RecordEvictionTests {
    // The oldest records are known reliably only after a complete scan, so tests of the order wait for it first.
    private let directory: CacheDirectory
    private let clock = TestClock()

    init() throws {
        directory = try CacheDirectory()
    }

    /// Writes each record one second after the previous one.
    private func write(_ keys: Range<Int>, bytes: Int = 60, to records: DiskRecords) async throws {
        for key in keys {
            clock.advance(by: .seconds(1))
            // 44 bytes are the fixed part and a key of four letters.
            try await records.write("k\(key + 100)", sampleBytes("\(key)", version: 0, count: bytes - 44))
        }
    }

    private func present(_ keys: Range<Int>, in records: DiskRecords) -> [Int] {
        keys.filter { records.folder.status(of: RecordName(RecordKey("k\($0 + 100)"))) != nil }
    }

    @Test func `the least recently used records are evicted first`() async throws {
        let records = try directory.records(entries: 10, clock: clock)
        await records.settle()
        try await write(0..<10, to: records)
        clock.advance(by: .seconds(1))
        for key in [0, 3] { #expect(await records.payload("k\(key + 100)") != nil) }
        try await write(10..<14, to: records)
        await records.settle()
        #expect(present(0..<14, in: records) == [0, 3, 6, 7, 8, 9, 10, 11, 12, 13])
        #expect(records.usage == (600, 10))
        // A record that is next in order, but is used before it is evicted.
        clock.advance(by: .seconds(1))
        #expect(await records.payload("k106") != nil)
        try await write(14..<15, to: records)
        await records.settle()
        #expect(present(0..<15, in: records) == [0, 3, 6, 8, 9, 10, 11, 12, 13, 14])
    }

    @Test(arguments: [1_000, 6_000, 60_000])
    func `the total size stays within the limit for any sequence of writes`(limit: Int) async throws {
        let records = try directory.records(bytes: limit, recordBytes: 500, clock: clock)
        var random = SeededGenerator(seed: UInt64(limit))
        for key in 0..<300 {
            clock.advance(by: .seconds(1))
            let count = Int.random(in: 0..<400, using: &random)
            try await records.write(
                "k\(Int.random(in: 0...key, using: &random))", sampleBytes("\(key)", version: key, count: count))
        }
        await records.settle()
        let sum = directory.files(below: "records").reduce(0) { sum, path in
            let url = directory.place.appendingPathComponent("records/" + path)
            return sum + ((try? Data(contentsOf: url).count) ?? 0)
        }
        #expect(sum <= limit && sum == records.usage.bytes, "\(sum) \(records.usage)")
        #expect(sum > limit - 500 || limit == 60_000)
    }

    @Test func `a limit that is smaller than at the last opening is applied after opening`() async throws {
        do {
            let records = try directory.records(clock: clock)
            try await write(0..<50, to: records)
            await records.settle()
            #expect(records.usage == (3_000, 50))
        }
        let records = try directory.records(bytes: 600, clock: clock)
        await records.settle()
        #expect(present(0..<50, in: records) == Array(40..<50))
        #expect(records.usage == (600, 10))
    }

    @Test func `with a limit of zero, no records are stored`() async throws {
        let records = try directory.records(bytes: 0, clock: clock)
        await #expect(throws: CacheStoreError.self) { try await write(0..<1, to: records) }
        let none = try directory.records(entries: 0, clock: clock)
        try await write(0..<3, to: none)
        await none.settle()
        #expect(directory.files().isEmpty)
    }

    @Test func `records that were used before the clock was set back are evicted first`() async throws {
        let records = try directory.records(entries: 10, clock: clock)
        await records.settle()
        try await write(0..<10, to: records)
        clock.advance(by: .seconds(-100_000))
        // This record is used now, so it is newer than those whose last use is in the future.
        #expect(await records.payload("k102") != nil)
        try await write(10..<15, to: records)
        await records.settle()
        let kept = present(0..<15, in: records)
        #expect(kept.count == 10 && kept.contains(2) && kept.suffix(5) == [10, 11, 12, 13, 14], "\(kept)")
    }

    @Test func `records written by other processes count towards the limits`() async throws {
        let (first, second) = (
            try directory.records(entries: 100, clock: clock), try directory.records(entries: 100, clock: clock)
        )
        await first.settle()
        await second.settle()
        for start in stride(from: 0, to: 400, by: 2) {
            try await write(start..<(start + 1), to: first)
            try await write((start + 1)..<(start + 2), to: second)
        }
        await first.settle()
        await second.settle()
        // Each process scans again after it has written 64 records: until then, the other's changes are not included.
        #expect((36...228).contains(directory.files(below: "records").count), "\(directory.files(below: "records").count)")
        // The newest records are present.
        #expect(present(390..<400, in: first) == Array(390..<400))
    }

    @Test func `changes by other processes are included long before those of this process reach the limit`() async throws {
        let (records, other) = (try directory.records(entries: 200, clock: clock), try directory.records(clock: clock))
        await records.settle()
        try await write(0..<300, to: other)
        try await write(300..<366, to: records)
        await records.settle()
        #expect(directory.files(below: "records").count == 200)
    }

    @Test func `files that other processes remove or add during eviction cause no errors`() async throws {
        let records = try directory.records(entries: 20, clock: clock)
        await records.settle()
        try await write(0..<20, to: records)
        await records.settle()
        for key in 0..<10 { unlink(directory.file(of: RecordKey("k\(key + 100)")).path) }
        let other = try RecordFolder(directory.place)
        for key in 20..<25 {
            clock.advance(by: .seconds(1))
            _ = try other.write(RecordKey("k\(key + 100)"), info: [], payload: Data(count: 16), now: clock.now)
        }
        try await write(25..<35, to: records)
        await records.settle()
        let kept = present(0..<35, in: records)
        #expect(kept.count <= 20 && kept.suffix(10) == Array(25..<35), "\(kept)")
    }

    @Test func `a file that exceeds the limit for one record is removed when a scan finds it`() async throws {
        do {
            try await write(0..<1, bytes: 5_000, to: try directory.records(clock: clock))
        }
        let records = try directory.records(recordBytes: 1_000, clock: clock)
        #expect(await records.payload("k100") == nil)
        await records.settle()
        #expect(directory.files().isEmpty && records.usage == (0, 0))
    }

    @Test func `a damaged record is a miss and is removed, and a record of another version is kept`() async throws {
        let removed = Locked<[CacheRemoval]>([])
        let records = try directory.records(clock: clock) { _, reason in removed.withLock { $0.append(reason) } }
        try await write(0..<3, to: records)
        for (key, offset) in [(0, 50), (1, 4)] {
            let url = directory.file(of: RecordKey("k\(key + 100)"))
            var bytes = try Data(contentsOf: url)
            bytes[offset] ^= 2
            try bytes.write(to: url)
        }
        for key in 0..<2 { #expect(await records.payload("k\(key + 100)") == nil) }
        await records.settle()
        // The removal of the damaged record is on the queue before this write.
        try await write(3..<4, to: records)
        #expect(present(0..<4, in: records) == [1, 2, 3])
        #expect(removed.withLock(\.self) == [.damaged])
    }

    @Test func `eviction stops scanning if it finds nothing to remove`() async throws {
        // A folder under a record's name is not counted, and a record that is counted can always be removed by its owner. For
        // that reason, this test uses only the eviction plan.
        var eviction = RecordEviction(DiskLimits(bytes: 100, entries: 10, recordBytes: 100))
        let status = try #require(try someStatus())
        var scanCount = 0
        for _ in 0..<10_000 {
            switch eviction.next() {
            case .scan(let shard):
                scanCount += 1
                if shard == 0 { for _ in 0..<40 { eviction.found(status, now: clock.now) } }
                eviction.endScan()
            case .remove: eviction.removed(.init(), shard: 0)
            case .none: break
            }
        }
        #expect(scanCount == RecordName.shards)
        eviction.note(.init(bytes: 1, count: 1), shard: 7)
        #expect(eviction.next() == .scan(shard: 0))
    }

    private func someStatus() throws -> RecordStatus? {
        let folder = try RecordFolder(directory.place)
        _ = try folder.write(RecordKey("x"), info: [], payload: Data(), now: clock.now)
        return folder.status(of: RecordName(RecordKey("x")))
    }

    @Test(arguments: 1...5 as ClosedRange<UInt64>)
    func `the oldest records are the same as those that sorting by last use finds`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var status = try #require(try someStatus())
        var all: [Int64] = []
        var oldest = OldestRecords(capacity: 50)
        for _ in 0..<Int.random(in: 0...500, using: &random) {
            let time = Int64.random(in: 0..<300, using: &random)
            all.append(time)
            status.lastUse = FileTime(nanoseconds: time)
            oldest.offer(status, now: clock.now)
        }
        #expect(oldest.newestFirst.map(\.lastUse.nanoseconds) == all.sorted().prefix(50).reversed())
    }

    @Test func `when removeAll returns, all records are removed and new ones can be written`() async throws {
        let records = try directory.records(clock: clock)
        try await write(0..<200, to: records)
        try await records.removeAll()
        #expect(directory.files().isEmpty && records.usage == (0, 0))
        try await write(0..<5, to: records)
        await records.settle()
        #expect(records.usage == (300, 5))
    }
}
