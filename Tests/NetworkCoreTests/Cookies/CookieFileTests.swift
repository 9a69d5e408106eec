import Foundation
import NetworkSupport
import TransferTestSupport
import Testing

@testable import NetworkTransport

/// ``CookieStore`` as a program uses it: cookies that are listed, set and removed, and files of them.
struct CookieFileTests {
    private let folder = try! TemporaryFolder()
    private let url = URL(string: "https://www.example.org/")!

    private static func store() throws -> CookieStore {
        let store = CookieStore()
        try store.set(StoredCookie(name: "session", value: "one", domain: "www.example.org"))
        try store.set(
            StoredCookie(
                name: "kept", value: "two \"é\"", domain: "example.org", isHostOnly: false, path: "/a;b", isHTTPOnly: true,
                sameSite: .strict, expires: Date(timeIntervalSince1970: 4_000_000_000.123)))
        return store
    }

    @Test func `cookies can be set, listed and removed`() throws {
        let store = try Self.store()
        #expect(store.cookies.map(\.name) == ["session", "kept"])
        #expect(store.cookies(for: url).map(\.name) == ["session"])
        #expect(store.cookies(for: URL(string: "ftp://www.example.org/")!).isEmpty)
        let copy = CookieStore()
        for cookie in store.cookies { try copy.set(cookie) }
        #expect(copy.cookies == store.cookies)
        #expect(store.remove(store.cookies[0]) && store.cookies.count == 1)
        #expect(!store.remove(copy.cookies[0]))
        copy.removeAll { $0.expires == nil }
        #expect(copy.cookies == store.cookies)
        copy.removeAll()
        #expect(copy.cookies.isEmpty && copy != store)
    }

    @Test(arguments: [
        ("name", StoredCookie(name: "a=b", value: "1", domain: "a.example")),
        ("name", StoredCookie(name: "a\r\nX: 1", value: "1", domain: "a.example")),
        ("name", StoredCookie(name: "", value: "", domain: "a.example")),
        ("name", StoredCookie(name: "__Host-a", value: "1", domain: "a.example", path: "/x")),
        ("name", StoredCookie(name: "__http-a", value: "1", domain: "a.example")),
        ("name", StoredCookie(name: "", value: "__Secure-a=1", domain: "a.example")),
        ("value", StoredCookie(name: "a", value: "1; b=2", domain: "a.example")),
        ("value", StoredCookie(name: "a", value: " 1", domain: "a.example")),
        ("value", StoredCookie(name: "a", value: String(repeating: "v", count: 4096), domain: "a.example")),
        ("domain", StoredCookie(name: "a", value: "1", domain: ".a.example")),
        ("domain", StoredCookie(name: "a", value: "1", domain: "127.1")),
        ("domain", StoredCookie(name: "a", value: "1", domain: "co.uk", isHostOnly: false)),
        ("isHostOnly", StoredCookie(name: "a", value: "1", domain: "::1", isHostOnly: false)),
        ("path", StoredCookie(name: "a", value: "1", domain: "a.example", path: "x")),
        ("path", StoredCookie(name: "a", value: "1", domain: "a.example", path: "/" + String(repeating: "p", count: 1024))),
        ("sameSite", StoredCookie(name: "a", value: "1", domain: "a.example", isSecure: false, sameSite: .none)),
        ("expires", StoredCookie(name: "a", value: "1", domain: "a.example", expires: Date(timeIntervalSince1970: .nan))),
        ("expires", StoredCookie(name: "a", value: "1", domain: "a.example", expires: Date(timeIntervalSince1970: 1e12))),
    ])
    func `an invalid cookie is an error that names the property`(field: String, cookie: StoredCookie) {
        let store = CookieStore()
        let error = #expect(throws: CookieStoreError.self) { try store.set(cookie) }
        #expect(error?.field == field && error?.code == .invalidCookie && store.cookies.isEmpty)
    }

    @Test func `a file has mode 0600, and its cookies are those that were saved`() throws {
        let store = try Self.store()
        let file = folder.file("cookies.json")
        try store.save(to: file)
        #expect(try CookieStore(contentsOf: file).cookies.map(\.name) == ["kept"])
        try store.save(to: file, includesSessionCookies: true)
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(mode == 0o600 && folder.names == ["cookies.json"])
        let loaded = try CookieStore(contentsOf: file)
        #expect(loaded.cookies == store.cookies)
        let first = try folder.contents("cookies.json")
        try loaded.save(to: file, includesSessionCookies: true)
        #expect(try folder.contents("cookies.json") == first)
        #expect(try CookieStore(contentsOf: folder.file("none")).cookies.isEmpty)
    }

    @Test func `when a file is loaded, the limits apply, and expired cookies and those of public suffixes are dropped`() throws {
        let clock = Locked(Int64(1000))
        let old = CookieStore { clock.withLock { $0 } }
        for number in 0..<5 {
            let expires = number == 4 ? Date(timeIntervalSince1970: 2) : nil
            try old.set(StoredCookie(name: "\(number)", value: "", domain: "github.io", isHostOnly: false, expires: expires))
        }
        let file = folder.file("cookies.json")
        try old.save(to: file, includesSessionCookies: true)
        let limited = CookieStore(limits: CookieLimits(maximumCookiesPerDomain: 3)) { 2000 }
        try limited.load(from: file)
        #expect(limited.cookies.map(\.name) == ["1", "2", "3"])
        #expect(try CookieStore(contentsOf: file, isPublicSuffix: { $0 == "github.io" }).cookies.isEmpty)
        let error = #expect(throws: CookieStoreError.self) {
            try CookieStore(contentsOf: file, limits: CookieLimits(maximumFileBytes: 100))
        }
        #expect(error?.code == .fileTooLarge && error?.description.contains("maximumFileBytes") == true)
    }

    @Test(arguments: [
        ("", CookieStoreError.Code.invalidFile, ""), ("[]", .invalidFile, ""), ("{}", .invalidFile, "format"),
        (#"{"format":"HAR","version":1,"cookies":[]}"#, .invalidFile, "format"),
        (#"{"format":"swift-data-transfer cookies","version":2}"#, .unsupportedVersion, "version"),
        (#"{"format":"swift-data-transfer cookies","version":1,"cookies":[{"name":"a"}]}"#, .invalidFile, "cookies[0].value"),
    ])
    func `a damaged or foreign file is an error, and nothing is lost`(text: String, code: CookieStoreError.Code, field: String)
        throws
    {
        let file = try folder.write(Data(text.utf8), to: "cookies.json")
        let store = try Self.store()
        let before = store.cookies
        let error = #expect(throws: CookieStoreError.self) { try store.load(from: file) }
        #expect(error?.code == code && error?.field == field && error?.file == "cookies.json")
        #expect(store.cookies == before)
    }

    @Test func `no file with one byte changed or missing loses a cookie of the store`() throws {
        let file = folder.file("cookies.json")
        try Self.store().save(to: file, includesSessionCookies: true)
        let whole = try folder.contents("cookies.json")
        var random = SeededGenerator(seed: 7)
        for _ in 0..<400 {
            var data = whole
            if random.chance(30) {
                data.removeLast(1 + random.below(data.count))
            } else {
                data[random.below(data.count)] = UInt8(random.below(256))
            }
            try data.write(to: file)
            let store = CookieStore()
            try store.set(StoredCookie(name: "mine", value: "1", domain: "mine.example"))
            do { try store.load(from: file) } catch { #expect(store.cookies.count == 1, "\(error)") }
            #expect(store.cookies.first?.name == "mine")
            for cookie in store.cookies { #expect(throws: Never.self) { try CookieStore().set(cookie) } }
        }
    }

    @Test func `a file that cannot be written or is no file is an error`() throws {
        let store = try Self.store()
        for url in [folder.url, folder.file("missing/cookies.json"), URL(string: "https://a.example/")!] {
            #expect(throws: CookieStoreError.self) { try store.save(to: url) }
        }
        #expect(throws: CookieStoreError.self) { try store.load(from: folder.url) }
        #expect(folder.names.isEmpty)
    }

    @Test func `descriptions contain no values of cookies`() throws {
        let cookie = StoredCookie(name: "a", value: "canary", domain: "a.example")
        var dumped = ""
        dump(cookie, to: &dumped)
        #expect(!(dumped + "\(cookie)" + String(reflecting: cookie)).contains("canary"))
        #expect("\(cookie)" == "cookie a for a.example/")
    }
}
