import DataTransfer
import Foundation
import NetworkCache

/// What a response from a directory costs, how long a full one takes to open, and whether making room holds hits up.
struct DiskCacheBench {
    let effort: Effort

    private var entries: Int { effort == .full ? 100_000 : effort == .quick ? 20_000 : 2_000 }

    func run() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("bench-cache-\(UUID())", isDirectory: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await hit(folder.appendingPathComponent("hit", isDirectory: true))
        try await open(folder.appendingPathComponent("open", isDirectory: true))
        try await evict(folder.appendingPathComponent("evict", isDirectory: true))
    }

    /// Through the interceptor, 1 KB, from the system's cache.
    private func hit(_ folder: URL) async throws {
        printFigure("cache.disk_hit_us", try await CacheHits.disk.microseconds(effort, in: folder), "us")
    }

    /// Until the first hit, in a directory with many entries; and until all of them are counted in the background.
    private func open(_ folder: URL) async throws {
        do {
            let store = try DiskCacheStore(directory: folder, limits: limits(entries))
            let start = ContinuousClock.now
            for number in 0..<entries { try await store.save(Self.entry(number)) }
            printFigure("cache.disk_save_us", (ContinuousClock.now - start).inSeconds * 1e6 / Double(entries), "us")
        }
        var (first, counted): ([Double], [Double]) = ([], [])
        for round in 0..<effort.rounds {
            let start = ContinuousClock.now
            let store = try DiskCacheStore(directory: folder, limits: limits(entries))
            let key = try Self.entry(round * 97 % entries).response.key
            guard await store.entries(for: key).count == 1 else { fail("an entry is lost") }
            first.append((ContinuousClock.now - start).inSeconds * 1e3)
            while store.count < entries, ContinuousClock.now - start < .seconds(60) {
                try await Task.sleep(for: .milliseconds(1))
            }
            counted.append((ContinuousClock.now - start).inSeconds * 1e3)
        }
        printFigure("cache.disk_open_100k_ms", first.median, "ms")
        printFigure("cache.disk_count_100k_ms", counted.median, "ms")
    }

    /// Hits, alone and while others save so much that each of them makes another one go. What the machine itself holds up, a hit
    /// alone shows too.
    private func evict(_ folder: URL) async throws {
        let (kept, count) = (entries / 10, effort == .full ? 20_000 : 2_000)
        let store = try DiskCacheStore(directory: folder, limits: limits(kept))
        for number in 0..<kept { try await store.save(Self.entry(number)) }
        var (quiet, busy): ([Double], [Double]) = ([], [])
        var written = 0
        for round in 0..<(effort == .smoke ? 1 : 3) {
            quiet += try await hits(count, in: store, kept)
            let start = kept * (round * 1_000 + 1)
            let writer = Task {
                var number = start
                while !Task.isCancelled {
                    try await store.save(Self.entry(number))
                    number += 1
                }
                return number - start
            }
            busy += try await hits(count, in: store, kept)
            writer.cancel()
            written += try await writer.value
        }
        say("note: \(written) entries were saved meanwhile, \(store.count) of at most \(kept) are left")
        for (name, times) in [("quiet", quiet.sorted()), ("evicting", busy.sorted())] {
            printFigure("cache.disk_hit_\(name)_us", times[times.count / 2], "us")
            printFigure("cache.disk_hit_\(name)_p999_us", times[times.count * 999 / 1_000], "us")
        }
    }

    /// The time of each, of an entry that was used lately.
    private func hits(_ count: Int, in store: DiskCacheStore, _ kept: Int) async throws -> [Double] {
        let popular = try Self.entry(kept - 1)
        var times: [Double] = []
        for _ in 0..<count {
            let start = ContinuousClock.now
            let isThere = await !store.entries(for: popular.response.key).isEmpty
            times.append((ContinuousClock.now - start).inSeconds * 1e6)
            if !isThere { try await store.save(popular) }
        }
        return times
    }

    private func limits(_ keys: Int) -> CacheStoreLimits {
        var limits = CacheStoreLimits.disk
        limits.maximumKeys = keys
        limits.maximumBytes = 1 << 30
        return limits
    }

    private static func url(_ number: Int) throws -> URL {
        guard let url = URL(string: "https://api.example.com/3/movie/\(number)?page=1") else { fail("the URL is invalid") }
        return url
    }

    /// 1 KB, and the fields that a server usually sends.
    private static func entry(_ number: Int) throws -> CacheEntry {
        let url = try url(number)
        let headers: HeaderFields = [
            "Content-Type": "application/json", "Cache-Control": "max-age=3600", "ETag": "\"33a64df551425fcc\"",
            "Date": HTTPDate(Date()).description, "Server": "nginx/1.22.1", "Content-Length": "1024", "Vary": "Accept",
        ]
        return CacheEntry(
            StoredResponse(
                key: CacheKey(url: url), varying: [.init(name: "accept", value: "application/json")], headers: headers,
                body: Data(count: Document.bytes), url: url, requestTime: Date(), responseTime: Date()))
    }
}
