import DataTransfer
import TransferTestSupport
import Testing

extension RealServerTests {
    struct TimeoutTests {
        @Test(arguments: Engine.all) func `a delay shorter than the timeouts is not an error`(engine: Engine) async throws {
            let response = try await engine.session().send(.get, "\(Servers.httpbin)/delay/1")
            #expect(response.statusCode == 200)
            #expect(response.timings.total >= .seconds(1))
        }

        @Test(arguments: Engine.all) func `a silent server causes an idle timeout`(engine: Engine) async throws {
            // On a busy machine, a short timeout may expire before the request is sent. The server responds after ten seconds.
            let error = try await withTimeouts(from: .milliseconds(400)) { idle -> TransportError? in
                guard idle < .seconds(10) else { return nil }
                let error = try await engine.session { $0.idleTimeout = idle }.failure(.get, "\(Servers.httpbin)/delay/10")
                return !engine.measures || error.phase == .firstByte ? error : nil
            }
            #expect(error?.code == .timedOut)
        }

        @Test(arguments: Engine.all) func `a stalled body causes an idle timeout`(engine: Engine) async throws {
            // On a busy machine, a short timeout may expire before the first byte. The server sends the second one after 40 seconds.
            let error = try await withTimeouts(from: .milliseconds(900)) { idle -> TransportError? in
                guard idle < .seconds(40) else { return nil }
                let error = try await engine.session().failure(
                    .get, "\(Servers.httpbin)/drip?duration=120&numbytes=3&delay=0", timeouts: RequestTimeouts(idle: idle))
                return error.phase == .receive ? error : nil
            }
            #expect(error?.code == .timedOut)
        }

        @Test(arguments: Engine.all) func `a body that is sent slowly causes a total timeout`(engine: Engine) async throws {
            let error = try await engine.session { $0.totalTimeout = .milliseconds(700) }
                .failure(.get, "\(Servers.httpbin)/drip?duration=120&numbytes=1200&delay=0")
            #expect(error.code == .timedOut)
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
