import Endpoints
import Foundation
import NetworkCore
import NetworkSupport

@testable import NetworkCache

/// A directory for one test. It is removed when the value is released.
final class CacheDirectory: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
            .appendingPathComponent("cache-tests-\(UUID())", isDirectory: true)
        guard mkdir(url.path, 0o700) == 0 else { throw CacheStoreError("no directory", path: url.path, .last) }
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    /// The path of the cache. The directory does not exist at first.
    var place: URL { url.appendingPathComponent("cache", isDirectory: true) }

    func records(
        bytes: Int = 1 << 30, entries: Int = 1 << 20, recordBytes: Int = 1 << 20, clock: TestClock = TestClock(),
        onRemoval: (@Sendable (DiskRecordHead, CacheRemoval) -> Void)? = nil
    ) throws -> DiskRecords {
        try DiskRecords(
            place, limits: DiskLimits(bytes: bytes, entries: entries, recordBytes: recordBytes), noting: .zero,
            clock: { clock.now }, onRemoval: onRemoval)
    }

    /// The paths of all files below the cache's directory; folders are not included.
    func files(below folder: String = "") -> [String] {
        let start = place.appendingPathComponent(folder)
        let paths = (try? FileManager.default.subpathsOfDirectory(atPath: start.path)) ?? []
        return paths.filter { path in
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: start.appendingPathComponent(path).path, isDirectory: &isFolder)
                && !isFolder.boolValue
        }.sorted()
    }

    /// Whether the system and the file system of a file can read only what is in memory.
    static func isReadFromMemory(_ file: URL) -> Bool {
        guard let folder = FileDescriptor.open(file.deletingLastPathComponent().path, O_RDONLY | O_DIRECTORY),
            let opened = try? MemoryRead.open(file.lastPathComponent, in: folder)
        else { return false }
        var byte: UInt8 = 0
        return withUnsafeMutableBytes(of: &byte) { (try? MemoryRead.read(opened, into: $0)) == 1 }
    }

    /// The file of a record.
    func file(of key: RecordKey) -> URL {
        let name = RecordName(key)
        return place.appendingPathComponent("records/\(RecordName.folder(ofShard: name.shard))/\(name.file)")
    }
}

/// A clock whose time changes only when a test advances it.
final class TestClock: Sendable {
    private let time: Locked<FileTime>

    init(_ seconds: Int64 = 1_000_000_000) {
        time = Locked(FileTime(nanoseconds: seconds * 1_000_000_000))
    }

    var now: FileTime { time.withLock(\.self) }

    func advance(by duration: Duration) {
        time.withLock { $0 = $0.advanced(by: duration) }
    }
}

extension RecordKey {
    init(_ text: String) {
        self.init(Array(text.utf8))
    }
}

extension DiskRecords {
    func write(_ key: String, _ payload: Data, info: [UInt8] = []) async throws {
        try await write(RecordKey(key), info: info, payload: payload)
    }

    func payload(_ key: String) async -> Data? {
        await read(RecordKey(key))?.payload
    }
}

/// Bytes that identify the key, version and size they belong to, so that records cannot be confused.
func sampleBytes(_ key: String, version: Int, count: Int) -> Data {
    let text = Array("\(key)/\(version)/\(count);".utf8)
    var bytes = [UInt8](repeating: 0, count: count)
    for index in bytes.indices { bytes[index] = text[index % text.count] }
    return Data(bytes)
}

extension StoredResponse {
    static func kept(
        _ url: String = "https://api.example.com/movies", partition: CachePartition = .withoutCredentials,
        varying: [VaryingField] = [],
        body: String = "[]", at seconds: Double = 700_000_000
    ) -> StoredResponse {
        let url = URL(string: url) ?? URL(fileURLWithPath: "/")
        let date = Date(timeIntervalSinceReferenceDate: seconds)
        return StoredResponse(
            key: CacheKey(url: url, partition: partition), varying: varying, headers: ["Content-Type": "application/json"],
            body: Data(body.utf8), url: url, requestTime: date, responseTime: date)
    }
}
