import DataTransferServerKit
import Logging
import NetworkTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct LoggingTests {
    private let fixture = Fixture()

    private func service(_ level: Logger.Level) throws -> DefaultDataTransferService {
        try fixture.service(
            ServerKit(logger: fixture.logs.logger(level), metrics: nil, tracing: nil), query: ["api_key": "s3cr3t"])
    }

    @Test func `attempts are logged at trace and debug, failed ones at info, and the call at debug`() async throws {
        fixture.session.enqueue(.failure(.connectionLost))
        fixture.session.enqueue(.text("ok"))
        _ = try await service(.trace).request(Fixture.endpoint)
        #expect(
            fixture.logs.texts == [
                "trace request is sent", "info request failed", "trace request is sent", "debug response was received",
                "debug call succeeded",
            ])
    }

    @Test(arguments: [(404, "info"), (503, "error")])
    func `a call that failed is an error unless the server refused the request`(status: Int, level: String) async throws {
        fixture.session.route { _ in .status(status) }
        await #expect(throws: DataTransferError.self) { try await service(.info).request(Fixture.endpoint) }
        #expect(fixture.logs.texts.last == "\(level) call failed")
        #expect(fixture.logs.entries.last?.metadata["http.response.status_code"] == "\(status)")
        #expect(fixture.logs.entries.last?.metadata["error.type"] == "\(status)")
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

    @Test func `at info, a call that succeeds is not logged, and one that is cancelled neither`() async throws {
        fixture.session.enqueue(.text("ok"))
        fixture.session.enqueue(.failure(.cancelled))
        let service = try service(.info)
        _ = try await service.request(Fixture.endpoint)
        await #expect(throws: DataTransferError.self) { try await service.request(Fixture.endpoint) }
        #expect(fixture.logs.texts.isEmpty)
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
        #expect(fixture.logs.texts.suffix(3) == ["info request failed", "error call failed", "debug data transfer failed"])
    }
}
