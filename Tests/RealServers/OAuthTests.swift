import DataTransfer
import Foundation
import NetworkAuthorization
import NetworkPipeline
import Testing
import TransferTestSupport

extension RealServerTests {
    /// Authlib issues tokens to this client, rotates its refresh tokens, and revokes everything when one is used twice.
    @Suite(.serialized, .timeLimit(.minutes(10))) struct OAuthTests {
        private static let secret = "secret of the app: 100%"
        private let folder: TemporaryFolder
        private let resource = Endpoint<Grant>(path: "resource")

        private struct Grant: Decodable, Sendable {
            var scope: String
        }

        init() throws {
            folder = try TemporaryFolder()
        }

        private func client(
            _ engine: Engine, _ authentication: OAuthOptions.ClientAuthentication? = nil
        ) throws -> OAuthClient {
            try OAuthClient(
                tokenURL: Servers.oauth + "/token", clientID: authentication == nil ? "public" : "app",
                secret: authentication == nil ? nil : Self.secret,
                options: OAuthOptions(
                    deviceAuthorizationURL: Servers.oauth + "/device", clientAuthentication: authentication ?? .basic),
                session: engine.session())
        }

        private func service(_ engine: Engine, _ credentials: RefreshingCredentials? = nil) throws -> DefaultDataTransferService {
            let api = try APIConfiguration(Servers.oauth)
            return DefaultDataTransferService(
                configuration: api, sessionManager: engine.session(),
                interceptors: credentials.map { [.authentication($0, for: api)] } ?? [])
        }

        /// Signs a user in with the device flow.
        private func signIn(_ engine: Engine, _ oauth: OAuthClient, decision: String = "approve") async throws -> URL {
            let file = folder.file("private/tokens-\(UUID().uuidString).json")
            let server = try service(engine)
            try await oauth.deviceFlow(scope: ["read", "unknown"], savedIn: FileCredentialStore(file)) { prompt in
                #expect(prompt.completeVerificationURL?.absoluteString.contains(prompt.userCode) == true)
                let endpoint = Endpoint<Data>(
                    path: decision, method: .post, queryParameters: ["user_code": prompt.userCode], responseDecoder: .rawData)
                _ = try? await server.request(endpoint)
            }
            return file
        }

        @Test(arguments: Engine.all, [OAuthOptions.ClientAuthentication.body, .unencodedBasic])
        func `Authlib issues a token to a client`(
            engine: Engine, authentication: OAuthOptions.ClientAuthentication
        ) async throws {
            let credentials = try client(engine, authentication).clientCredentials(scope: ["read"])
            let service = try service(engine, credentials)
            for _ in 0..<3 { #expect(try await service.request(resource).scope == "read") }
        }

        // Authlib does not decode the secret, which RFC 6749 §2.3.1 requires.
        @Test(arguments: Engine.all) func `Authlib refuses another secret`(engine: Engine) async throws {
            let service = try service(engine, client(engine, .basic).clientCredentials())
            let error = await #expect(throws: DataTransferError.self) { try await service.request(resource) }
            #expect(error?.description.contains("invalid_client (status 401)") == true, "\(String(describing: error))")
        }

        @Test(arguments: Engine.all) func `a user signs in with the device flow, and another one refuses`(engine: Engine)
            async throws
        {
            let oauth = try client(engine)
            let store = FileCredentialStore(try await signIn(engine, oauth))
            let service = try service(engine, oauth.refreshing(savedIn: store))
            #expect(try await service.request(resource).scope == "read")
            let error = await #expect(throws: OAuthError.self) { try await signIn(engine, oauth, decision: "deny") }
            #expect(error?.code == .accessDenied)
        }

        @Test(arguments: Engine.all) func `Authlib rotates the refresh tokens of several clients of one file`(engine: Engine)
            async throws
        {
            let oauth = try client(engine, .body)
            let file = try await signIn(engine, oauth)
            let store = FileCredentialStore(file)
            let first = try #require(try await store.load())
            let services = try (0..<4).map { _ in
                try service(engine, client(engine, .body).refreshing(savedIn: FileCredentialStore(file)))
            }
            let revoke = Endpoint<Data>(path: "revoke-access", method: .post, responseDecoder: .rawData)
            for round in 1...5 {
                _ = try await service(engine).request(revoke)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<16 {
                        group.addTask {
                            let scope = try await services[number % 4].request(resource).scope
                            #expect(scope == "read")
                        }
                    }
                    try await group.waitForAll()
                }
                let record = try #require(try await store.load())
                // One refresh for 16 requests of 4 clients.
                #expect(record.generation == round && record.pendingSince == nil)
                #expect(record.tokens.refreshToken != first.tokens.refreshToken)
            }
            // A replaced token is refused, and then everything is revoked.
            let copy = InMemoryCredentialStore(
                OAuthTokens(accessToken: "access-of-a-thief", refreshToken: first.tokens.refreshToken, expires: .distantPast))
            let thief = try service(engine, client(engine, .body).refreshing(savedIn: copy))
            let error = await #expect(throws: DataTransferError.self) { try await thief.request(resource) }
            #expect(error?.description.contains("invalid_grant (status 400)") == true)
            let late = await #expect(throws: DataTransferError.self) { try await services[0].request(resource) }
            #expect(late?.description.contains("invalid_grant (status 400)") == true)
        }
    }
}
