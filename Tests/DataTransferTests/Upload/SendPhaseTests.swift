import DataTransfer
import Foundation
import NetworkRecordings
import NetworkTesting
import TransferTestSupport
import Testing

@Suite(.timeLimit(.minutes(10)), .alsoOverURLSession) struct SendPhaseTests {
    /// Returns a body of two chunks, the second one available this time after the first.
    private static func slowBody(_ pause: Duration) -> EndpointBody {
        let chunks = AsyncStream<Data> { continuation in
            continuation.yield(Data("first".utf8))
            Task {
                try? await Task.sleep(for: pause)
                continuation.yield(Data("second".utf8))
                continuation.finish()
            }
        }
        return .stream(chunks)
    }

    @Test(.notOverURLSession(.phases))
    func `the time to send a slow body counts as send time, not as wait time`() async throws {
        let server = try LoopbackServer { _ in .text("response") }
        let endpoint = Endpoint<Data>(path: "a", responseDecoder: .rawData)
        // On a busy machine, what comes before and after a short pause may take longer than the pause.
        let isSendTime = try await withTimeouts(from: .milliseconds(150)) { pause -> Bool? in
            let timings = try await server.service().response(for: endpoint, uploading: Self.slowBody(pause)).timings
            let send = try #require(timings.send)
            #expect(timings.firstByte.map { $0 >= send } == true && timings.bytesSent > 0, "\(timings)")
            return send > pause * 0.8 && timings.wait.map { $0 < send } == true ? true : nil
        }
        #expect(isSendTime == true)
    }

    @Test func `a request without a body has no send time`() async throws {
        let server = try LoopbackServer { _ in .text("response") }
        let timings = try await server.service().response(for: Endpoint<Data>(path: "a", responseDecoder: .rawData)).timings
        #expect(timings.send == nil && timings.wait == timings.firstByte)
    }

    @Test(.notOverURLSession(.phases))
    func `the entries of a recorded archive distinguish send time and wait time`() async throws {
        let server = try LoopbackServer { _ in .text("response") }
        let isDistinguished = try await withTimeouts(from: .milliseconds(150)) { pause -> Bool? in
            let recording = RecordingSessionManager(testedSession())
            let service = server.service(session: recording)
            _ = try await service.upload(Self.slowBody(pause), to: Endpoint<Data>(path: "a", responseDecoder: .rawData))
            let timings = try #require(recording.archive.entries.first).timings
            let (send, wait) = (try #require(timings.send), try #require(timings.wait))
            return send > pause * 0.8 && wait < send ? true : nil
        }
        #expect(isDistinguished == true)
    }
}
