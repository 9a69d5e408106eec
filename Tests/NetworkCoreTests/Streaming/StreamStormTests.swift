#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkTesting
    import Testing
    import TransferTestSupport

    @testable import NetworkEngine
    @testable import NetworkTransport

    @Suite(.timeLimit(.ofStorm))
    struct StreamStormTests {
        /// Starts a stream, and cancels or releases it at a random time.
        private func runStream(_ session: SocketSessionManager, _ server: LoopbackServer, seed: UInt64) async {
            var generator = SeededGenerator(seed: seed)
            let path = ["/endless", "/short", "/stall", "/cut", "/redirect", "/echo"].randomElement(using: &generator) ?? "/"
            var request = server.request(path, method: path == "/echo" ? .post : .get)
            if path == "/echo" {
                let size = Int.random(in: 0...400_000, using: &generator)
                request.body = .stream { Pieces(of: Data(count: size), size: 30_000) }
            }
            let chunks = Int.random(in: 0...3, using: &generator)
            let isCancelled = Bool.random(using: &generator)
            let yields = Int.random(in: 0...50, using: &generator)
            let task = Task { [request] in
                let response = try await session.stream(for: request)
                var iterator = response.body.makeAsyncIterator()
                for _ in 0..<chunks { _ = try await iterator.next() }
            }
            for _ in 0..<yields { await Task.yield() }
            // A stalled stream never ends unless it is cancelled.
            if isCancelled || path == "/stall" { task.cancel() }
            _ = await task.result
        }

        @Test(arguments: [1, 3])
        func `streams that are cancelled at random times leak no connection, and later requests succeed`(loops: Int) async throws
        {
            let server = try LoopbackServer {
                LoopbackRoute(.get, "/endless") { _ in LoopbackResponse.text("x").fault(.endlessBody) }
                LoopbackRoute(.get, "/short") { _ in .data(Data(count: 100_000)) }
                LoopbackRoute(.get, "/stall") { _ in LoopbackResponse.text("hello").fault(.stallBody(after: 1)) }
                LoopbackRoute(.get, "/cut") { _ in LoopbackResponse.text("hello").fault(.truncateBody(after: 3)) }
                LoopbackRoute(.get, "/redirect") { _ in LoopbackResponse(status: 302, headers: ["Location": "/short"]) }
                LoopbackRoute(.post, "/echo") { request in .data(request.body) }
            }
            let session = SocketSessionManager(
                configuration: SessionConfiguration {
                    $0.maximumConnectionsPerHost = 64
                    $0.eventLoops = loops
                })
            let total = (isSlowRun ? 20_000 : 2_000) / loops
            await withTaskGroup(of: Void.self) { group in
                for index in 0..<total {
                    if index >= 64 { await group.next() }
                    group.addTask { await runStream(session, server, seed: UInt64(index)) }
                }
            }
            for _ in 0..<100 {
                let response = try await session.response(for: server.request("/short"))
                #expect(response.data.count == 100_000)
            }
            server.closeConnections()
            #expect(await server.waitForOpenConnections(count: 0))
        }
    }
#endif
