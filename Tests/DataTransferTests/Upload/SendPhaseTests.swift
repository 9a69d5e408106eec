import DataTransfer
import Foundation
import NetworkTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct SendPhaseTests {
    /// Returns a body of two chunks, the second one 150 ms after the first.
    private static func slowBody() -> EndpointBody {
        let chunks = AsyncStream<Data> { continuation in
            continuation.yield(Data("first".utf8))
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(150)) {
                continuation.yield(Data("second".utf8))
                continuation.finish()
            }
        }
        return .stream(chunks)
    }

    @Test func `the time to send a slow body counts as send time, not as wait time`() async throws {
        let server = try LoopbackServer { _ in .text("response") }
        let endpoint = Endpoint<Data>(path: "a", responseDecoder: .rawData)
        let timings = try await server.service().response(for: endpoint, uploading: Self.slowBody()).timings
        let send = try #require(timings.send)
        #expect(send > .milliseconds(120) && timings.firstByte.map { $0 >= send } == true, "\(timings)")
        #expect(timings.wait.map { $0 < send } == true && timings.bytesSent > 0, "\(timings)")
    }

    @Test func `a request without a body has no send time`() async throws {
        let server = try LoopbackServer { _ in .text("response") }
        let timings = try await server.service().response(for: Endpoint<Data>(path: "a", responseDecoder: .rawData)).timings
        #expect(timings.send == nil && timings.wait == timings.firstByte)
    }

    @Test func `the entries of a recorded archive distinguish send time and wait time`() async throws {
        let server = try LoopbackServer { _ in .text("response") }
        let recording = RecordingSessionManager(DefaultSessionManager())
        let service = server.service(session: recording)
        _ = try await service.upload(Self.slowBody(), to: Endpoint<Data>(path: "a", responseDecoder: .rawData))
        let timings = try #require(recording.archive.entries.first).timings
        #expect(timings.send.map { $0 > .milliseconds(120) } == true, "\(timings)")
        #expect(timings.wait.map { $0 < timings.send ?? .zero } == true, "\(timings)")
    }
}
