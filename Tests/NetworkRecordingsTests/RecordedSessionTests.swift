import Foundation
import NetworkRecordings
import NetworkSupport
import NetworkTesting
import Testing
import TransferTestSupport

@Suite(.timeLimit(.minutes(10))) struct RecordedSessionTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func session(
        _ mode: RecordedSession.Mode, live: any NetworkSessionManager, environment: String? = nil
    ) throws -> RecordedSession {
        try RecordedSession(
            "Fixtures/a.har", mode: mode, live: live, environment: environment.map { ["DATA_TRANSFER_RECORD": $0] } ?? [:],
            source: folder.file("Test.swift").path)
    }

    private var file: URL { folder.file("Fixtures/a.har") }

    @Test func `in once mode, the first session records if the file does not exist, and later ones replay`() async throws {
        let live = StubSessionManager(returning: .text("live"))
        let first = try session(.once, live: live)
        #expect(first.isRecording && first.file == file)
        #expect(try await first.text(.make()) == "live" && live.requests.count == 1)
        let second = try session(.once, live: StubSessionManager())
        #expect(!second.isRecording && second.unused.count == 1)
        #expect(try await second.text(.make()) == "live" && second.unused.isEmpty)
    }

    @Test func `in replay mode, no requests are sent and no live session manager is created`() async throws {
        #expect(throws: HTTPArchiveError.self) { try session(.replay, live: StubSessionManager()) }
        _ = try await session(.record, live: StubSessionManager(returning: .text("live"))).text(.make())
        let isMade = Locked(false)
        func live() -> StubSessionManager {
            isMade.withLock { $0 = true }
            return StubSessionManager(returning: .text("live"))
        }
        let replay = try RecordedSession(file.path, live: live(), environment: [:])
        #expect(await replay.failure(of: try .make(.get, "https://a.test/other"))?.code == .notStubbed)
        #expect(!isMade.withLock { $0 })
    }

    @Test func `in record mode, an existing file is replaced`() async throws {
        _ = try await session(.record, live: StubSessionManager(returning: .text("old"))).text(.make())
        _ = try await session(.record, live: StubSessionManager(returning: .text("new"))).text(.make())
        #expect(try await session(.replay, live: StubSessionManager()).text(.make()) == "new")
    }

    @Test func `the environment overrides the mode`() async throws {
        let live = StubSessionManager(returning: .text("1"))
        _ = try await session(.replay, live: live, environment: "1").text(.make())
        #expect(live.requests.count == 1)
        #expect(try session(.once, live: live, environment: "record").isRecording)
        #expect(try !session(.record, live: live, environment: "0").isRecording)
        #expect(try !session(.record, live: live, environment: "replay").isRecording)
        #expect(try !session(.record, live: live, environment: "once").isRecording)
        #expect(try session(.record, live: live, environment: "").isRecording)
        let error = #expect(throws: HTTPArchiveError.self) { try session(.replay, live: live, environment: "yes") }
        #expect(error?.description.contains(#"the unknown mode "yes""#) == true)
    }

    @Test func `streams and failures are written to the file when they end`() async throws {
        let live = StubSessionManager()
        live.route(.text("streamed"), for: "/x")
        live.route(.failure(.timedOut, phase: .connect), for: "/fails")
        let recorded = try session(.record, live: live)
        let response = try await recorded.stream(for: .make())
        #expect(!FileManager.default.fileExists(atPath: file.path))
        #expect(try await response.body.collected() == Data("streamed".utf8))
        #expect(try HTTPArchive(contentsOf: file).entries.count == 1)
        #expect(await recorded.failure(of: try .make(.get, "https://a.test/fails"))?.isTimeout == true)
        let replayed = try session(.replay, live: live)
        #expect(try await replayed.stream(for: .make()).body.collected() == Data("streamed".utf8))
        let failure = await replayed.failure(of: try .make(.get, "https://a.test/fails"))
        #expect(failure?.isTimeout == true && failure?.phase == .connect)
        #expect(live.requests.count == 2)
    }

    @Test func `a file that cannot be written fails the exchange`() async throws {
        try Data().write(to: folder.file("Fixtures"))
        let recorded = try session(.record, live: StubSessionManager(returning: .text("1")))
        let error = await recorded.failure(of: try .make())
        #expect(error?.message.contains("cannot be recorded") == true && error?.underlying is HTTPArchiveError)
        let stream = try await recorded.stream(for: .make())
        await #expect(throws: TransportError.self) { try await stream.body.collected() }
    }
}
