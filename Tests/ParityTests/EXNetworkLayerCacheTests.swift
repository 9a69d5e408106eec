import DataTransfer
import Foundation
import NetworkCache
import NetworkTesting
import Testing
import TestSupport

/// The features of EXNetworkLayer's cache, including those it announces without providing them: expiry, limits, removal, and keys
/// that are not file names.
@Suite("EXNetworkLayer, cache", .timeLimit(.minutes(10))) struct EXNetworkLayerCacheTests {
    enum Kind: CaseIterable {
        case memory, disk

        func cache(_ limits: ValueCache.Limits, in folder: URL) throws -> ValueCache {
            switch self {
            case .memory: ValueCache(limits: limits)
            case .disk: try ValueCache(directory: folder, limits: limits)
            }
        }
    }

    private let session = StubSessionManager()
    private let endpoint = Endpoint<[User]>(path: "users")

    private func withCache(
        _ kind: Kind, bytes: Int = 1 << 20, _ body: (ValueCache, URL) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("parity-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(try kind.cache(ValueCache.Limits(maximumBytes: bytes), in: folder), folder)
    }

    @Test(.tags(.caches), arguments: Kind.allCases) func `a value is cached under the caller's key, also if it is from a stub`(
        kind: Kind
    )
        async throws
    {
        session.enqueue(.json(#"[{"id": 1, "username": "ada"}]"#))
        let service = DefaultDataTransferService.make(session)
        try await withCache(kind) { cache, _ in
            for _ in 0..<3 {
                let users = try await cache.value(for: "users", lifetime: .seconds(3600)) { try await service.request(endpoint) }
                #expect(users.map(\.username) == ["ada"])
            }
        }
        #expect(session.requests.count == 1)
    }

    @Test(.tags(.caches), arguments: Kind.allCases) func `a value expires at the end of its lifetime`(kind: Kind) async throws {
        try await withCache(kind) { cache, _ in
            try await cache.set(1, for: "a", lifetime: .zero)
            try await cache.set(2, for: "b", lifetime: .seconds(3600))
            #expect(await cache.value(for: "a", as: Int.self) == nil)
            #expect(await cache.value(for: "b", as: Int.self) == 2)
        }
    }

    @Test(.tags(.caches), arguments: Kind.allCases) func `one value or all values can be removed`(kind: Kind) async throws {
        try await withCache(kind) { cache, _ in
            for key in ["a", "b", "c"] { try await cache.set(key, for: key, lifetime: .seconds(3600)) }
            try await cache.remove("a")
            #expect(await cache.value(for: "a", as: String.self) == nil)
            #expect(await cache.value(for: "b", as: String.self) == "b")
            _ = try await cache.removeAll()
            #expect(await cache.value(for: "c", as: String.self) == nil)
        }
    }

    @Test(
        .tags(.caches),
        arguments: ["../../escaped", "/etc/passwd", "a/b", "..", "", "käse\0", String(repeating: "k", count: 10_000)])
    func `no key refers to a file outside the folder`(key: String) async throws {
        try await withCache(.disk) { cache, folder in
            try await cache.set(7, for: key, lifetime: .seconds(3600))
            #expect(await cache.value(for: key, as: Int.self) == 7)
            let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
            for case let file as URL in files { #expect(!file.lastPathComponent.contains("escaped")) }
            let escaped = folder.deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("escaped")
            #expect(!FileManager.default.fileExists(atPath: escaped.path))
        }
    }

    @Test(.tags(.caches), arguments: Kind.allCases) func `the values of one user are not returned to another user`(kind: Kind)
        async throws
    {
        try await withCache(kind) { cache, _ in
            try await cache.partition("ada").set("hers", for: "profile", lifetime: .seconds(3600))
            #expect(await cache.partition("grace").value(for: "profile", as: String.self) == nil)
            #expect(await cache.partition("ada").value(for: "profile", as: String.self) == "hers")
        }
    }

    @Test(.tags(.caches)) func `the HTTP cache sends a request once, and separates the responses of different users`()
        async throws
    {
        session.route { _ in .json("[]", headers: ["Cache-Control": "max-age=60"]) }
        let cache = CacheInterceptor(store: MemoryCacheStore(limits: CacheStoreLimits(maximumBytes: 1 << 20)))
        let service = DefaultDataTransferService.make(session, interceptors: [cache])
        var own = endpoint
        for _ in 0..<2 { _ = try await service.request(own) }
        #expect(session.requests.count == 1)
        for token in ["a", "b", "a"] {
            own.headerParameters["Authorization"] = "Bearer \(token)"
            _ = try await service.request(own)
        }
        #expect(session.requests.count == 3)
        try await cache.remove(.all)
        _ = try await service.request(own)
        #expect(session.requests.count == 4)
    }

    @Test(.tags(.caches)) func `the size of a cache is limited`() async throws {
        try await withCache(.memory, bytes: 20_000) { cache, _ in
            let value = String(repeating: "v", count: 4_000)
            for number in 0..<20 { try await cache.set(value, for: "\(number)", lifetime: .seconds(3600)) }
            var kept = 0
            for number in 0..<20 where await cache.value(for: "\(number)", as: String.self) != nil { kept += 1 }
            #expect((1...5).contains(kept))
        }
    }
}
