import Endpoints
import Foundation
import NetworkTesting
import Testing
import TransferTestSupport

@testable import NetworkTransport
@testable import NetworkURLSession

extension URLSessionTests {
    @Suite(.timeLimit(.minutes(10))) struct URLSessionClosingTests {
        private func server(_ gate: AsyncGate) throws -> LoopbackServer {
            try LoopbackServer {
                LoopbackRoute(.get, "/held/{number}") { _ in
                    await gate.wait()
                    return .text("x")
                }
                LoopbackRoute(.get, "/now") { _ in .text("x") }
            }
        }

        private func manager() -> URLSessionManager {
            URLSessionManager(configuration: SessionConfiguration { $0.maximumConnectionsPerHost = 1 })
        }

        @Test func `requests that are under way or queued end in the grace period, and new ones are refused`() async throws {
            let gate = AsyncGate()
            let (server, other) = (try server(gate), try server(gate))
            let manager = manager()
            let requests = (0..<3).map { number in
                Task { await manager.error(for: server.request("/held/\(number)")) }
            }
            await server.waitForRequests(count: 1)
            let report = Task { await manager.close(grace: .seconds(600)) }
            // To another origin, so that it does not wait in the queue if it precedes the closing.
            while await manager.error(for: other.request("/now"))?.code != .sessionClosed { await Task.yield() }
            gate.open()
            var completed = 0
            for request in requests {
                // One that began too late is refused.
                guard let error = await request.value else {
                    completed += 1
                    continue
                }
                #expect(error.code == .sessionClosed)
            }
            let result = await report.value
            #expect(completed >= 1)
            #expect(result.completed >= completed)
            #expect(result.cancelledCount == 0)
        }

        @Test func `what is left at the end of the grace period is cancelled and reported`() async throws {
            let gate = AsyncGate()
            let server = try server(gate)
            let manager = manager()
            let requests = (0..<3).map { number in Task { await manager.error(for: server.request("/held/\(number)?token=a")) } }
            await server.waitForRequests(count: 1)
            let reports = await withTaskGroup(of: ClosingReport.self) { group in
                for grace in [0, 600] { group.addTask { await manager.close(grace: .seconds(grace)) } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            var cutOff = 0
            for request in requests {
                let error = await request.value
                #expect(error?.code == .sessionClosed)
                if error?.phase != nil || error?.message.contains("before") == true { cutOff += 1 }
            }
            for report in reports {
                #expect(report.cancelledCount == cutOff)
                #expect(report.cancelled.allSatisfy { $0.code == .sessionClosed && $0.request?.hasSuffix("?token=a") == false })
            }
            #expect(await manager.error(for: server.request("/now"))?.code == .sessionClosed)
            #expect(server.requestCount == 1)
            gate.open()
        }

        @Test func `cancelling the task that waits ends the grace period`() async throws {
            let gate = AsyncGate()
            let server = try server(gate)
            let manager = manager()
            let request = Task { await manager.error(for: server.request("/held/1")) }
            await server.waitForRequests(count: 1)
            let call = Task { await manager.close(grace: .seconds(600)) }
            call.cancel()
            #expect(await call.value.cancelledCount == 1)
            #expect(await request.value?.code == .sessionClosed)
            #expect(await URLSessionManager().close().completed == 0)
            gate.open()
        }
    }
}
