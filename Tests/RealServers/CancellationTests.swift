import DataTransfer
import Foundation
import Testing

extension RealServerTests {
    @Suite(.timeLimit(.minutes(10))) struct CancellationTests {
        @Test(arguments: Engine.all) func `cancelling a download closes its connection`(engine: Engine) async throws {
            let session = engine.session()
            let id = UUID().uuidString
            let download = Task { try await session.send(.get, "\(Servers.nginx)/slow/10mb.bin?id=\(id)") }
            try await waitUntil(id, isRunning: true)
            download.cancel()
            let error = await #expect(throws: TransportError.self) { try await download.value }
            #expect(error?.isCancelled == true)
            try await waitUntil(id, isRunning: false)
        }

        @Test(arguments: Engine.all) func `cancelling the handle of a download closes its connection`(engine: Engine) async throws
        {
            let session = engine.session()
            let id = UUID().uuidString
            let url = try #require(URL(string: "\(Servers.nginx)/slow/10mb.bin?id=\(id)"))
            let (results, continuation) = AsyncStream.makeStream(of: Result<NetworkResponse, TransportError>.self)
            let handle = session.response(for: NetworkRequest(url: url)) { continuation.yield($0) }
            try await waitUntil(id, isRunning: true)
            for _ in 0..<3 { handle.cancel() }
            let result = try #require(await results.first { _ in true })
            let error = #expect(throws: TransportError.self) { try result.get() }
            #expect(error?.isCancelled == true)
            try await waitUntil(id, isRunning: false)
        }

        @Test(arguments: Engine.all) func `a download completes after its session manager was released`(engine: Engine)
            async throws
        {
            let text = try await engine.session().send(.get, "\(Servers.httpbin)/drip?duration=1&numbytes=5&delay=0").text
            #expect(text == "*****")
        }

        @Test(arguments: Engine.all) func `a waiting request is sent after the cancellation of the previous one`(engine: Engine)
            async throws
        {
            let session = engine.session { $0.maximumConnectionsPerHost = 1 }
            let id = UUID().uuidString
            let download = Task { try await session.send(.get, "\(Servers.nginx)/slow/10mb.bin?id=\(id)") }
            try await waitUntil(id, isRunning: true)
            let waiting = Task { try await session.send(.get, "\(Servers.nginx)/ok").text }
            download.cancel()
            #expect(try await waiting.value == "ok")
        }

        /// nginx permits one concurrent request per id, so its response to a second request shows whether the first one is still
        /// running.
        private func waitUntil(_ id: String, isRunning: Bool) async throws {
            let session = Engine.all[0].session()
            let start = ContinuousClock.now
            while ContinuousClock.now - start < .seconds(30) {
                let status = try await session.send(.get, "\(Servers.nginx)/running?id=\(id)").statusCode
                if (status == 503) == isRunning { return }
            }
            Issue.record("the download is \(isRunning ? "not yet" : "still") running")
        }
    }
}
