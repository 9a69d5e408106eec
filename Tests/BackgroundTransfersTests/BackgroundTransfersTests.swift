import DataTransfer
import Foundation
import NetworkCore
import NetworkSupport
import Testing
import TransferTestSupport

@testable import BackgroundTransfers

/// Transfers over a fake of the system's session, whose delegate the tests play.
@Suite(.timeLimit(.minutes(5)))
struct BackgroundTransfersTests {
    private struct Receipt: Codable, Equatable, Sendable { var id: Int }

    private let folder: TemporaryFolder
    private let system = FakeBackgroundSystem()
    private let film = Endpoint<Data>(path: "films/7")
    private let content = Data("a film".utf8)

    init() throws {
        folder = try TemporaryFolder()
    }

    private func app(_ options: BackgroundOptions = BackgroundOptions(), headers: HeaderFields = [:]) throws -> FakeApp {
        try FakeApp(system, in: folder, options: options, headers: headers)
    }

    private func failure(_ operation: () async throws -> Void) async -> DataTransferError? {
        do {
            try await operation()
            return nil
        } catch {
            return error as? DataTransferError
        }
    }

    // MARK: Downloads

    @Test func `a download is placed under its final name, for this user alone`() async throws {
        let app = try app()
        let place = folder.file("film")
        async let file = app.transfers.download(film, id: "film", to: place)
        let number = try await system.nextStart()
        #expect(await app.transfers.runningIDs() == ["film"])
        let request = try #require(system.tasks.withLock { $0[number]?.request })
        #expect(request.request.url.absoluteString == "https://api.test/v1/films/7?key=1" && request.file == nil)
        try app.session.download(number, 200, content, in: folder)
        let result = try await file
        #expect(result.url == place && result.byteCount == 6 && result.statusCode == 200)
        #expect(try Data(contentsOf: place) == content)
        #expect(try #require(stat(of: place.path)).st_mode & 0o777 == 0o600)
        #expect(await app.transfers.runningIDs() == [])
        await folder.becomesEmpty()
    }

    @Test func `the outcome of a download that ends while no process runs is received by the next one, once`() async throws {
        let first = try app()
        let place = folder.file("film")
        let waiting = Task { try await first.transfers.download(film, id: "film", to: place) }
        let number = try await system.nextStart()
        waiting.cancel()
        let cancelled = await failure { _ = try await waiting.value }
        #expect(cancelled?.isCancelled == true)
        // The system starts the app, which has no call for the transfer yet.
        let second = try app()
        #expect(await second.transfers.runningIDs() == ["film"])
        try second.session.download(number, 200, content, in: folder)
        #expect(await second.transfers.endedIDs() == ["film"])
        // The user starts it later.
        let third = try app()
        #expect(try await third.transfers.download(film, id: "film", to: place).byteCount == 6)
        await folder.becomesEmpty()
        // The same call now starts a new download.
        async let again = third.transfers.download(film, id: "film", to: place)
        try third.session.download(try await system.nextStart(), 200, Data("new".utf8), in: folder)
        #expect(try await again.byteCount == 3)
    }

    @Test func `a call joins a transfer that another process has started, and several calls receive its outcome`() async throws {
        let first = try app()
        let place = folder.file("film")
        let gone = Task { try await first.transfers.download(film, id: "film", to: place) }
        let number = try await system.nextStart()
        gone.cancel()
        let second = try app()
        async let one = second.transfers.download(film, id: "film", to: place)
        async let two = second.transfers.download(film, id: "film", to: place)
        while await second.transfers.waitingCalls(of: "film") < 2 { await Task.yield() }
        try second.session.download(number, 200, content, in: folder)
        #expect(try await one.byteCount == 6)
        #expect(try await two.byteCount == 6)
        #expect(system.lastNumber.withLock(\.self) == 1)
    }

    @Test func `another request under the name of a transfer is refused`() async throws {
        let app = try app()
        let waiting = Task { try await app.transfers.download(film, id: "film", to: folder.file("film")) }
        _ = try await system.nextStart()
        let error = await failure {
            _ = try await app.transfers.download(Endpoint<Data>(path: "films/8"), id: "film", to: folder.file("film"))
        }
        #expect(error?.networkError?.transportError?.code == .invalidRequest)
        #expect("\(try #require(error))".contains("https://api.test/v1/films/7"))
        waiting.cancel()
    }

    @Test func `a status that is not accepted is an error with the beginning of the body, and no file`() async throws {
        let app = try app()
        let place = folder.file("film")
        let waiting = Task { try await app.transfers.download(film, id: "film", to: place) }
        try app.session.download(try await system.nextStart(), 404, Data("gone".utf8), in: folder)
        let error = await failure { _ = try await waiting.value }
        #expect(error?.statusCode == 404)
        #expect(error?.networkError?.response?.data == Data("gone".utf8))
        #expect(!FileManager.default.fileExists(atPath: place.path))
    }

    @Test func `an existing file is kept if it is not to be replaced`() async throws {
        let app = try app()
        let place = try folder.write(Data("old".utf8), to: "film")
        let error = await failure {
            _ = try await app.transfers.download(film, id: "film", to: place, replaces: false)
        }
        // Known before anything is sent, or when the file was created meanwhile.
        #expect(error?.fileFailure?.code == .destinationExists)
        try FileManager.default.removeItem(at: place)
        let waiting = Task { try await app.transfers.download(film, id: "film", to: place, replaces: false) }
        let number = try await system.nextStart()
        try Data("old".utf8).write(to: place)
        try app.session.download(number, 200, content, in: folder)
        let late = await failure { _ = try await waiting.value }
        #expect(late?.fileFailure?.code == .destinationExists)
        #expect(try Data(contentsOf: place) == Data("old".utf8))
    }

    @Test func `a file that is too large is refused while it is received`() async throws {
        let app = try app()
        let waiting = Task {
            try await app.transfers.download(film, id: "film", to: folder.file("film"), maximumBytes: 5)
        }
        let number = try await system.nextStart()
        app.session.receive(.received(3, total: nil), number)
        #expect(await app.transfers.runningIDs() == ["film"])
        app.session.receive(.received(6, total: nil), number)
        let error = await failure { _ = try await waiting.value }
        #expect(error?.fileFailure?.code == .tooLarge)
    }

    @Test func `an interrupted download is continued from what the system returned, once`() async throws {
        let app = try app()
        let place = folder.file("film")
        let waiting = Task { try await app.transfers.download(film, id: "film", to: place) }
        let lost = TransportError(.connectionLost, "lost")
        app.session.end(try await system.nextStart(), nil, lost, resumption: Data("resume".utf8))
        let error = await failure { _ = try await waiting.value }
        #expect(error?.isConnectivity == true)
        // In another process.
        let second = try self.app()
        async let file = second.transfers.download(film, id: "film", to: place)
        let number = try await system.nextStart()
        #expect(system.tasks.withLock { $0[number]?.request.resumption } == Data("resume".utf8))
        try second.session.download(number, 206, content, in: folder)
        #expect(try await file.statusCode == 206)
        let third = Task { try await second.transfers.download(film, id: "film", to: place) }
        let last = try await system.nextStart()
        #expect(system.tasks.withLock { $0[last]?.request.resumption } == nil)
        third.cancel()
    }

    @Test func `cancel ends the calls of a transfer, and what could continue it is removed`() async throws {
        let app = try app()
        let waiting = Task { try await app.transfers.download(film, id: "film", to: folder.file("film")) }
        _ = try await system.nextStart()
        await app.transfers.cancel("film")
        let error = await failure { _ = try await waiting.value }
        #expect(error?.isCancelled == true)
        await app.transfers.cancel("unknown")
        // The next call begins anew, also if none has waited for the cancelled one, and after an interruption.
        let interrupted = Task { try await app.transfers.download(film, id: "film", to: folder.file("film")) }
        let lost = TransportError(.connectionLost, "lost")
        app.session.end(try await system.nextStart(), nil, lost, resumption: Data("resume".utf8))
        _ = await failure { _ = try await interrupted.value }
        let unobserved = Task { try await app.transfers.download(film, id: "film", to: folder.file("film")) }
        let number = try await system.nextStart()
        unobserved.cancel()
        _ = await failure { _ = try await unobserved.value }
        #expect(system.tasks.withLock { $0[number]?.request.resumption } != nil)
        await app.transfers.cancel("film")
        #expect(await app.transfers.endedIDs() == [])
        #expect(await app.transfers.runningIDs() == [])
        await folder.becomesEmpty()
    }

    // MARK: Uploads

    @Test func `an upload is sent from a private file, which is removed, and its response is decoded`() async throws {
        let app = try app()
        let clip = Endpoint<Receipt>(path: "clips", method: .post, body: .json(["title": "x"]))
        async let receipt = app.transfers.upload(clip, id: "clip")
        let number = try await system.nextStart()
        let request = try #require(system.tasks.withLock { $0[number]?.request })
        let file = try #require(request.file)
        #expect(try Data(contentsOf: file) == Data(#"{"title":"x"}"#.utf8) && request.request.body == nil)
        #expect(try #require(stat(of: file.path)).st_mode & 0o777 == 0o600)
        #expect(request.request.headers["Content-Type"] == "application/json")
        app.session.receive(.data(Data(#"{"id""#.utf8)), number)
        app.session.receive(.data(Data(":5}".utf8)), number)
        app.session.end(number, 201, headers: ["Content-Type": "application/json"])
        #expect(try await receipt == Receipt(id: 5))
        await folder.becomesEmpty()
    }

    @Test func `a file is sent from where it is, and the response is decoded by a later process`() async throws {
        let app = try app()
        let source = try folder.write(content, to: "clip")
        let clip = Endpoint<Receipt>(path: "clips", method: .put, body: .file(source))
        let waiting = Task { try await app.transfers.upload(clip, id: "clip") }
        let number = try await system.nextStart()
        #expect(system.tasks.withLock { $0[number]?.request.file } == source)
        waiting.cancel()
        _ = await failure { _ = try await waiting.value }
        app.session.receive(.data(Data(#"{"id":6}"#.utf8)), number)
        app.session.end(number, 200, headers: ["Content-Type": "application/json"])
        let second = try self.app()
        #expect(try await second.transfers.upload(clip, id: "clip") == Receipt(id: 6))
        #expect(try Data(contentsOf: source) == content)
    }

    @Test func `a response to an upload that is too large or cannot be decoded is an error`() async throws {
        let app = try app(BackgroundOptions(maximumBodyBytes: 8))
        let clip = Endpoint<Receipt>(path: "clips", method: .post, body: .text("x"))
        let large = Task { try await app.transfers.upload(clip, id: "large") }
        app.session.receive(.data(Data(repeating: 1, count: 9)), try await system.nextStart())
        let tooLarge = await failure { _ = try await large.value }
        #expect(tooLarge?.networkError?.transportError?.code == .bodyTooLarge)
        let other = Task { try await app.transfers.upload(clip, id: "other") }
        let number = try await system.nextStart()
        app.session.receive(.data(Data("{".utf8)), number)
        app.session.end(number, 200, headers: ["Content-Type": "application/json"])
        let undecodable = await failure { _ = try await other.value }
        guard case .parsing? = undecodable else { throw try #require(undecodable) }
    }

    // MARK: The app

    @Test func `the system's completion handler is called after all events, once`() async throws {
        let app = try app()
        let calls = Locked(0)
        await confirmation { confirmed in
            await withCheckedContinuation { continuation in
                app.transfers.whenEventsEnd {
                    calls.withLock { $0 += 1 }
                    confirmed()
                    continuation.resume()
                }
                app.session.center.endEvents()
                app.session.center.endEvents()
            }
        }
        #expect(calls.withLock(\.self) == 1)
    }

    @Test func `a task that ends before those of earlier processes are known is not adopted afterwards`() async throws {
        let task = BackgroundTask(
            id: "film", request: try NetworkRequest(url: #require(URL(string: "https://api.test/v1/films/7?key=1"))),
            acceptedStatuses: .success, destination: .init(folder.file("film"), replaces: true, maximumBytes: nil))
        var state = BackgroundState()
        _ = state.end(task, number: 5)
        state.adopt(task, number: 5)
        state.endAdoption()
        #expect(state.ids == [])
        state.adopt(task, number: 6)
        #expect(state.ids == ["film"])
    }

    @Test func `tasks and files of unknown origin are removed, and the records are private`() async throws {
        _ = try folder.write(Data(), to: "x")
        let records = folder.file("records")
        try FileManager.default.createDirectory(
            at: records, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        for name in ["a.body", "b.new"] { try Data("x".utf8).write(to: records.appendingPathComponent(name)) }
        let unknown = try NetworkRequest(url: #require(URL(string: "https://api.test/")))
        let number = system.add(.init(request: BackgroundRequest(request: unknown), text: "of another version"))
        let app = try app()
        #expect(await app.transfers.runningIDs() == [])
        #expect(system.tasks.withLock { $0[number] } == nil)
        await folder.becomesEmpty()
    }

    @Test func `sessions that are opened at the same time agree that their new folder is private`() async throws {
        for number in 0..<100 {
            let store = BackgroundStore(folder: folder.file("new-\(number)"))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 { group.addTask { try store.prepare() } }
                try await group.waitForAll()
            }
        }
    }

    @Test func `a folder that others can open is refused`() async throws {
        try FileManager.default.createDirectory(
            at: folder.file("records"), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        let app = try app()
        let error = await failure { _ = try await app.transfers.download(film, id: "film", to: folder.file("film")) }
        #expect(error?.fileFailure?.code == .notWritable)
    }
}

extension TemporaryFolder {
    /// Waits until nothing is stored of transfers. A call may return before the record of its outcome is removed.
    func becomesEmpty() async {
        while (try? FileManager.default.contentsOfDirectory(atPath: file("records").path)) != [] { await Task.yield() }
    }
}
