import Endpoints
import Foundation
import NetworkSupport
import Testing
import TransferTestSupport

import NetworkCore
@testable import NetworkTransport
@testable import NetworkURLSession

struct StrictTransportStoreTests {
    private let time = Locked<Int64>(1_700_000_000)

    private func store(_ choice: StrictTransport = .inMemory) throws -> StrictTransportStore {
        let store = try StrictTransportStore(choice) { [time] in time.withLock { $0 } }
        return try #require(store)
    }

    private func request(_ url: String) throws -> NetworkRequest { NetworkRequest(url: try #require(URL(string: url))) }

    @Test(
        arguments: [
            ("http://a.example", "https://a.example"), ("http://a.example/", "https://a.example/"),
            ("http://a.example:80/x?y=http://a.example:80#f", "https://a.example/x?y=http://a.example:80#f"),
            ("http://a.example:8080/x", "https://a.example:8080/x"), ("http://a.example:443/", "https://a.example:443/"),
            ("HTTP://A.Example:80", "https://A.Example"), ("http://u:p@a.example:80/", "https://u:p@a.example/"),
            ("http://a.example./b", "https://a.example./b"), ("http://x.a.example?q", "https://x.a.example?q"),
            ("http://a.example:080/", "https://a.example/"), ("http://a.example:/", "https://a.example:/"),
        ])
    func `only the scheme and port 80 of a known host's URL are changed`(url: String, upgraded: String) throws {
        let store = try store()
        store.receive(["max-age=5; includeSubDomains"], for: try request("https://a.example/"))
        #expect(store.upgraded(url)?.absoluteString == upgraded)
    }

    @Test(arguments: [
        "https://a.example/", "http://b.example/", "http://127.0.0.1/", "http://[::1]/", "ftp://a.example/", "http://127.1/",
        "http:/", "a",
    ])
    func `other URLs are unchanged`(url: String) throws {
        let store = try store()
        for known in ["https://a.example/", "https://127.0.0.1/", "https://[::1]/", "http://b.example/"] {
            store.receive(["max-age=5; includeSubDomains"], for: try request(known))
        }
        #expect(store.count == 1, "neither addresses nor responses without TLS make a host known (§8.1)")
        #expect(store.upgraded(url) == nil)
    }

    @Test func `only the first field counts, and an invalid one changes nothing`() throws {
        let store = try store()
        let request = try request("https://a.example/")
        store.receive(["max-age=x", "max-age=5"], for: request)
        #expect(store.count == 0)
        store.receive(["max-age=5", "max-age=0"], for: request)
        #expect(store.count == 1)
        store.receive(["max-age=0x", "max-age=0"], for: request)
        #expect(store.upgraded("http://a.example/") != nil)
        time.withLock { $0 += 5 }
        #expect(store.upgraded("http://a.example/") == nil, "it has expired")
    }

    @Test func `a file contains the hosts of several session managers, with mode 0600`() async throws {
        let folder = try TemporaryFolder()
        let file = folder.file("hosts")
        let (first, second) = (try store(.file(file)), try store(.file(file)))
        first.receive(["max-age=1000"], for: try request("https://a.example/"))
        await first.flush()
        second.receive(["max-age=1000; includeSubDomains"], for: try request("https://b.example/"))
        await second.flush()
        #expect(try store(.file(file)).count == 2 && folder.names == ["hosts", "hosts.lock"])
        #expect(try #require(FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int) == 0o600)
        first.receive(["max-age=0"], for: try request("https://a.example/"))
        await first.flush()
        let third = try store(.file(file))
        #expect(third.upgraded("http://a.example/") == nil && third.upgraded("http://x.b.example/") != nil)
    }

    @Test func `session managers that write at the same time lose no host`() async throws {
        let folder = try TemporaryFolder()
        let file = folder.file("hosts")
        let stores = try (0..<4).map { _ in try store(.file(file)) }
        try await withThrowingTaskGroup { group in
            for (number, store) in stores.enumerated() {
                group.addTask {
                    for host in 0..<20 {
                        store.receive(["max-age=1000"], for: try request("https://\(host).\(number).example/"))
                        await store.flush()
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try store(.file(file)).count == 80 && folder.names == ["hosts", "hosts.lock"])
    }

    @Test func `memory is limited while the file cannot be written, and what is kept is written later`() async throws {
        let folder = try TemporaryFolder()
        let inner = folder.file("inner")
        try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: false)
        let file = inner.appendingPathComponent("hosts")
        let store = try store(.file(file))
        try FileManager.default.removeItem(at: inner)
        for host in 0..<5000 { store.receive(["max-age=1000"], for: try request("https://\(host).example/")) }
        await store.flush()
        #expect((900...1000).contains(store.count) && store.unwrittenCount <= 2000)
        try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: false)
        store.receive(["max-age=1000"], for: try request("https://last.example/"))
        await store.flush()
        #expect((900...1000).contains(try self.store(.file(file)).count) && store.unwrittenCount == 0)
    }

    @Test func `a later expiry alone is written only if it is much later`() async throws {
        let folder = try TemporaryFolder()
        let store = try store(.file(folder.file("hosts")))
        let request = try request("https://a.example/")
        store.receive(["max-age=1000"], for: request)
        await store.flush()
        let before = try folder.contents("hosts")
        time.withLock { $0 += 99 }
        store.receive(["max-age=1000"], for: request)
        await store.flush()
        #expect(try folder.contents("hosts") == before)
        time.withLock { $0 += 1 }
        store.receive(["max-age=1000"], for: request)
        await store.flush()
        #expect(try folder.contents("hosts") != before)
    }

    @Test func `a file that cannot be used is a configuration error`() async throws {
        let folder = try TemporaryFolder()
        try folder.write(Data("a.example".utf8), to: "damaged")
        try folder.write(Data([0xFF, 0x0A]), to: "binary")
        try folder.write(Data(repeating: 0x23, count: (4 << 20) + 1), to: "large")
        for url in [
            folder.file("damaged"), folder.file("binary"), folder.file("large"), folder.url,
            folder.file("none").appendingPathComponent("hosts"),
            URL(string: "https://a.example/")!,
        ] {
            let configuration = SessionConfiguration { $0.strictTransport = .file(url) }
            for session in [DefaultSessionManager(configuration: configuration), URLSessionManager(configuration: configuration)]
                as [any NetworkSessionManager]
            {
                let error = await #expect(throws: TransportError.self) {
                    try await session.response(for: try request("http://127.0.0.1:1/"))
                }
                #expect(
                    error?.code == .invalidConfiguration && error?.message.hasPrefix("strictTransport") == true, "\(error as Any)"
                )
            }
        }
    }

    @Test func `a redirect to a known host leads to https, also from https`() throws {
        let store = try store()
        store.receive(["max-age=5"], for: try request("https://a.example/"))
        let rules = RedirectRules(SessionConfiguration(), strictTransport: store)
        for base in ["https://a.example/x", "http://b.example/"] {
            let next = try rules.next(
                after: try request(base), status: 302, headers: ["Location": "http://a.example:80/y"], trail: RedirectTrail())
            #expect(next?.url.absoluteString == "https://a.example/y")
        }
        #expect(throws: TransportError.self) {
            try rules.next(
                after: try request("https://a.example/"), status: 302, headers: ["Location": "http://b.example/"],
                trail: RedirectTrail())
        }
    }
}
