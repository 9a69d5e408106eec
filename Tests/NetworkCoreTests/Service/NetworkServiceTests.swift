import Endpoints
import Foundation
import NetworkCore
import NetworkSupport
import NetworkTesting
import Testing

struct NetworkServiceTests {
    let session = StubSessionManager()
    let logger = InMemoryLogger()

    private func service(interceptors: [any NetworkInterceptor] = []) throws -> DefaultNetworkService {
        DefaultNetworkService(
            configuration: try APIConfiguration("http://api.example/v1", headers: ["X-Shared": "1"]), sessionManager: session,
            interceptors: interceptors, logger: logger)
    }

    /// The results of the completion handler form and of the async form, which must be equal.
    private func outcomes(
        _ endpoint: some Requestable, interceptors: [any NetworkInterceptor] = []
    ) async throws -> [Result<NetworkResponse, NetworkError>] {
        let service = try service(interceptors: interceptors)
        let completed = await withCheckedContinuation { continuation in
            service.response(for: endpoint) { continuation.resume(returning: $0) }
        }
        do throws(NetworkError) {
            return [completed, .success(try await service.response(for: endpoint))]
        } catch {
            return [completed, .failure(error)]
        }
    }

    @Test func `an endpoint is sent as a request to the configured base URL with the shared headers`() async throws {
        session.route(.json("[]"), for: "/v1/users")
        for outcome in try await outcomes(Endpoint<Data>(path: "users", responseDecoder: .rawData)) {
            #expect(try outcome.get().data == Data("[]".utf8))
        }
        #expect(session.requests.map(\.url.absoluteString) == ["http://api.example/v1/users", "http://api.example/v1/users"])
        #expect(session.requests.allSatisfy { $0.headers["X-Shared"] == "1" })
    }

    @Test(arguments: [199, 300, 304, 400, 404, 500, 503])
    func `a status outside 200..<300 is an error that carries the response`(status: Int) async throws {
        session.route { _ in .json(#"{"code": 7}"#, status: status, headers: ["X-Id": "9"]) }
        for outcome in try await outcomes(Endpoint<Void>(path: "x")) {
            let error = #expect(throws: NetworkError.self) { try outcome.get() }
            #expect(error?.statusCode == status)
            #expect(error?.response?.headers["X-Id"] == "9" && error?.response?.data == Data(#"{"code": 7}"#.utf8))
            #expect(error?.isRetryable == (status == 503))
        }
        #expect(logger.networkErrors.count == 2 && logger.responses.count == 2, "each failure is logged once")
    }

    @Test func `an endpoint can accept other statuses`() async throws {
        session.route { _ in .status(404) }
        for outcome in try await outcomes(Endpoint<Void>(path: "x", acceptedStatuses: .success + [404])) {
            #expect(try outcome.get().statusCode == 404)
        }
    }

    @Test(
        arguments: [
            (TransportError.Code.cancelled, TransportError.Phase?.none), (.timedOut, .connect), (.nameLookupFailed, .nameLookup),
            (.cannotConnect, .connect), (.connectionLost, .receive), (.tlsFailed, .tls), (.bodyTooLarge, .receive),
        ])
    func `a transport error sets the error's category properties`(code: TransportError.Code, phase: TransportError.Phase?)
        async throws
    {
        session.route { _ in .failure(code, phase: phase) }
        for outcome in try await outcomes(Endpoint<Void>(path: "x")) {
            let error = try #require(#expect(throws: NetworkError.self) { try outcome.get() })
            #expect(error.transportError?.code == code && error.statusCode == nil)
            #expect(error.isCancelled == (code == .cancelled) && error.isTimeout == (code == .timedOut))
            #expect(error.isConnectivity == [.timedOut, .nameLookupFailed, .cannotConnect, .connectionLost].contains(code))
            #expect(error.description.contains("GET http://api.example/v1/x"))
        }
        #expect(logger.networkErrors.count == 2 && logger.requests.count == 2 && logger.responses.isEmpty)
    }

    @Test func `a request that cannot be built is an error that names the invalid field and is logged once`() async throws {
        for outcome in try await outcomes(Endpoint<Void>(path: "x", headerParameters: ["A B": "1"])) {
            let error = #expect(throws: NetworkError.self) { try outcome.get() }
            guard case .requestGeneration(let cause) = error else { throw TransportError(.other, "another error") }
            #expect(cause.field == .headerName("A B"))
        }
        #expect(logger.networkErrors.count == 2 && session.requests.isEmpty)
    }

    @Test func `the configuration is read for each request`() async throws {
        struct Rotating: NetworkConfigurable {
            let count = Locked(0)
            let baseURL = URL(fileURLWithPath: "/").absoluteURL
            var headers: HeaderFields {
                ["X-Count": "\(count.withLock { count in count += 1; return count })"]
            }
        }
        let rotating = Rotating()
        session.route { _ in .status(200) }
        let service = DefaultNetworkService(configuration: rotating, sessionManager: session)
        for _ in 0..<2 {
            _ = try await service.response(for: Endpoint<Void>(path: "http://h.example/x", isFullPath: true))
        }
        #expect(session.requests.count == 2)
        #expect(rotating.count.withLock { $0 } == 2)
    }

    @Test func `a disabled logger receives nothing`() async throws {
        session.route { _ in .status(500) }
        let service = DefaultNetworkService(
            configuration: try APIConfiguration("http://h.example"), sessionManager: session, logger: .silent)
        await #expect(throws: NetworkError.self) { try await service.response(for: Endpoint<Void>(path: "x")) }
    }

    @Test func `cancelling a task or a handle cancels the request in the session manager`() async throws {
        session.route { _ in .silence }
        let service = try service()
        let task = Task { () -> NetworkError? in
            do throws(NetworkError) { _ = try await service.response(for: Endpoint<Void>(path: "x")) } catch { return error }
            return nil
        }
        while session.waitingCount == 0 { await Task.yield() }
        task.cancel()
        #expect(await task.value?.isCancelled == true)
        let (stream, results) = AsyncStream.makeStream(of: Result<NetworkResponse, NetworkError>.self)
        let handle = service.response(for: Endpoint<Void>(path: "x")) {
            results.yield($0)
            results.finish()
        }
        handle.cancel()
        for await result in stream {
            #expect(throws: NetworkError.self) { try result.get() }
        }
        #expect(session.waitingCount == 0)
    }

    struct Mark: NetworkInterceptor {
        let name: String

        func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
            var request = request
            request.headers.add(name, for: "X-Mark")
            var response = try await next(request)
            response.headers.add(name, for: "X-Back")
            return response
        }
    }

    @Test func `interceptors run in order for requests and in reverse for responses, in both forms`() async throws {
        session.route { _ in .status(200) }
        for outcome in try await outcomes(Endpoint<Void>(path: "x"), interceptors: [Mark(name: "a"), Mark(name: "b")]) {
            #expect(try outcome.get().headers.values(for: "X-Back") == ["b", "a"])
        }
        #expect(session.requests.allSatisfy { $0.headers.values(for: "X-Mark") == ["a", "b"] })
    }

    @Test func `cancelling the handle also cancels requests that pass through interceptors`() async throws {
        session.route { _ in .silence }
        let service = try service(interceptors: [Mark(name: "a")])
        let (stream, results) = AsyncStream.makeStream(of: Bool.self)
        let handle = service.response(for: Endpoint<Void>(path: "x")) { result in
            if case .failure(let error) = result { results.yield(error.isCancelled) }
            results.finish()
        }
        while session.waitingCount == 0 { await Task.yield() }
        handle.cancel()
        var seen: [Bool] = []
        for await isCancelled in stream { seen.append(isCancelled) }
        #expect(seen == [true])
    }
}
