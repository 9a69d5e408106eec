import Endpoints
import Foundation
import NetworkCore
import NetworkTesting
import Testing
import TransferTestSupport
import NetworkURLSession

extension URLSessionTests {
    @Suite(.timeLimit(.minutes(10))) struct URLSessionCancellationTests {
        private let manager = URLSessionManager()

        @Test func `a task that is already cancelled sends no request`() async throws {
            let server = try LoopbackServer { _ in .text("ok") }
            let task = Task {
                while !Task.isCancelled { await Task.yield() }
                return await manager.error(for: NetworkRequest(url: server.url("/")))
            }
            task.cancel()
            #expect(await task.value?.isCancelled == true)
            #expect(server.connectionCount == 0)
        }

        @Test func `cancelling immediately after the call completes the request once`() async throws {
            let server = try LoopbackServer { _ in .text("ok").fault(.stall) }
            let outcomes = Outcomes()
            let handle = manager.response(for: NetworkRequest(url: server.url("/")), completion: outcomes.completion)
            handle.cancel()
            handle.cancel()
            #expect(await outcomes.wait(count: 1).count == 1)
            #expect(await outcomes.all[0].isCancelled)
            #expect(await server.waitForOpenConnections(count: 0))
        }

        @Test(arguments: [LoopbackFault.stall, .stallBody(after: 2), .drip(bytes: 1, every: .milliseconds(20))])
        func `cancelling while waiting for a response or during its body closes the connection`(fault: LoopbackFault) async throws
        {
            let server = try LoopbackServer { _ in .text(String(repeating: "x", count: 10_000)).fault(fault) }
            let task = Task { await manager.error(for: NetworkRequest(url: server.url("/"))) }
            await server.waitForRequests(count: 1)
            task.cancel()
            #expect(await task.value?.isCancelled == true)
            #expect(await server.waitForOpenConnections(count: 0))
        }

        @Test(arguments: [false, true]) func `cancelling while the request body is collected is reported as a cancellation`(
            throwsError: Bool
        )
            async throws
        {
            let server = try LoopbackServer { _ in .text("ok") }
            let (started, continuation) = AsyncStream.makeStream(of: Void.self)
            let chunks = AsyncThrowingStream { () async throws -> Data? in
                continuation.yield()
                // Ends when its task is cancelled, with an error or without one.
                for await _ in AsyncStream<Void>.makeStream().stream {}
                if throwsError { throw CancellationError() }
                return nil
            }
            let outcomes = Outcomes()
            let request = NetworkRequest(method: .post, url: server.url("/"), body: .stream { chunks })
            let handle = manager.response(for: request, completion: outcomes.completion)
            for await _ in started { break }
            handle.cancel()
            #expect(await outcomes.wait(count: 1)[0].isCancelled)
            #expect(server.requestCount == 0)
        }

        @Test func `cancelling a queued request does not block later requests`() async throws {
            let server = try LoopbackServer { request in request.path == "/slow" ? .text("").fault(.stall) : .text("ok") }
            let manager = URLSessionManager(configuration: SessionConfiguration { $0.maximumConnectionsPerHost = 1 })
            let outcomes = Outcomes()
            let slow = manager.response(for: NetworkRequest(url: server.url("/slow")), completion: outcomes.completion)
            await server.waitForRequests(count: 1)
            let queued = manager.response(for: NetworkRequest(url: server.url("/never")), completion: outcomes.completion)
            manager.response(for: NetworkRequest(url: server.url("/")), completion: outcomes.completion)
            queued.cancel()
            #expect(await outcomes.wait(count: 1)[0].isCancelled)
            slow.cancel()
            let results = await outcomes.wait(count: 3)
            #expect(results.filter(\.isCancelled).count == 2)
            #expect(server.requests.map(\.path) == ["/slow", "/"])
        }

        @Test func `cancelling a completed request has no effect`() async throws {
            let server = try LoopbackServer { _ in .text("ok") }
            let outcomes = Outcomes()
            let handle = manager.response(for: NetworkRequest(url: server.url("/")), completion: outcomes.completion)
            #expect(try await outcomes.wait(count: 1)[0].get().text == "ok")
            handle.cancel()
            #expect(try await manager.response(for: NetworkRequest(url: server.url("/"))).text == "ok")
            #expect(await outcomes.all.count == 1)
            #expect(server.connectionCount == 1)
        }

        @Test func `a completion handler may block without delaying other requests`() async throws {
            let server = try LoopbackServer { _ in .text("ok") }
            let gate = DispatchSemaphore(value: 0)
            let outcomes = Outcomes()
            manager.response(for: NetworkRequest(url: server.url("/"))) { result in
                gate.wait()
                outcomes.completion(result)
            }
            #expect(try await manager.response(for: NetworkRequest(url: server.url("/"))).text == "ok")
            gate.signal()
            #expect(try await outcomes.wait(count: 1)[0].get().text == "ok")
        }
    }
}

extension Result where Success == NetworkResponse, Failure == TransportError {
    var isCancelled: Bool {
        if case .failure(let error) = self { error.isCancelled } else { false }
    }
}
