import Foundation
import NetworkCore
import NetworkAuthorization
import NetworkPipeline
import NetworkSupport
import NetworkTesting
import Testing
import TransferTestSupport

@Suite(.timeLimit(.minutes(10))) struct FileCredentialStoreTests {
    private let folder: TemporaryFolder
    private let file: URL
    private let store: FileCredentialStore
    private let tokens = OAuthTokens(
        accessToken: "access-token", refreshToken: "refresh-token", issued: TestTime.start,
        expires: TestTime.start.addingTimeInterval(3600), scope: "read")

    init() throws {
        folder = try TemporaryFolder()
        file = folder.file("a/private/tokens.json")
        store = FileCredentialStore(file)
    }

    private func mode(_ url: URL) throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int)
    }

    private func code(_ work: () async throws -> Void) async -> CredentialStoreError.Code? {
        let error = await #expect(throws: CredentialStoreError.self) { try await work() }
        if let error { #expect(!"\(error)".contains("access-token") && !"\(error)".contains(folder.url.path)) }
        return error?.code
    }

    @Test func `a record is saved with mode 0600 in a folder with mode 0700, and loaded unchanged`() async throws {
        #expect(try await store.load() == nil)
        let record = CredentialRecord(tokens)
        try await store.save(record)
        #expect(try await store.load() == record)
        #expect(try mode(file) == 0o600 && mode(file.deletingLastPathComponent()) == 0o700)
        #expect(try FileManager.default.contentsOfDirectory(atPath: file.deletingLastPathComponent().path) == ["tokens.json"])
        try await store.save(nil)
        try await store.save(nil)
        #expect(try await store.load() == nil)
        #expect(!"\(record) \(String(reflecting: record)) \(tokens) \(store)".contains("-token"))
    }

    @Test func `a file left by a killed process is replaced`() async throws {
        try await store.save(CredentialRecord(tokens))
        try Data("rest".utf8).write(to: file.appendingPathExtension("new"))
        try await store.save(CredentialRecord(tokens))
        #expect(try await store.load()?.tokens == tokens)
        #expect(!FileManager.default.fileExists(atPath: file.path + ".new"))
    }

    @Test(arguments: [
        ("", CredentialStoreError.Code.damaged), ("{", .damaged), ("[]", .damaged), (#"{"version":1}"#, .damaged),
        (#"{"version":2,"new":true}"#, .unsupportedVersion), (#"{"version":"1"}"#, .damaged),
        (#"{"version":1,"signIn":"a","generation":-1,"accessToken":"access-token","issued":0}"#, .damaged),
        (#"{"version":1,"signIn":"a","generation":1,"accessToken":"access-token\n","issued":0}"#, .damaged),
        (#"{"version":1,"signIn":"a","generation":1,"accessToken":"access-token","issued":1e300}"#, .damaged),
        (#"{"version":1,"signIn":"","generation":1,"accessToken":"access-token","issued":0}"#, .damaged),
        (String(repeating: " ", count: 200_000), .tooLarge),
    ]) func `an invalid file is an error, and is not replaced until it is removed`(
        text: String, expected: CredentialStoreError.Code
    ) async throws {
        try await store.save(CredentialRecord(tokens))
        try Data(text.utf8).write(to: file)
        #expect(await code { _ = try await store.load() } == expected)
        #expect(await code { try await store.save(CredentialRecord(tokens)) } == expected)
        #expect(try Data(contentsOf: file) == Data(text.utf8))
        try await store.save(nil)
        try await store.save(CredentialRecord(tokens))
        #expect(try await store.load()?.tokens == tokens)
    }

    @Test func `any damage to the file is an error or another valid record, never a trap`() async throws {
        let valid = try CredentialRecord(tokens).json()
        var random = SeededGenerator(seed: 3)
        for _ in 0..<5000 {
            var bytes = [UInt8](valid)
            for _ in 0...random.below(3) { bytes[random.below(bytes.count)] = UInt8(random.below(256)) }
            if random.chance(30) { bytes.removeLast(random.below(bytes.count)) }
            do throws(CredentialStoreError) {
                _ = try CredentialRecord(json: Data(bytes)).json()
            } catch {
                #expect([.damaged, .unsupportedVersion].contains(error.code))
            }
        }
    }

    @Test func `a file that others can read is an error`() async throws {
        try await store.save(CredentialRecord(tokens))
        chmod(file.path, 0o640)
        #expect(await code { _ = try await store.load() } == .notPrivate)
        #expect(await code { try await store.save(CredentialRecord(tokens)) } == .notPrivate)
    }

    @Test func `a folder that others can change is an error`() async throws {
        try await store.save(CredentialRecord(tokens))
        chmod(file.deletingLastPathComponent().path, 0o777)
        #expect(await code { _ = try await store.load() } == .notPrivate)
        #expect(await code { try await store.withLock(timeout: .seconds(1)) {} } == .notPrivate)
    }

    @Test func `symbolic links are not followed`() async throws {
        try await store.save(CredentialRecord(tokens))
        let folder = file.deletingLastPathComponent()
        let link = folder.appendingPathComponent("link.json")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
        #expect(await code { _ = try await FileCredentialStore(link).load() } == .notPrivate)
        #expect(await code { try await FileCredentialStore(link).save(CredentialRecord(tokens)) } == .notPrivate)
        try await FileCredentialStore(link).save(nil)
        #expect(try await store.load()?.tokens == tokens)
        let other = self.folder.file("link")
        try FileManager.default.createSymbolicLink(at: other, withDestinationURL: folder)
        let inLink = FileCredentialStore(other.appendingPathComponent("tokens.json"))
        #expect(await code { _ = try await inLink.load() } == .notPrivate)
        let lock = file.appendingPathExtension("lock")
        try FileManager.default.createSymbolicLink(at: lock, withDestinationURL: link)
        #expect(await code { try await store.withLock(timeout: .seconds(1)) {} } == .notPrivate)
    }

    @Test func `a path that is not one of a regular file is an error`() async throws {
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
        #expect(await code { _ = try await store.load() } == .notPrivate)
        let web = FileCredentialStore(URL(string: "https://auth.test/a")!)
        #expect(await code { _ = try await web.load() } == .fileFailed)
        #expect(mkfifo(file.path + "2", 0o600) == 0)
        #expect(await code { _ = try await FileCredentialStore(URL(fileURLWithPath: file.path + "2")).load() } == .notPrivate)
    }

    @Test func `one closure at a time has the lock, over all stores of a file`() async throws {
        let running = Locked((now: 0, most: 0))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<12 {
                group.addTask { [file] in
                    try await FileCredentialStore(file).withLock(timeout: .seconds(300)) {
                        running.withLock { state in
                            state.now += 1
                            state.most = max(state.most, state.now)
                        }
                        for _ in 0..<10 { await Task.yield() }
                        running.withLock { $0.now -= 1 }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(running.withLock { $0.most } == 1)
    }

    @Test(arguments: [false, true]) func `waiting for a lock ends after the timeout or when the task is cancelled`(
        isInMemory: Bool
    ) async throws {
        let clock = ManualClock()
        let store: any CredentialStore =
            isInMemory ? InMemoryCredentialStore(clock: clock) : FileCredentialStore(file, clock: clock)
        let gate = AsyncGate()
        let holder = Task { try await store.withLock(timeout: .seconds(1)) { await gate.wait() } }
        await gate.waitForArrival()
        #expect(await code { try await store.withLock(timeout: .zero) {} } == .lockTimedOut)
        let waiting = Task { try await store.withLock(timeout: .seconds(1000)) {} }
        await clock.waitForSleepers(count: 1)
        waiting.cancel()
        #expect(await code { try await waiting.value } == .cancelled)
        gate.open()
        try await holder.value
        try await store.withLock(timeout: .zero) {}
    }
}
