import Dispatch
import Endpoints
import Foundation
import NetworkCore
import NetworkTesting
import Testing

extension URLSessionTests {
    /// Cancellations at random moments, many at once: what stock `URLSession` hangs on or dies of.
    ///
    /// Each storm has a separate process. `URLSession` on Linux closes a descriptor while its event source still lives; another
    /// descriptor of the process that is given the same number at that moment is then never reported as readable, be it of a server
    /// in a test that runs beside.
    @Suite(.timeLimit(.minutes(10)), .serialized) struct URLSessionStormTests {
        /// A server with various fast responses.
        fileprivate static func server() throws -> LoopbackServer {
            let body = Data(repeating: 0x62, count: 20_000)
            return try LoopbackServer(configuration: LoopbackServerConfiguration(maximumRecordedRequests: 0)) { request in
                switch request.path {
                case "/large": .data(body)
                case "/login": LoopbackResponse.text("name?", status: 401).header("WWW-Authenticate", "Basic realm=\"x\"")
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

        /// A moment between at once and a few milliseconds, the time a small exchange takes.
        fileprivate static func moment(_ random: inout SeededGenerator) -> Duration {
            .microseconds(Int.random(in: 0...1, using: &random) == 0 ? 0 : Int.random(in: 0...8000, using: &random))
        }

        fileprivate static func storm(
            count: Int, paths: [String], seed: UInt64, _ one: @escaping @Sendable (NetworkRequest, Duration) async -> Int,
            server: LoopbackServer
        ) async {
            var random = SeededGenerator(seed: seed)
            await withTaskGroup(of: Int.self) { group in
                for number in 0..<count {
                    if number >= 64, let completions = await group.next() { #expect(completions == 1) }
                    let path = paths[Int.random(in: 0..<paths.count, using: &random)]
                    let moment = moment(&random)
                    group.addTask { await one(NetworkRequest(url: server.url(path)), moment) }
                }
                for await completions in group { #expect(completions == 1) }
            }
        }

        /// On a separate server: descriptors of the storm's server may never be reported as ready.
        fileprivate static func expectCalm(_ manager: URLSessionManager) async throws {
            let server = try server()
            for _ in 0..<100 {
                #expect(try await manager.response(for: NetworkRequest(url: server.url("/small"))).text == "ok")
            }
        }

        /// Sends one, cancels it at a moment; how often its completion had run by the time both were over.
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
                let handle = manager.request(request) { _ in
                    // A second call would leave the group once too often, and trap.
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

        @Test func `a storm of cancels in the completion form`() async {
            await #expect(processExitsWith: .success) {
                let server = try URLSessionTests.URLSessionStormTests.server()
                let manager = URLSessionTests.URLSessionStormTests.manager()
                await URLSessionTests.URLSessionStormTests.storm(
                    count: isSlowRun ? 5000 : 1000, paths: ["/small", "/large", "/late", "/login"], seed: 1,
                    { await URLSessionTests.URLSessionStormTests.completions(of: $0, cancelledAfter: $1, manager) },
                    server: server)
                try await URLSessionTests.URLSessionStormTests.expectCalm(manager)
            }
        }

        @Test func `a storm of cancels in the async form`() async {
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
                try await URLSessionTests.URLSessionStormTests.expectCalm(manager)
            }
        }

        @Test func `a storm of cancels among redirects`() async {
            await #expect(processExitsWith: .success) {
                let server = try URLSessionTests.URLSessionStormTests.server()
                let manager = URLSessionTests.URLSessionStormTests.manager()
                await URLSessionTests.URLSessionStormTests.storm(
                    count: isSlowRun ? 2000 : 1000, paths: ["/moved", "/moved/again"], seed: 3,
                    { await URLSessionTests.URLSessionStormTests.completions(of: $0, cancelledAfter: $1, manager) },
                    server: server)
                try await URLSessionTests.URLSessionStormTests.expectCalm(manager)
            }
        }

        @Test func `a storm of timeouts among redirects and challenges`() async {
            await #expect(processExitsWith: .success) {
                let server = try URLSessionTests.URLSessionStormTests.server()
                let manager = URLSessionTests.URLSessionStormTests.manager(idle: .milliseconds(4))
                await URLSessionTests.URLSessionStormTests.storm(
                    count: isSlowRun ? 2000 : 1000, paths: ["/moved", "/login", "/late"], seed: 4,
                    { request, _ in
                        let error = await manager.error(for: request)
                        return error == nil || error?.isTimeout == true ? 1 : 0
                    }, server: server)
                try await URLSessionTests.URLSessionStormTests.expectCalm(URLSessionTests.URLSessionStormTests.manager())
            }
        }

        @Test func `a storm of session managers released in mid-flight`() async {
            await #expect(processExitsWith: .success) {
                let server = try URLSessionTests.URLSessionStormTests.server()
                await URLSessionTests.URLSessionStormTests.storm(
                    count: 300, paths: ["/small", "/moved", "/login"], seed: 5,
                    { await URLSessionTests.URLSessionStormTests.completions(of: $0, cancelledAfter: $1, URLSessionManager()) },
                    server: server)
                try await URLSessionTests.URLSessionStormTests.expectCalm(URLSessionTests.URLSessionStormTests.manager())
            }
        }
    }
}
