import DataTransfer
import Foundation
import NetworkCache

/// Responses from a cache, one after another, through the whole interceptor: 1 KB, and the fields that a server usually sends.
enum CacheHits: String {
    /// From memory.
    case memory
    /// From memory, with a token in the request, of which the key holds a digest.
    case credential
    /// From a directory whose files the system has in memory.
    case disk

    /// The median time of a hit.
    ///
    /// - Parameter folder: The directory of ``disk``.
    func microseconds(_ effort: Effort, in folder: URL? = nil) async throws -> Double {
        let (rounds, repetitions) =
            switch (self, effort) {
            case (.disk, .full): (15, 10_000)
            case (.disk, _): (5, 1_000)
            case (_, .full): (15, 50_000)
            case (_, _): (5, 5_000)
            }
        let hit = try await prepared(folder)
        var times: [Double] = []
        for _ in 0..<rounds { times.append(try await Usage.microseconds(repetitions, of: hit)) }
        return times.median
    }

    /// Makes a number of hits and prints it, for a program that counts instructions. The main thread waits, as valgrind does not survive its end.
    func count(_ hits: Int) {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("bench-hits-\(UUID())", isDirectory: true)
        defer { if self == .disk { try? FileManager.default.removeItem(at: folder) } }
        let done = DispatchSemaphore(value: 0)
        Task.detached {
            do {
                let hit = try await prepared(folder)
                for _ in 0..<hits { try await hit() }
            } catch {
                fail("a hit failed: \(error)")
            }
            done.signal()
        }
        done.wait()
        say("\(hits)")
    }

    /// Returns what makes one hit, after storing the response.
    private func prepared(_ folder: URL?) async throws -> () async throws -> Void {
        guard let url = URL(string: "https://api.example.com/3/movie/popular?page=1") else { fail("the URL is invalid") }
        let fields: HeaderFields =
            self == .credential
            ? ["Accept": "application/json", "Authorization": "Bearer " + String(repeating: "x", count: 64)]
            : ["Accept": "application/json", "User-Agent": "bench"]
        let request = NetworkRequest(url: url, headers: fields)
        let cache =
            if self == .disk, let folder {
                CacheInterceptor(store: try DiskCacheStore(directory: folder))
            } else {
                CacheInterceptor()
            }
        let headers: HeaderFields = [
            "Content-Type": "application/json", "Cache-Control": "max-age=3600", "ETag": "\"33a64df551425fcc\"",
            "Date": HTTPDate(Date()).description, "Server": "nginx/1.22.1", "Content-Length": "1024", "Vary": "Accept",
        ]
        let entry = StoredResponse(
            key: cache.key(for: request), varying: [.init(name: "accept", value: "application/json")], headers: headers,
            body: Data(count: Document.bytes), url: url, requestTime: Date(), responseTime: Date())
        try await cache.store.save(CacheEntry(entry))
        let next = NetworkExchange { (_) async throws(TransportError) in fail("a hit asked the origin") }
        return {
            let response = try await cache.intercept(request, next: next)
            guard response.data.count == Document.bytes else { fail("another body than was kept") }
        }
    }
}
