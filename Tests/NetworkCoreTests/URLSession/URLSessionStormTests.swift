import Dispatch
import Endpoints
import Foundation
import NetworkCore
import NetworkSupport
import NetworkTesting
import Testing
import TransferTestSupport
import NetworkURLSession

extension URLSessionTests {
    /// Many concurrent cancellations at random times, with which an unmodified `URLSession` hangs or crashes.
    ///
    /// Each test runs in a separate process. `URLSession` on Linux closes a descriptor while its event source is still active. If
    /// another descriptor of the process gets the same number at that time, it is never reported as readable. It can belong to a
    /// server in a test that runs concurrently.
    @Suite(.timeLimit(.ofStorm), .serialized) struct URLSessionStormTests {
        /// A server with various fast responses.
        fileprivate static func server() throws -> LoopbackServer {
            let body = Data(repeating: 0x62, count: 20_000)
            return try LoopbackServer(configuration: LoopbackServerConfiguration(maximumRecordedRequests: 0)) { request in
                switch request.path {
                case "/large": .data(body)
                case "/login": LoopbackResponse.text("name?", status: 401).header("Basic realm=\"x\"", for: "WWW-Authenticate")
                case "/moved": .status(302, headers: ["Location": "/moved/again"])
                case "/moved/again": .status(307, headers: ["Location": "/small"])
                case "/late": LoopbackResponse.text("late").delayed(by: .milliseconds(3))
                default: .text("ok")
                }
            }
        }

        fileprivate static func manager(idle: Duration = .seconds(60)) -> URLSessionManager {
            URLSessionManager(
                configuration: SessionConfiguration {
                    $0.maximumConnectionsPerHost = 64
                    $0.idleTimeout = idle
                })
        }

        /// Returns a random delay from zero to a few milliseconds, the duration of a small exchange.
        fileprivate static func moment(_ random: inout SeededGenerator) -> Duration {
            .microseconds(Int.random(in: 0...1, using: &random) == 0 ? 0 : Int.random(in: 0...8000, using: &random))
        }

        fileprivate static func storm(
            count: Int, paths: [String], seed: UInt64, _ operation: @escaping @Sendable (NetworkRequest, Duration) async -> Int,
            server: LoopbackServer
        ) async {
            var random = SeededGenerator(seed: seed)
            await withTaskGroup(of: Int.self) { group in
                for number in 0..<count {
                    if number >= 64, let completions = await group.next() { #expect(completions == 1) }
                    let path = paths[Int.random(in: 0..<paths.count, using: &random)]
                    let moment = moment(&random)
                    group.addTask { await operation(NetworkRequest(url: server.url(path)), moment) }
                }
                for await completions in group { #expect(completions == 1) }
            }
        }

        /// Checks that a session manager works. Uses a separate server, because descriptors of the first one may never be
        /// reported as ready.
        fileprivate static func expectNormalOperation(_ manager: URLSessionManager) async throws {
            let server = try server()
            for _ in 0..<100 {
                #expect(try await manager.response(for: NetworkRequest(url: server.url("/small"))).text == "ok")
            }
        }

        /// Sends a request and cancels it after a delay. Returns how many times its completion handler was called.
        fileprivate static func completions(
            of request: NetworkRequest, cancelledAfter moment: Duration, _ manager: URLSessionManager
        )
            async
            -> Int
        {
            let count = Locked(0)
            return await withCheckedContinuation { continuation in
                let group = DispatchGroup()
                group.enter()
                group.enter()
                let handle = manager.response(for: request) { _ in
                    // A second call would leave the group too many times, which traps.
                    count.withLock { $0 += 1 }
                    group.leave()
                }
                let delay = moment / .microseconds(1)
                if delay == 0 {
                    handle.cancel()
                    group.leave()
                } else {
                    DispatchQueue.global().asyncAfter(deadline: .now() + .microseconds(Int(delay))) {
                        handle.cancel()
                        group.leave()
                    }
                }
                group.notify(queue: .global()) { continuation.resume(returning: count.withLock { $0 }) }
            }
        }

        @Test func `each of many concurrently cancelled requests calls its completion handler once`() async {
            await #expect(processExitsWith: .success) {
                let server = try URLSessionTests.URLSessionStormTests.server()
                let manager = URLSessionTests.URLSessionStormTests.manager()
                await URLSessionTests.URLSessionStormTests.storm(
                    count: isSlowRun ? 5000 : 1000, paths: ["/small", "/large", "/late", "/login"], seed: 1,
                    { await URLSessionTests.URLSessionStormTests.completions(of: $0, cancelledAfter: $1, manager) },
                    server: server)
                try await URLSessionTests.URLSessionStormTests.expectNormalOperation(manager)
            }
        }

        @Test func `each of many concurrently cancelled async calls returns a response or a cancellation error`() async {
            await #expect(processExitsWith: .success) {
                let server = try URLSessionTests.URLSessionStormTests.server()
                let manager = URLSessionTests.URLSessionStormTests.manager()
                await URLSessionTests.URLSessionStormTests.storm(
                    count: isSlowRun ? 5000 : 1000, paths: ["/small", "/large", "/late", "/login"], seed: 2,
                    { request, moment in
                        let task = Task { await manager.error(for: request) }
                        DispatchQueue.global().asyncAfter(deadline: .now() + .microseconds(Int(moment / .microseconds(1)))) {
                            task.cancel()
                        }
                        let error = await task.value
                        return error == nil || error?.isCancelled == true ? 1 : 0
                    }, server: server)
                try await URLSessionTests.URLSessionStormTests.expectNormalOperation(manager)
            }
        }

        @Test func `each of many requests that are cancelled during redirects calls its completion handler once`() async {
            await #expect(processExitsWith: .success) {
                let server = try URLSessionTests.URLSessionStormTests.server()
                let manager = URLSessionTests.URLSessionStormTests.manager()
                await URLSessionTests.URLSessionStormTests.storm(
                    count: isSlowRun ? 2000 : 1000, paths: ["/moved", "/moved/again"], seed: 3,
                    { await URLSessionTests.URLSessionStormTests.completions(of: $0, cancelledAfter: $1, manager) },
                    server: server)
                try await URLSessionTests.URLSessionStormTests.expectNormalOperation(manager)
            }
        }

        @Test func `many requests that time out during redirects and challenges return a response or a timeout error`() async {
            await #expect(processExitsWith: .success) {
                let server = try URLSessionTests.URLSessionStormTests.server()
                let manager = URLSessionTests.URLSessionStormTests.manager(idle: .milliseconds(4))
                await URLSessionTests.URLSessionStormTests.storm(
                    count: isSlowRun ? 2000 : 1000, paths: ["/moved", "/login", "/late"], seed: 4,
                    { request, _ in
                        let error = await manager.error(for: request)
                        return error == nil || error?.isTimeout == true ? 1 : 0
                    }, server: server)
                try await URLSessionTests.URLSessionStormTests.expectNormalOperation(
                    URLSessionTests.URLSessionStormTests.manager())
            }
        }

        @Test func `each request calls its completion handler once if its session manager is released during the transfer`() async
        {
            await #expect(processExitsWith: .success) {
                let server = try URLSessionTests.URLSessionStormTests.server()
                await URLSessionTests.URLSessionStormTests.storm(
                    count: 300, paths: ["/small", "/moved", "/login"], seed: 5,
                    { await URLSessionTests.URLSessionStormTests.completions(of: $0, cancelledAfter: $1, URLSessionManager()) },
                    server: server)
                try await URLSessionTests.URLSessionStormTests.expectNormalOperation(
                    URLSessionTests.URLSessionStormTests.manager())
            }
        }
    }
}
