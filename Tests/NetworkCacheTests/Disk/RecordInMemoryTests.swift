import Foundation
import NetworkSupport
import Testing

@testable import NetworkCache

/// Reading of records on the caller's thread. Where the file system cannot do it, as `tmpfs` cannot, nothing is read there.
@Suite(.timeLimit(.minutes(10)))
struct RecordInMemoryTests {
    private let directory: CacheDirectory
    private let folder: RecordFolder
    private let key = RecordKey("popular")
    private let now = TestClock().now
    /// Whether a record that was just written can be read.
    private let isAvailable: Bool

    init() throws {
        directory = try CacheDirectory()
        folder = try RecordFolder(directory.place)
        _ = try folder.write(key, info: [1], payload: Data("movies".utf8), now: now)
        isAvailable = CacheDirectory.isReadFromMemory(directory.file(of: key))
    }

    private func read(_ key: RecordKey, maximumBytes: Int = 1 << 20, after time: Duration = .zero) -> DiskRecord? {
        folder.recordInMemory(
            key, RecordName(key), maximumBytes: maximumBytes, now: now.advanced(by: time), noting: .seconds(60))
    }

    @Test func `a record that was just written is read at once`() {
        let record = read(key)
        #expect(record?.payload == (isAvailable ? Data("movies".utf8) : nil))
        #expect(record?.info == (isAvailable ? [1] : nil))
    }

    @Test func `what may have to wait, or is to be changed, is left to another thread`() throws {
        #expect(read(RecordKey("missing")) == nil)
        #expect(read(key, maximumBytes: 10) == nil)
        // The time of the last use has to be recorded.
        #expect(read(key, after: .seconds(60)) == nil)
        #expect(read(key, after: .seconds(-1)) == nil)
        let large = RecordKey("large")
        _ = try folder.write(large, info: [], payload: Data(count: RecordFolder.maximumBytesInPlace), now: now)
        #expect(read(large) == nil)
        #expect((read(key) != nil) == isAvailable)
    }

    @Test func `a damaged record is not returned`() throws {
        var bytes = try Data(contentsOf: directory.file(of: key))
        bytes[bytes.count - 1] ^= 1
        try bytes.write(to: directory.file(of: key))
        #expect(read(key, after: .seconds(1)) == nil)
        try bytes.dropLast(3).write(to: directory.file(of: key))
        #expect(read(key, after: .seconds(1)) == nil)
    }

    @Test func `a symbolic link is not followed`() throws {
        let file = directory.file(of: key)
        let moved = directory.url.appendingPathComponent("moved")
        try FileManager.default.moveItem(at: file, to: moved)
        try FileManager.default.createSymbolicLink(at: file, withDestinationURL: moved)
        #expect(read(key) == nil)
    }

    @Test func `the names of records are the same when they are remembered, also for long keys`() {
        let names = RecordNames()
        let keys = (0..<1000).map { RecordKey("\($0)") } + [RecordKey(String(repeating: "x", count: 5000))]
        for _ in 0..<2 {
            for key in keys { #expect(names.name(of: key) == RecordName(key)) }
        }
        let grouped = RecordKey([1], group: [2])
        #expect(names.name(of: grouped) == RecordName(grouped))
        #expect(names.name(of: RecordKey([1], group: [3])) == RecordName(RecordKey([1], group: [3])))
    }
}
