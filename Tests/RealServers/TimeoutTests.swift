import DataTransfer
import Testing

extension RealServerTests {
    struct TimeoutTests {
        @Test(arguments: Engine.all) func `a delay shorter than the timeouts is not an error`(engine: Engine) async throws {
            let response = try await engine.session().send(.get, "\(Servers.httpbin)/delay/1")
            #expect(response.statusCode == 200)
            #expect(response.timings.total >= .seconds(1))
        }

        @Test(arguments: Engine.all) func `a silent server causes an idle timeout`(engine: Engine) async throws {
            let start = ContinuousClock.now
            let error = try await engine.session { $0.idleTimeout = .milliseconds(400) }
                .failure(.get, "\(Servers.httpbin)/delay/10")
            #expect(error.code == .timedOut)
            if engine.measures { #expect(error.phase == .firstByte) }
            #expect(ContinuousClock.now - start < .seconds(8))
        }

        @Test(arguments: Engine.all) func `a stalled body causes an idle timeout`(engine: Engine) async throws {
            let error = try await engine.session().failure(
                .get, "\(Servers.httpbin)/drip?duration=20&numbytes=3&delay=0",
                timeouts: RequestTimeouts(idle: .milliseconds(900)))
            #expect(error.code == .timedOut)
            #expect(error.phase == .receive)
        }

        @Test(arguments: Engine.all) func `a body that is sent slowly causes a total timeout`(engine: Engine) async throws {
            let start = ContinuousClock.now
            let error = try await engine.session { $0.totalTimeout = .milliseconds(700) }
                .failure(.get, "\(Servers.httpbin)/drip?duration=10&numbytes=100&delay=0")
            #expect(error.code == .timedOut)
            #expect(ContinuousClock.now - start < .seconds(8))
        }

        @Test(arguments: Engine.all) func `the total timeout includes redirects`(engine: Engine) async throws {
            let target = "\(Servers.httpbin)/delay/9".encoded
            let error = try await engine.session().failure(
                .get, "\(Servers.httpbin)/redirect-to?url=\(target)", timeouts: RequestTimeouts(total: .milliseconds(700)))
            #expect(error.code == .timedOut)
        }

        @Test(arguments: Engine.all) func `a session manager stays usable after a timeout`(engine: Engine) async throws {
            let session = engine.session { $0.maximumConnectionsPerHost = 1 }
            _ = try await session.failure(
                .get, "\(Servers.httpbin)/delay/10", timeouts: RequestTimeouts(idle: .milliseconds(200)))
            #expect(try await session.send(.get, "\(Servers.httpbin)/get").statusCode == 200)
        }
    }
}
