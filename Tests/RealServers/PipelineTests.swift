import DataTransfer
import Foundation
import NetworkObservation
import NetworkPipeline
import NetworkSupport
import Testing

extension RealServerTests {
    /// The interceptors with independent servers.
    @Suite(.timeLimit(.minutes(10))) struct PipelineTests {
        private func service(
            _ engine: Engine, _ interceptors: [any NetworkInterceptor]
        ) throws -> DefaultDataTransferService {
            DefaultDataTransferService(
                configuration: try APIConfiguration(Servers.httpbin), sessionManager: engine.session(), interceptors: interceptors
            )
        }

        @Test(arguments: Engine.all) func `a GET with a 503 is retried up to the maximum number of attempts, and a POST is not`(
            engine: Engine
        ) async throws {
            let attempts = Locked(0)
            let observation = ObservationInterceptor.observation { event in
                if case .attempted = event.kind { attempts.withLock { $0 += 1 } }
            }
            let service = try service(
                engine, [observation, .retry(RetryOptions(maximumAttempts: 4, backoff: Backoff(base: .milliseconds(5))))])
            let error = await #expect(throws: DataTransferError.self) {
                try await service.request(Endpoint<Void>(path: "status/503"))
            }
            #expect(error?.statusCode == 503)
            #expect(attempts.withLock { $0 } == 4)
            attempts.withLock { $0 = 0 }
            await #expect(throws: DataTransferError.self) {
                try await service.request(Endpoint<Void>(path: "status/503", method: .post))
            }
            #expect(attempts.withLock { $0 } == 1)
        }

        @Test(arguments: Engine.all) func `refused credentials are refreshed once for all concurrent requests`(engine: Engine)
            async throws
        {
            let api = try APIConfiguration(Servers.httpbin)
            let credentials = RefreshingCredentials(initial: .basic(user: "user", password: "old")) { _ in
                .basic(user: "user", password: "pass")
            }
            let service = try service(engine, [.authentication(credentials, for: api)])
            let users = await withTaskGroup(of: String?.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        try? await service.request(Endpoint<String>(path: "basic-auth/user/pass", keyPath: "user"))
                    }
                }
                return await group.reduce(into: [String?]()) { $0.append($1) }
            }
            #expect(users == Array(repeating: "user", count: 20))
            #expect(credentials.refreshCount == 1)
        }

        @Test(arguments: Engine.all) func `a token is sent only to its origin`(engine: Engine) async throws {
            let api = try APIConfiguration(Servers.httpbin)
            let service = try service(engine, [.authentication(.bearer("abc"), for: api)])
            #expect(try await service.request(Endpoint<String>(path: "bearer", keyPath: "token")) == "abc")
            let error = await #expect(throws: DataTransferError.self) {
                try await service.request(
                    Endpoint<String>(path: Servers.otherHttpbin + "/bearer", isFullPath: true, keyPath: "token"))
            }
            #expect(error?.statusCode == 401)
        }

        @Test(arguments: Engine.all) func `a slow response exceeds the deadline`(engine: Engine) async throws {
            let service = try service(engine, [.deadline(.milliseconds(500)), .retry()])
            let error = await #expect(throws: DataTransferError.self) {
                try await service.request(Endpoint<Void>(path: "delay/10"))
            }
            #expect(error?.isTimeout == true)
        }

        @Test(arguments: Engine.all) func `header fields that interceptors add are sent`(engine: Engine) async throws {
            let api = try APIConfiguration(Servers.httpbin)
            let trace = try #require(TraceContext(traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"))
            let service = try service(engine, [.headers(for: api) { _ in ["X-Session": "7"] }, .trace])
            let headers = try await TraceContext.$current.withValue(trace) {
                try await service.request(Endpoint<[String: String]>(path: "headers", keyPath: "headers"))
            }
            #expect(headers["X-Session"] == "7")
            #expect(headers["Traceparent"]?.hasPrefix("00-4bf92f3577b34da6a3ce929d0e0e4736-") == true)
            #expect(headers["Traceparent"]?.contains("00f067aa0ba902b7") == false)
        }
    }
}
