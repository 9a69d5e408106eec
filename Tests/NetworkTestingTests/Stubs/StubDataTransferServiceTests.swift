import Foundation
import NetworkTesting
import Testing
import TransferTestSupport

struct StubDataTransferServiceTests {
    private struct User: Decodable, Sendable, Equatable { var id: Int }

    private enum Users: MockEndpoint {
        case all, missing, typed
        var request: RequestDescription { .get("users") }
        var mockFileName: String { self == .missing ? "nothing" : "users" }
        var mockFileExtension: String { self == .typed ? "txt" : "json" }
    }

    private let service: StubDataTransferService
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("fixtures-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(#"{"list": [{"id": 1}]}"#.utf8).write(to: folder.appendingPathComponent("users.json"))
        try Data("[]".utf8).write(to: folder.appendingPathComponent("users.txt"))
        service = StubDataTransferService(fixtures: StubFixtures(folder: folder))
    }

    @Test func `files are decoded by the decoder of the service`() async throws {
        struct User: Decodable, Sendable { var userID: Int }
        struct List: Decodable, Sendable { var list: [User] }
        let decoder = TransferJSONDecoder()
        decoder.keyDecodingStrategy = .custom { $0.count == 3 ? UserKey(stringValue: "userID") : $0[0] }
        let service = StubDataTransferService(fixtures: StubFixtures(folder: folder), decoder: decoder)
        #expect(try await service.request(Users.all.as(List.self)).list.map(\.userID) == [1])
    }

    private struct UserKey: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private func cause(_ endpoint: some ResponseRequestable) async -> StubFixtureError? {
        let error = await #expect(throws: DataTransferError.self) { try await service.request(endpoint) }
        #expect(error?.networkError?.transportError?.code == .notStubbed)
        return error?.networkError?.transportError?.underlying as? StubFixtureError
    }

    @Test func `a mock endpoint receives the response from its file`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(try await service.request(Users.all.as([User].self, keyPath: "list")) == [User(id: 1)])
        #expect(try await service.request(Users.typed.as([User].self)) == [])
        let completed = await withCheckedContinuation { continuation in
            service.request(Users.all.as([User].self, keyPath: "list")) { continuation.resume(returning: try? $0.get()) }
        }
        #expect(completed == [User(id: 1)])
        #expect(service.requests == ["GET users", "GET users", "GET users"])
    }

    @Test func `an endpoint that is not a mock, or has no file, fails with an error that names it`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(await cause(Endpoint<User>(path: "x", method: .post)) == .endpointNotMocked("POST x"))
        #expect(await cause(Users.missing.as(User.self)) == .mockDataMissing(file: "nothing.json", place: folder.path))
    }
}
