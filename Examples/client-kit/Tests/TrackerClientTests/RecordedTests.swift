import DataTransfer
import Foundation
import NetworkPipeline
import NetworkRecordings
import NetworkTesting
import Testing
import TrackerClient

/// Tests that replay what a tracker has responded once. `DATA_TRANSFER_RECORD=1 swift test --filter RecordedTests` records again.
struct RecordedTests {
    private static let port: UInt16 = 18_080

    private func client() throws -> TrackerClient {
        let url = try #require(URL(string: "http://tracker.example:\(Self.port)"))
        let session = try RecordedSession("Fixtures/issues.har", mode: .replay, live: Self.live())
        return TrackerClient(url: url, refreshToken: TrackerServer.refreshToken, session: session)
    }

    /// The server to record: a real one has its own address, and needs no other session than the default one.
    private static func live() -> any NetworkSessionManager {
        recordedServer.change { $0 = try? TrackerServer(port: port) }
        return DefaultSessionManager(
            configuration: SessionConfiguration { $0.route.addresses["tracker.example"] = ["127.0.0.1"] })
    }

    // Lives until the process ends.
    private static let recordedServer = Guarded<TrackerServer?>(nil)

    @Test func `all calls, as the server has responded to them`() async throws {
        let client = try client()
        let user = try await client.me()
        #expect(user.login == "maria" && user.name == "Maria")
        var titles: [String] = []
        for try await issue in client.issues(.open, pageSize: 2) { titles.append(issue.title) }
        #expect(titles == ["Issue 1", "Issue 2", "Issue 3"])
        #expect(try await client.issue(1).labels == ["bug"])
        #expect(try await client.create(IssueDraft(title: "Issue 4")).id == 4)
        #expect(try await client.set(.closed, of: 1).state == .closed)
    }

    @Test func `the recording has no secret`() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Fixtures/issues.har")
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(!text.contains(TrackerServer.refreshToken) && !text.contains("access-1"))
    }
}
