import DataTransferServerKit
import Logging
import NetworkCache
import NetworkTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct LoggingTests {
    private let fixture = Fixture()

    private func service(_ level: Logger.Level) throws -> DefaultDataTransferService {
        try fixture.service(
            ServerKit(logger: fixture.logs.logger(level), metrics: nil, tracing: nil), query: ["api_key": "s3cr3t"])
    }

    @Test func `attempts are logged at trace and debug, failed ones too, and a call that succeeds at debug`() async throws {
        fixture.session.enqueue(.failure(.connectionLost))
        fixture.session.enqueue(.text("ok"))
        _ = try await service(.trace).request(Fixture.endpoint)
        #expect(
            fixture.logs.texts == [
                "trace request is sent", "debug request failed", "trace request is sent", "debug response was received",
                "debug call succeeded",
            ])
    }

    @Test func `at info, a call that fails has one entry, at the level of its outcome, and any other has none`() async throws {
        let number = Endpoint<Int>(path: "movie/{id}", pathParameters: ["id": 7])
        let rows: [(StubResponse, Endpoint<Int>, entries: [String], type: String?)] = [
            (.json("7"), number, [], nil),
            (.failure(.cancelled), number, [], nil),
            (.status(404), number, ["info call failed"], "404"),
            (.status(499), number, ["info call failed"], "499"),
            (.status(500), number, ["error call failed"], "500"),
            (.status(503), number, ["error call failed"], "503"),
            (.failure(.connectionLost), number, ["error call failed"], "connectionLost"),
            (.failure(.tlsFailed), number, ["error call failed"], "tlsFailed"),
            (.json("7"), Endpoint(path: "movie/{id}"), ["error call failed"], "invalidRequest"),
            (.text("no number"), number, ["error data transfer failed"], "DataTransferError.parsing"),
        ]
        for (index, (stub, endpoint, entries, type)) in rows.enumerated() {
            let fixture = Fixture()
            fixture.session.route { _ in stub }
            let service = try fixture.service(ServerKit(logger: fixture.logs.logger(.info), metrics: nil, tracing: nil)) {
                $0.breaker = nil
            }
            _ = try? await service.request(endpoint)
            #expect(fixture.logs.texts == entries, "row \(index)")
            #expect(fixture.logs.entries.first?.metadata["error.type"] == type, "row \(index)")
        }
    }

    @Test func `at debug, a 404 is the response, and the failure of the call`() async throws {
        fixture.session.route { _ in .status(404) }
        await #expect(throws: DataTransferError.self) { try await service(.debug).request(Fixture.endpoint) }
        #expect(fixture.logs.texts == ["debug response was received", "info call failed", "debug data transfer failed"])
        #expect(fixture.logs.entries[1].metadata["http.response.status_code"] == "404")
    }

    @Test func `a call that a circuit breaker refuses has one entry, and a cache that fails has a warning`() async throws {
        fixture.session.route { _ in .status(500) }
        let kit = ServerKit(logger: fixture.logs.logger(.info), metrics: nil, tracing: nil)
        let breaker = CircuitBreaker(options: CircuitBreakerOptions(minimumOutcomes: 1, openDuration: .seconds(3600)))
        let service = try fixture.service(kit) {
            $0.retry = nil
            $0.breaker = breaker
        }
        for _ in 0..<3 { _ = try? await service.request(Fixture.endpoint) }
        #expect(fixture.logs.texts == ["error call failed", "error call failed", "error call failed"])
        SwiftLogLogger(fixture.logs.logger(.info)).log(error: CacheStoreError(.diskFull, "no space"), for: nil)
        #expect(fixture.logs.texts.last == "warning cache failed")
    }

    @Test func `metadata have the names of the semantic conventions`() async throws {
        fixture.session.enqueue(.failure(.connectionLost))
        fixture.session.enqueue(.text("ok"))
        _ = try await service(.trace).request(Fixture.endpoint)
        let sent = fixture.logs.entries[2].metadata
        #expect(sent["http.request.method"] == "GET")
        #expect(sent["server.address"] == "api.test")
        #expect(sent["server.port"] == "8443")
        #expect(sent["url.template"] == "movie/{id}")
        #expect(sent["url.full"]?.hasPrefix("https://api.test:8443/3/movie/7?api_key=") == true)
        #expect(sent["http.request.resend_count"] == "1")
        #expect(fixture.logs.entries[1].metadata["error.type"] == "connectionLost")
        #expect(fixture.logs.entries[3].metadata["http.response.status_code"] == "200")
    }

    @Test func `no secret is logged at any level`() async throws {
        fixture.session.enqueue(.json(#"{"password": "hunter2"}"#, status: 500))
        fixture.session.route { _ in .json(#"{"password": "hunter2"}"#, status: 400) }
        var endpoint = Fixture.endpoint
        endpoint.headerParameters = ["Authorization": "Bearer t0ken"]
        await #expect(throws: DataTransferError.self) { try await service(.trace).request(endpoint) }
        let all = fixture.logs.entries.map { "\($0)" }.joined()
        #expect(!fixture.logs.entries.isEmpty)
        for secret in ["s3cr3t", "hunter2", "t0ken"] { #expect(!all.contains(secret), "\(secret)") }
    }

    @Test func `above debug, only failures are recorded`() {
        #expect(SwiftLogLogger(fixture.logs.logger(.info)).logsOnlyFailures)
        #expect(!SwiftLogLogger(fixture.logs.logger(.debug)).logsOnlyFailures)
        #expect(!SwiftLogLogger(fixture.logs.logger(.critical)).isEnabled)
    }

    @Test func `a response that cannot be decoded is an error, and a failed call is not reported twice above debug`() async throws
    {
        fixture.session.enqueue(.text("no number"))
        let number = Endpoint<Int>(path: "movie/{id}", pathParameters: ["id": 7])
        await #expect(throws: DataTransferError.self) { try await service(.debug).request(number) }
        #expect(fixture.logs.texts.last == "error data transfer failed")
        fixture.session.route { _ in .failure(.tlsFailed) }
        await #expect(throws: DataTransferError.self) { try await service(.debug).request(number) }
        #expect(fixture.logs.texts.suffix(3) == ["debug request failed", "error call failed", "debug data transfer failed"])
    }
}
