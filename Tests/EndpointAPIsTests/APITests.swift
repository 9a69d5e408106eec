import DataTransfer
import EndpointAPIs
import Foundation
import NetworkTesting
import Testing
import TransferTestSupport

/// Checks that the properties of an ``API`` apply to its requests.
@Suite(.timeLimit(.minutes(10)))
struct APITests {
    struct Film: Codable, Sendable, Equatable { let id: Int }

    enum FilmAPI: API, ResponseRequestable, MockEndpoint {
        typealias Response = [Film]
        case popular, quiet(port: Int = 0), stalled(port: Int), private_(String)

        var scheme: String { if case .popular = self { "https" } else { "http" } }
        var host: String {
            switch self {
            case .popular: "films.test"
            case .private_(let host): host
            default: "127.0.0.1"
            }
        }
        var port: Int? {
            switch self {
            case .popular, .private_: nil
            case .quiet(let port), .stalled(let port): port
            }
        }
        var basePath: String { "3" }
        var endpoint: String { "/films" }
        var timeout: Duration? { if case .stalled = self { .milliseconds(50) } else { nil } }
        var shouldLog: Bool { if case .quiet = self { false } else { true } }
        var mockFileName: String { "films" }
    }

    enum PeopleAPI: API, ResponseRequestable {
        typealias Response = [String]
        case all

        var host: String { "people.test" }
        var endpoint: String { "people" }
    }

    @Test func `one service sends requests to APIs with different hosts`() async throws {
        let session = StubSessionManager()
        session.route { request in
            switch request.url.absoluteString {
            case "https://films.test/3/films": .json(#"[{"id": 1}]"#)
            case "https://people.test/people": .json(#"["ada"]"#)
            default: nil
            }
        }
        let service = DefaultDataTransferService(configuration: .composed, sessionManager: session)
        #expect(try await service.request(FilmAPI.popular) == [Film(id: 1)])
        #expect(try await service.request(PeopleAPI.all) == ["ada"])
        let (films, people) = try await service.concurrently(FilmAPI.popular, PeopleAPI.all)
        #expect(films.count == 1 && people.count == 1)
    }

    @Test func `an invalid host in an API fails the request with an error that names the field`() async {
        let service = DefaultDataTransferService(configuration: .composed, sessionManager: StubSessionManager())
        let error = await #expect(throws: DataTransferError.self) { try await service.request(FilmAPI.private_("a b")) }
        guard case .networkFailure(.requestGeneration(let cause)) = error else { return #expect(error == nil) }
        #expect(cause.field == .host)
    }

    @Test func `the timeout of an API applies to its requests`() async throws {
        let server = try LoopbackServer { _ in LoopbackResponse.text("").fault(.stall) }
        let service = DefaultDataTransferService(configuration: .composed)
        let error = await #expect(throws: DataTransferError.self) {
            try await service.request(FilmAPI.stalled(port: server.port))
        }
        #expect(error?.isTimeout == true)
    }

    @Test func `requests of an API with logging disabled are never logged, in any call form and with any outcome`() async throws {
        let server = try LoopbackServer { _ in .json("[]") }
        let (network, values) = (InMemoryLogger(), InMemoryLogger())
        let service = DefaultDataTransferService(
            configuration: .composed, networkLogger: network, errorLogger: values)
        _ = try await service.request(FilmAPI.quiet(port: server.port))
        for try await _ in try await service.stream(for: FilmAPI.quiet(port: server.port)) {}
        let completed = await outcome { service.request(FilmAPI.quiet(port: server.port), completion: $0) }
        #expect(try completed.get().isEmpty)
        _ = try? await service.request(FilmAPI.quiet(port: 0))
        // No server listens on port 1, and the system never assigns it to a test server.
        _ = try? await service.request(FilmAPI.quiet(port: 1))
        #expect(network.events.isEmpty)
        #expect(!values.events.isEmpty, "the logger of the upper layer receives failures too")
        _ = try? await service.request(FilmAPI.private_("127.0.0.1"))
        #expect(!network.events.isEmpty)
    }

    @Test func `a stub service responds to a mocked API with the content of its file`() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data(#"[{"id": 3}]"#.utf8).write(to: folder.appendingPathComponent("films.json"))
        let service: any DataTransferService = StubDataTransferService(fixtures: StubFixtures(folder: folder))
        #expect(try await service.request(FilmAPI.popular) == [Film(id: 3)])
        let error = await #expect(throws: DataTransferError.self) { try await service.request(PeopleAPI.all) }
        #expect(error?.networkError?.transportError?.code == .notStubbed)
    }

    @Test func `a download from one host does not resume a partial download from another host`() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        func server(_ letter: String, _ fault: LoopbackFault?) throws -> LoopbackServer {
            try LoopbackServer { _ in
                var response = LoopbackResponse(
                    headers: ["ETag": "\"same\""], body: Data(String(repeating: letter, count: 100).utf8))
                if let fault { response = response.fault(fault) }
                return response
            }
        }
        let (first, second) = (try server("a", .truncateBody(after: 40)), try server("b", nil))
        let service = DefaultDataTransferService(configuration: .composed)
        let file = folder.appendingPathComponent("file")
        await #expect(throws: DataTransferError.self) {
            try await service.download(FilmAPI.quiet(port: first.port), to: .file(file))
        }
        let result = try await service.download(FilmAPI.quiet(port: second.port), to: .file(file))
        #expect(result.resumedFrom == 0)
        #expect(try String(contentsOf: file, encoding: .utf8) == String(repeating: "b", count: 100))
        #expect(second.requests.first?.headers["Range"] == nil)
    }

    @Test func `the pages of an API follow links relative to its host`() async throws {
        let session = StubSessionManager()
        session.route { request in
            request.url.query == "page=2"
                ? .json(#"[{"id": 2}]"#)
                : .json(#"[{"id": 1}]"#, headers: ["Link": "</3/films?page=2>; rel=\"next\""])
        }
        let service = DefaultDataTransferService(configuration: .composed, sessionManager: session)
        var ids: [Int] = []
        for try await page in service.pages(of: FilmAPI.popular, by: .linkHeader) { ids += page.value.map(\.id) }
        #expect(ids == [1, 2])
        #expect(
            session.requests.map(\.url.absoluteString) == ["https://films.test/3/films", "https://films.test/3/films?page=2"])
    }
}
