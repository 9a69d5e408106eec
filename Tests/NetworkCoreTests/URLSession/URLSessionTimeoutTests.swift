import Endpoints
import Foundation
import NetworkCore
import NetworkTesting
import Testing
import TransferTestSupport
import NetworkURLSession

extension URLSessionTests {
    @Suite(.timeLimit(.minutes(10))) struct URLSessionTimeoutTests {
        private static func measure(_ work: () async -> TransportError?) async -> (error: TransportError?, time: Duration) {
            let start = ContinuousClock.now
            let error = await work()
            return (error, .now - start)
        }

        @Test(arguments: [LoopbackFault.stall, .stallBody(after: 2)])
        func `a stalled response is ended by the idle timeout`(fault: LoopbackFault) async throws {
            let server = try LoopbackServer { _ in .text("hello").fault(fault) }
            let manager = URLSessionManager(configuration: SessionConfiguration { $0.idleTimeout = .milliseconds(150) })
            let (error, time) = await Self.measure { await manager.error(for: NetworkRequest(url: server.url("/"))) }
            #expect(error?.code == .timedOut)
            #expect(time >= .milliseconds(150) && time < .seconds(30))
            #expect(await server.waitForOpenConnections(count: 0))
        }

        @Test func `a slow response is ended by the total timeout`() async throws {
            let server = try LoopbackServer { _ in
                LoopbackResponse.text(String(repeating: "x", count: 10_000)).fault(.drip(bytes: 1, every: .milliseconds(50)))
            }
            let manager = URLSessionManager(configuration: SessionConfiguration { $0.totalTimeout = .milliseconds(150) })
            let (error, time) = await Self.measure { await manager.error(for: NetworkRequest(url: server.url("/"))) }
            #expect(error?.code == .timedOut)
            #expect(error?.message.contains("total") == true)
            #expect(time >= .milliseconds(150) && time < .seconds(30))
        }

        @Test func `the timeouts of a request override those of the session manager`() async throws {
            let server = try LoopbackServer { request in
                request.path == "/never"
                    ? LoopbackResponse.text("").fault(.stall) : LoopbackResponse.text("late").delayed(by: .milliseconds(100))
            }
            let manager = URLSessionManager(configuration: SessionConfiguration { $0.idleTimeout = .milliseconds(30) })
            var request = NetworkRequest(url: server.url("/"), timeouts: RequestTimeouts(idle: .seconds(30)))
            #expect(try await manager.response(for: request).text == "late")
            request.url = server.url("/never")
            request.timeouts.total = .milliseconds(20)
            #expect(await manager.error(for: request)?.isTimeout == true)
            request.timeouts = RequestTimeouts(connect: .milliseconds(20), idle: .seconds(30))
            #expect(await manager.error(for: request)?.message.contains("connect") == true)
        }

        @Test func `the total timeout applies to a request that waits for a connection, and the idle timeout does not`()
            async throws
        {
            // On a busy machine, the exchange after the wait may take longer than a short idle timeout.
            let text = try await withTimeouts(from: .milliseconds(500)) { timeout -> String? in
                let server = try LoopbackServer { request in
                    request.path == "/slow" ? LoopbackResponse.text("slow").fault(.stall) : .text("ok")
                }
                let manager = URLSessionManager(configuration: SessionConfiguration { $0.maximumConnectionsPerHost = 1 })
                let outcomes = Outcomes()
                let slow = NetworkRequest(url: server.url("/slow"), timeouts: RequestTimeouts(idle: .seconds(600)))
                let first = manager.response(for: slow, completion: outcomes.completion)
                await server.waitForRequests(count: 1)
                let limited = NetworkRequest(url: server.url("/"), timeouts: RequestTimeouts(total: .milliseconds(100)))
                let error = await manager.error(for: limited)
                #expect(error?.code == .timedOut && error?.phase == .queued)
                let idle = NetworkRequest(url: server.url("/"), timeouts: RequestTimeouts(idle: timeout))
                let started = Watched(false)
                let waiting = Task {
                    started.withLock { $0 = true }
                    return try? await manager.response(for: idle).text
                }
                await started.wait { $0 }
                // When the total timeout of this request expires, the idle timeout of the previous request would have expired as
                // well.
                let total = RequestTimeouts(total: timeout + .milliseconds(200))
                #expect(await manager.error(for: NetworkRequest(url: server.url("/"), timeouts: total))?.phase == .queued)
                first.cancel()
                return await waiting.value
            }
            #expect(text == "ok")
        }

        @Test func `the total timeout includes redirects`() async throws {
            let server = try LoopbackServer { request in
                .status(302, headers: ["Location": request.path + "x"]).delayed(by: .milliseconds(40))
            }
            let manager = URLSessionManager(
                configuration: SessionConfiguration {
                    $0.totalTimeout = .milliseconds(150)
                    $0.maximumRedirects = 1000
                })
            #expect(await manager.error(for: NetworkRequest(url: server.url("/")))?.isTimeout == true)
        }
    }
}
