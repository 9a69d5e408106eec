import DataTransferServerKit
import Foundation
import Logging
import NetworkTesting
import ServerKitTesting
import ServiceLifecycle
import ServiceLifecycleTestKit
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(10))) struct SessionServiceTests {
    private let fixture = Fixture()

    /// A session manager that writes down how it was closed.
    private final class Session: ClosableSessionManager {
        let graces = Mutex<[Duration]>([])

        func response(for request: NetworkRequest) async throws(TransportError) -> NetworkResponse {
            NetworkResponse(statusCode: 200, url: request.url)
        }

        func close(grace: Duration) async -> ClosingReport {
            graces.withLock { $0.append(grace) }
            return ClosingReport(completed: 3, cancelled: [TransportError(.sessionClosed, "cut")], cancelledCount: 1)
        }
    }

    @Test func `it runs until graceful shutdown, and then closes the session manager with the grace period`() async throws {
        let session = Session()
        let service = SessionService(
            session, options: SessionServiceOptions(grace: .seconds(7)), logger: fixture.logs.logger(.info))
        try await testGracefulShutdown { trigger in
            async let run: Void = service.run()
            #expect(session.graces.withLock { $0.isEmpty })
            trigger.triggerGracefulShutdown()
            try await run
        }
        #expect(session.graces.withLock { $0 } == [.seconds(7)])
        let entry = try #require(fixture.logs.entries.first)
        #expect(entry.metadata["completed"] == "3" && entry.metadata["cancelled"] == "1")
        #expect(fixture.logs.texts == ["info session manager was closed"])
    }

    @Test func `what a kit consists of is the name of its type as text, whatever it stores`() throws {
        let session = DefaultSessionManager()
        let kit = ServerKit(logger: fixture.logs.logger(.info))
        let values: [Any] = [
            kit, kit.sessionService(for: session), try #require(kit.metrics), try #require(kit.tracing),
            SwiftLogLogger(fixture.logs.logger(.info)),
        ]
        for value in values {
            let name = String(reflecting: type(of: value))
            var dumped = ""
            dump(value, to: &dumped)
            #expect(
                "\(value)" == name && String(reflecting: value) == name && dumped.split(separator: "\n").count == 2, "\(name)")
        }
    }

    @Test func `a request under way is completed in the grace period, and new ones are refused`() async throws {
        let arrived = AsyncStream.makeStream(of: Void.self)
        let server = try LoopbackServer { request in
            arrived.continuation.yield()
            return .text("ok").delayed(by: .milliseconds(300))
        }
        let session = DefaultSessionManager()
        let service = DefaultDataTransferService(
            configuration: APIConfiguration(baseURL: server.url), sessionManager: session, serverKit: ServerKit())
        try await testGracefulShutdown { trigger in
            async let run: Void = SessionService(session).run()
            async let text = service.request(Fixture.endpoint)
            for await _ in arrived.stream { break }
            trigger.triggerGracefulShutdown()
            #expect(try await text == "ok")
            try await run
        }
        await #expect(throws: DataTransferError.self) { try await service.request(Fixture.endpoint) }
    }

    @Test func `a request that does not end in the grace period is cancelled`() async throws {
        let arrived = AsyncStream.makeStream(of: Void.self)
        let server = try LoopbackServer { request in
            arrived.continuation.yield()
            return .text("ok").delayed(by: .seconds(120))
        }
        let session = DefaultSessionManager()
        let service = DefaultDataTransferService(
            configuration: APIConfiguration(baseURL: server.url), sessionManager: session,
            pipeline: RequestPipeline { $0.retry = nil },
            serverKit: ServerKit(metrics: nil, tracing: nil))
        await testGracefulShutdown { trigger in
            async let run: Void = SessionService(session, options: SessionServiceOptions(grace: .milliseconds(50))).run()
            async let text = service.request(Fixture.endpoint)
            for await _ in arrived.stream { break }
            trigger.triggerGracefulShutdown()
            try? await run
            do {
                _ = try await text
                Issue.record("the request succeeded")
            } catch {
                #expect((error as? DataTransferError)?.networkError?.transportError?.code == .sessionClosed)
            }
        }
    }

    @Test func `connections are counted while it runs, and are 0 afterwards`() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let session = DefaultSessionManager()
        let kit = ServerKit(metrics: .metrics(factory: fixture.metrics), tracing: nil)
        let service = DefaultDataTransferService(
            configuration: APIConfiguration(baseURL: server.url), sessionManager: session, serverKit: kit)
        _ = try await service.request(Fixture.endpoint)
        func open() -> Double { fixture.metrics.series("http.client.open_connections").map(\.sum).reduce(0, +) }
        try await testGracefulShutdown { trigger in
            async let run: Void = kit.sessionService(
                for: session, options: SessionServiceOptions(countingInterval: .milliseconds(1))
            ).run()
            while open() == 0 { await Task.yield() }
            #expect(open() == 1)
            trigger.triggerGracefulShutdown()
            try await run
        }
        #expect(open() == 0)
    }

    @Test func `a group closes the session manager after the services behind it have ended`() async throws {
        /// A server that still sends a request while it shuts down.
        struct Server: Service {
            let service: DefaultDataTransferService
            let result: AsyncStream<Bool>.Continuation

            func run() async throws {
                try await gracefulShutdown()
                result.yield((try? await service.request(Fixture.endpoint)) == "ok")
                result.finish()
            }
        }
        let server = try LoopbackServer { _ in .text("ok") }
        let session = DefaultSessionManager()
        let service = DefaultDataTransferService(
            configuration: APIConfiguration(baseURL: server.url), sessionManager: session, serverKit: ServerKit())
        let (results, result) = AsyncStream.makeStream(of: Bool.self)
        let group = ServiceGroup(
            services: [SessionService(session), Server(service: service, result: result)], logger: fixture.logs.logger(.info))
        async let run: Void = group.run()
        await group.triggerGracefulShutdown()
        try await run
        #expect(await results.reduce(into: []) { $0.append($1) } == [true])
        await #expect(throws: DataTransferError.self) { try await service.request(Fixture.endpoint) }
    }
}
