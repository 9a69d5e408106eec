import DataTransfer
import Foundation
import NetworkTesting
import Testing
import TestSupport

/// The features of GenericNetworkLayer, used as in its README: an enum of endpoints, one async call, an envelope, a service
/// protocol with a mock, and a view model that uses it.
@Suite("GenericNetworkLayer") struct GenericNetworkLayerTests {
    struct APIResponse<Value: Codable & Sendable>: Codable, Sendable {
        var status: String?
        var message: String?
        var data: Value?
    }

    enum UserEndpoints: Requestable {
        case getAllUsers(page: Int)
        case getUser(id: Int)
        case setCurrentUserData(User)
        case uploadCurrentUserProfileImage(Data)

        static let api = APIConfiguration.test("https://users.test/api/", headers: ["Accept": "application/json"])

        var request: RequestDescription {
            switch self {
            case .getAllUsers(let page): .get("/users", queryParameters: ["sources": "abc-news", "page": page])
            case .getUser(let id): .get("/user/\(id)/")
            case .setCurrentUserData(let user):
                .post("/user/update/", headerParameters: ["Authorization": "Bearer token"], body: .json(user))
            case .uploadCurrentUserProfileImage(let image):
                .post(
                    "/user/update/photo/",
                    body: .multipart(
                        MultipartForm([
                            .init(
                                name: "profile_image", fileName: "profile_image.jpg", contentType: "application/octet-stream",
                                data: image)
                        ])))
            }
        }
    }

    // MARK: Endpoint enum

    @Test(
        .tags(.endpointEnums),
        arguments: [
            (.getAllUsers(page: 2), "GET https://users.test/api/users?sources=abc-news&page=2"),
            (.getUser(id: 7), "GET https://users.test/api/user/7/"),
            (.setCurrentUserData(.make()), "POST https://users.test/api/user/update/"),
            (.uploadCurrentUserProfileImage(Data()), "POST https://users.test/api/user/update/photo/"),
        ] as [(UserEndpoints, String)])
    func `an enum declares path, method and query of its endpoints`(endpoint: UserEndpoints, line: String) throws {
        let request = try endpoint.built(with: UserEndpoints.api)
        #expect("\(request.method) \(request.url.absoluteString)" == line)
    }

    enum HostedEndpoints: API {
        case getUser(id: Int)
        case update(User)

        var host: String { "users.test" }
        var basePath: String { "/api/" }
        var endpoint: String {
            switch self {
            case .getUser(let id): "/user/\(id)/"
            case .update: "/user/update/"
            }
        }
        var method: RequestMethod { if case .update = self { .post } else { .get } }
        var parameters: RequestParameters {
            switch self {
            case .getUser: .query(["sources": "abc-news"])
            case .update(let user): .json(user)
            }
        }
    }

    @Test func `an enum can declare a base URL, whose path is kept and which is validated`() throws {
        let get = try HostedEndpoints.getUser(id: 7).networkRequest(with: .composed)
        #expect(get.url.absoluteString == "https://users.test/api/user/7/?sources=abc-news")
        let update = try HostedEndpoints.update(.make()).networkRequest(with: .composed)
        #expect(update.url.absoluteString == "https://users.test/api/user/update/" && update.text.contains("ada"))
        struct Broken: API {
            let host = "not a host"
            let endpoint = "users"
        }
        #expect(throws: RequestGenerationError.self) { try Broken().networkRequest(with: .composed) }
    }

    @Test func `headers can differ between the cases of an enum, and are added to the shared ones`() throws {
        let request = try UserEndpoints.setCurrentUserData(.make()).built(with: UserEndpoints.api)
        #expect(request.headers["Authorization"] == "Bearer token")
        #expect(request.headers["Accept"] == "application/json")
        #expect(try !UserEndpoints.getUser(id: 1).built(with: UserEndpoints.api).headers.contains("Authorization"))
    }

    @Test(.tags(.parameters)) func `parameters are sent as the query of a GET, and as the JSON body of other methods`() throws {
        #expect(try UserEndpoints.getAllUsers(page: 1).built().body == nil)
        let post = try UserEndpoints.setCurrentUserData(.make(email: nil)).built()
        #expect(post.url.query == nil)
        #expect(post.text == #"{"id":1,"username":"ada"}"#)
        #expect(post.headers["Content-Type"] == "application/json")
    }

    @Test(.tags(.multipartForms)) func `multipart parts contain name, file name and data`() async throws {
        let server = try LoopbackServer { _ in .json(#"{"status": "success"}"#) }
        let service = DefaultDataTransferService(configuration: APIConfiguration(baseURL: server.url))
        let endpoint = UserEndpoints.uploadCurrentUserProfileImage(Data([0xFF, 0xD8, 0x00]))
        _ = try await service.request(endpoint.as(APIResponse<User>.self))
        let request = try #require(server.requests.first)
        #expect(request.headers["Content-Type"]?.hasPrefix("multipart/form-data; boundary=") == true)
        let head = #"Content-Disposition: form-data; name="profile_image"; filename="profile_image.jpg""#
        #expect(request.body.range(of: Data(head.utf8)) != nil)
        #expect(request.body.range(of: Data("\r\n\r\n".utf8) + [0xFF, 0xD8, 0x00] + Data("\r\n--".utf8)) != nil)
    }

    // MARK: One call

    @Test(.tags(.asyncCalls)) func `one async call sends an endpoint and returns a value of the given type`() async throws {
        let session = StubSessionManager()
        session.enqueue(try .json(encoding: APIResponse(status: "success", message: "The User", data: User.make())))
        let service = DefaultDataTransferService.make(session, configuration: UserEndpoints.api)
        let response = try await service.request(UserEndpoints.getUser(id: 1).as(APIResponse<User>.self))
        #expect(response.data == .make())
        #expect(session.requests.map(\.url.absoluteString) == ["https://users.test/api/user/1/"])
    }

    @Test func `services that are created without a session manager share one`() async throws {
        let server = try LoopbackServer { LoopbackRoute(.get, "/users") { _ in .json("[]") } }
        for _ in 0..<2 {
            let service = DefaultDataTransferService(configuration: APIConfiguration(baseURL: server.url))
            #expect(try await service.request(Endpoint<[User]>(path: "users")) == [])
        }
        #expect(server.connectionCount == 1)
    }

    @Test(
        .tags(.statusErrors),
        arguments: [(199, false), (200, true), (201, true), (206, true), (299, true), (300, false), (400, false), (500, false)])
    func `only statuses from 200 to 299 are a success`(status: Int, isSuccess: Bool) async {
        let session = StubSessionManager()
        session.enqueue(.json("[]", status: status))
        let error = await failure(of: DefaultDataTransferService.make(session), Endpoint<[User]>(path: "users"))
        #expect((error == nil) == isSuccess)
    }

    // MARK: Envelope

    @Test(.tags(.envelopes)) func `an envelope can be decoded like any other type`() async throws {
        let session = StubSessionManager()
        session.enqueue(.json(#"{"status": "success", "message": "All Users", "data": [{"id": 1, "username": "ada"}]}"#))
        let response = try await DefaultDataTransferService.make(session)
            .request(Endpoint<APIResponse<[User]>>(path: "users"))
        #expect(response.status == "success")
        #expect(response.data == [.make(email: nil)])
    }

    @Test(.tags(.envelopes))
    func `an envelope can be removed by the decoder, and an error in it with status 200 is a typed error`() async throws {
        let session = StubSessionManager()
        session.enqueue(.json(#"{"status": "success", "data": [{"id": 1, "username": "ada"}]}"#))
        session.enqueue(.json(#"{"status": "error", "message": "Not today", "data": null}"#))
        let service = DefaultDataTransferService.make(session)
        let users = Endpoint<[User]>(path: "users", responseDecoder: .envelope())
        #expect(try await service.request(users) == [.make(email: nil)])
        let error = await failure(of: service, users)
        #expect(error?.resolved(as: EnvelopeError.self) == EnvelopeError(status: "error", message: "Not today"))
        #expect(error?.statusCode == 200)
    }

    @Test(.tags(.envelopes)) func `an error in the envelope of a 4xx response is the same typed error`() async throws {
        let session = StubSessionManager()
        session.enqueue(.json(#"{"status": "error", "message": "Taken"}"#, status: 422))
        let service = DefaultDataTransferService.make(session, resolver: ErrorBodyResolver<EnvelopeError>())
        let error = await failure(of: service, Endpoint<[User]>(path: "users", responseDecoder: .envelope()))
        #expect(error?.resolved(as: EnvelopeError.self)?.message == "Taken")
    }

    // MARK: Service protocol and view model

    @Test(.tags(.mocks), arguments: [true, false]) @MainActor
    func `a view model works with the service and with its mock`(isMock: Bool) async throws {
        let session = StubSessionManager()
        session.enqueue(.json(#"{"status": "success", "data": [{"id": 1, "username": "ada", "email": "ada@example.com"}]}"#))
        let model = UserListModel(
            service: isMock ? MockUserService(users: [.make()]) : UserService(transfer: DefaultDataTransferService.make(session)))
        await model.load()
        #expect(model.users == [.make()])
        #expect(model.message == nil)
    }

    @Test @MainActor func `a view model shows the error message of the server`() async throws {
        let session = StubSessionManager()
        session.enqueue(.json(#"{"status": "error", "message": "Not today"}"#))
        let model = UserListModel(service: UserService(transfer: DefaultDataTransferService.make(session)))
        await model.load()
        #expect(model.users.isEmpty)
        #expect(model.message == "Not today")
    }
}

private protocol UserServing: Sendable {
    func allUsers() async throws(DataTransferError) -> [User]
}

private struct UserService: UserServing {
    let transfer: any DataTransferService

    func allUsers() async throws(DataTransferError) -> [User] {
        try await transfer.request(
            GenericNetworkLayerTests.UserEndpoints.getAllUsers(page: 1).as([User].self, decoder: .envelope()))
    }
}

private struct MockUserService: UserServing {
    var users: [User]

    func allUsers() -> [User] { users }
}

@MainActor private final class UserListModel {
    private let service: any UserServing
    private(set) var users: [User] = []
    private(set) var message: String?

    init(service: any UserServing) {
        self.service = service
    }

    func load() async {
        do {
            users = try await service.allUsers()
        } catch {
            message = error.resolved(as: EnvelopeError.self)?.message ?? "Something went wrong"
        }
    }
}
