// Makes a number of hits in a cache, one after another, through the whole interceptor: `cache-hits memory | credential | disk COUNT`.
// The step `instructions` counts what one takes.
import Foundation

@testable import Endpoints
@testable import NetworkCache
@testable import NetworkTransport

struct Failure: Error {}

func hits(_ kind: String, _ count: Int, in folder: URL) async throws {
    guard let url = URL(string: "https://api.example.com/3/movie/popular?page=1") else { throw Failure() }
    var fields: HeaderFields = ["Accept": "application/json", "User-Agent": "cache-hits"]
    if kind == "credential" { fields["Authorization"] = "Bearer " + String(repeating: "x", count: 64) }
    let request = NetworkRequest(url: url, headers: fields)
    let cache = kind == "disk" ? CacheInterceptor(store: try DiskCacheStore(directory: folder)) : CacheInterceptor()
    let headers: HeaderFields = [
        "Content-Type": "application/json", "Cache-Control": "max-age=3600", "ETag": "\"33a64df551425fcc\"",
        "Date": HTTPDate(Date()).description, "Server": "nginx/1.22.1", "Content-Length": "1024", "Vary": "Accept",
    ]
    let stored = StoredResponse(
        key: cache.key(for: request), varying: [.init(name: "accept", value: "application/json")], headers: headers,
        body: Data(count: 1024), url: url, requestTime: Date(), responseTime: Date())
    try await cache.store.save(CacheEntry(stored))
    let next = NetworkExchange { (_) async throws(TransportError) in fatalError("a hit asked the origin") }
    for _ in 0..<count {
        guard try await cache.intercept(request, next: next).data.count == 1024 else { throw Failure() }
    }
}

let folder = FileManager.default.temporaryDirectory.appendingPathComponent("cache-hits-\(UUID())", isDirectory: true)
let done = DispatchSemaphore(value: 0)
let (kind, count) = (CommandLine.arguments[1], Int(CommandLine.arguments[2]) ?? 0)
// The main thread waits, as valgrind does not survive its end.
Task.detached {
    do { try await hits(kind, count, in: folder) } catch { fatalError("\(error)") }
    done.signal()
}
done.wait()
try? FileManager.default.removeItem(at: folder)
