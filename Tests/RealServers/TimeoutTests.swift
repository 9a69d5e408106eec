import DataTransfer
import Testing

extension RealServerTests {
    struct TimeoutTests {
        @Test(arguments: Engine.all) func `a delay within the limits is waited for`(engine: Engine) async throws {
            let response = try await engine.session().send(.get, "\(Servers.httpbin)/delay/1")
            #expect(response.statusCode == 200)
            #expect(response.timings.total >= .seconds(1))
        }

        @Test(arguments: Engine.all) func `a silent server runs into the idle limit`(engine: Engine) async throws {
            let start = ContinuousClock.now
            let error = try await engine.session { $0.idleTimeout = .milliseconds(400) }
                .failure(.get, "\(Servers.httpbin)/delay/10")
            #expect(error.code == .timedOut)
            if engine.measures { #expect(error.phase == .firstByte) }
            #expect(ContinuousClock.now - start < .seconds(8))
        }

        @Test(arguments: Engine.all) func `a stalled body runs into the idle limit`(engine: Engine) async throws {
            let error = try await engine.session().failure(
                .get, "\(Servers.httpbin)/drip?duration=20&numbytes=3&delay=0",
                timeouts: RequestTimeouts(idle: .milliseconds(900)))
            #expect(error.code == .timedOut)
            #expect(error.phase == .receive)
        }

        @Test(arguments: Engine.all) func `a drip runs into the total limit`(engine: Engine) async throws {
            let start = ContinuousClock.now
            let error = try await engine.session { $0.totalTimeout = .milliseconds(700) }
                .failure(.get, "\(Servers.httpbin)/drip?duration=10&numbytes=100&delay=0")
            #expect(error.code == .timedOut)
            #expect(ContinuousClock.now - start < .seconds(8))
        }

        @Test(arguments: Engine.all) func `the total limit covers redirects`(engine: Engine) async throws {
            let target = "\(Servers.httpbin)/delay/9".encoded
            let error = try await engine.session().failure(
                .get, "\(Servers.httpbin)/redirect-to?url=\(target)", timeouts: RequestTimeouts(total: .milliseconds(700)))
            #expect(error.code == .timedOut)
        }

        @Test(arguments: Engine.all) func `after a timeout the session goes on`(engine: Engine) async throws {
            let session = engine.session { $0.maximumConnectionsPerHost = 1 }
            _ = try await session.failure(
                .get, "\(Servers.httpbin)/delay/10", timeouts: RequestTimeouts(idle: .milliseconds(200)))
            #expect(try await session.send(.get, "\(Servers.httpbin)/get").statusCode == 200)
        }
    }
}
