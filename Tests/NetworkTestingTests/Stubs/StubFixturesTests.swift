import Foundation
import NetworkTesting
import Testing
import TransferTestSupport

struct StubFixturesTests {
    private struct User: Decodable, Sendable, Equatable { var id: Int }

    private enum Users: MockEndpoint {
        case all, missing
        var request: RequestDescription { .get("users") }
        var mockFileName: String { self == .missing ? "nothing" : "users" }
    }

    private struct Mark: NetworkInterceptor {
        func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
            var request = request
            request.headers["X-Mark"] = "1"
            var response = try await next(request)
            response.headers["X-Seen"] = response.headers["Cache-Control"]
            return response
        }
    }

    private let folder: TemporaryFolder
    private let fixtures: StubFixtures
    private let api: APIConfiguration

    init() throws {
        folder = try TemporaryFolder()
        try Data(#"[{"id": 1}]"#.utf8).write(to: folder.file("users.json"))
        try Data("a,b".utf8).write(to: folder.file("table.csv"))
        fixtures = StubFixtures(folder: folder.url)
        api = try APIConfiguration("https://a.test/v1")
    }

    private func request(_ path: String = "/x", _ method: RequestMethod = .get) throws -> NetworkRequest {
        NetworkRequest(method: method, url: try #require(URL(string: "https://a.test" + path)))
    }

    @Test func `a file becomes a response with its media type, a status and header fields`() async throws {
        let session = StubSessionManager()
        session.enqueue(try .file("users", in: fixtures, status: 203, headers: ["Cache-Control": "max-age=60"]))
        session.enqueue(try .file("table", extension: "csv", in: fixtures))
        session.enqueue(try .file("table", extension: "csv", in: fixtures, headers: ["Content-Type": "text/plain"]))
        let users = try await session.response(for: request())
        #expect(users.statusCode == 203 && users.headers == ["Content-Type": "application/json", "Cache-Control": "max-age=60"])
        #expect(try await session.response(for: request()).headers["Content-Type"] == "text/csv")
        #expect(try await session.response(for: request()).headers["Content-Type"] == "text/plain")
    }

    @Test func `a file that is missing is an explicit failure`() throws {
        let error = #expect(throws: StubFixtureError.self) { try StubResponse.file("nothing", in: fixtures) }
        #expect(error == .mockDataMissing(file: "nothing.json", place: folder.url.path))
        #expect(throws: StubFixtureError.self) { try StubSessionManager().route(Users.missing, with: api, from: fixtures) }
        #expect(throws: StubFixtureError.self) { try StubFixtures(folder: "No Such Folder").data("users") }
        #expect(throws: StubFixtureError.self) { try StubFixtures(bundle: .main).data("no such file") }
    }

    @Test func `files in a folder next to the test's source file are found`() throws {
        try FileManager.default.createDirectory(at: folder.file("Mocks"), withIntermediateDirectories: true)
        try Data("{}".utf8).write(to: folder.file("Mocks/a.json"))
        #expect(try StubFixtures(folder: "Mocks", source: folder.file("Test.swift").path).data("a") == Data("{}".utf8))
    }

    @Test func `requests of mock endpoints pass through interceptors, and other requests fail`() async throws {
        let session = StubSessionManager()
        try session.route(Users.all, with: api, from: fixtures, headers: ["Cache-Control": "no-store"])
        let service = DefaultDataTransferService(configuration: api, sessionManager: session, interceptors: [Mark()])
        let response = try await service.response(for: Users.all.as([User].self))
        #expect(response.value == [User(id: 1)] && response.headers["X-Seen"] == "no-store")
        #expect(session.requests.first?.headers["X-Mark"] == "1")
        let error = await #expect(throws: DataTransferError.self) { try await service.request(Endpoint<User>(path: "other")) }
        #expect(error?.networkError?.transportError?.code == .notStubbed)
    }

    @Test func `one response can be returned for all requests`() async throws {
        let session = StubSessionManager(returning: .text("same"))
        for path in ["/a", "/b"] { #expect(try await session.response(for: request(path, .post)).data == Data("same".utf8)) }
    }
}
