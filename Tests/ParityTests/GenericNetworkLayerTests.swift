import DataTransfer
import EndpointAPIs
import Foundation
import NetworkTesting
import Testing
import TransferTestSupport

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

    @Test(.tags(.endpointEnums, .parameters, .multipartForms))
    func `an enum declares headers, and parameters that are a query, a JSON body or a multipart form`() throws {
        let get = try UserEndpoints.getAllUsers(page: 1).built(with: UserEndpoints.api)
        #expect(get.body == nil && get.headers["Accept"] == "application/json" && !get.headers.contains("Authorization"))
        let post = try UserEndpoints.setCurrentUserData(.make(email: nil)).built(with: UserEndpoints.api)
        #expect(post.url.query == nil && post.text == #"{"id":1,"username":"ada"}"#)
        #expect(post.headers["Content-Type"] == "application/json" && post.headers["Authorization"] == "Bearer token")
        let form = try UserEndpoints.uploadCurrentUserProfileImage(Data("JPEG".utf8)).built(with: UserEndpoints.api)
        #expect(form.headers["Content-Type"]?.hasPrefix("multipart/form-data; boundary=") == true)
        #expect(form.text.contains(#"form-data; name="profile_image"; filename="profile_image.jpg""#))
    }

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

    @Test(.tags(.envelopes), arguments: [200, 422])
    func `an envelope is removed by the decoder, and an error in it is the same typed error with any status`(status: Int)
        async throws
    {
        let session = StubSessionManager()
        session.enqueue(.json(#"{"status": "success", "data": [{"id": 1, "username": "ada"}]}"#))
        session.enqueue(.json(#"{"status": "error", "message": "Not today", "data": null}"#, status: status))
        let service = DefaultDataTransferService.make(session, resolver: ErrorBodyResolver<EnvelopeError>())
        let users = Endpoint<[User]>(path: "users", responseDecoder: .envelope())
        #expect(try await service.request(users) == [.make(email: nil)])
        let error = await failure(of: service, users)
        #expect(error?.resolved(as: EnvelopeError.self) == EnvelopeError(status: "error", message: "Not today"))
        #expect(error?.statusCode == status)
    }

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
    func allUsers() async throws -> [User]
}

private struct UserService: UserServing {
    let transfer: any DataTransferService

    func allUsers() async throws -> [User] {
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
