import DataTransfer
import Foundation
import Testing

extension RealServerTests {
    @Suite(.timeLimit(.minutes(10))) struct AuthenticationTests {
        @Test(arguments: Engine.all, ["basic-auth/user/pass", "digest-auth/auth/user/pass", "bearer"])
        func `a 401 is returned as a response`(engine: Engine, path: String) async throws {
            let session = engine.session()
            let response = try await session.send(.get, "\(Servers.httpbin)/\(path)")
            #expect(response.statusCode == 401)
            #expect(response.headers["WWW-Authenticate"] != nil)
            #expect(try await session.send(.get, "\(Servers.httpbin)/get").statusCode == 200)
        }

        @Test(arguments: Engine.all, [RequestMethod.post, .put, .delete])
        func `a 401 is returned as a response for any method`(engine: Engine, method: RequestMethod) async throws {
            let response = try await engine.session().send(
                method, "\(Servers.httpbin)/status/401", body: Data("body".utf8))
            #expect(response.statusCode == 401)
            #expect(response.headers["WWW-Authenticate"] == "Basic realm=\"Fake Realm\"")
        }

        @Test(arguments: Engine.all) func `Basic credentials are accepted with the first request`(engine: Engine) async throws {
            let credentials = "Basic " + Data("user:pass".utf8).base64EncodedString()
            let response = try await engine.session().send(
                .get, "\(Servers.httpbin)/basic-auth/user/pass", headers: ["Authorization": credentials])
            #expect(response.statusCode == 200)
            #expect(response.text.contains("\"user\": \"user\""))
        }

        @Test(arguments: Engine.all) func `a request with wrong credentials returns a 401`(engine: Engine) async throws {
            let credentials = "Basic " + Data("user:wrong".utf8).base64EncodedString()
            let response = try await engine.session().send(
                .get, "\(Servers.httpbin)/basic-auth/user/pass", headers: ["Authorization": credentials])
            #expect(response.statusCode == 401)
        }

        @Test(arguments: Engine.all) func `a bearer token is accepted`(engine: Engine) async throws {
            let response = try await engine.session().send(
                .get, "\(Servers.httpbin)/bearer", headers: ["Authorization": "Bearer abc"])
            #expect(response.statusCode == 200)
            #expect(response.text.contains("\"token\": \"abc\""))
        }

        @Test(arguments: Engine.all) func `user information in a URL is sent as Basic credentials`(engine: Engine) async throws {
            let response = try await engine.session().send(
                .get, "\(Servers.httpbin)/basic-auth/user/p@ss:".with(userInformation: "user:p%40ss%3A"))
            #expect(response.statusCode == 200)
            #expect(!response.url.absoluteString.contains("p%40ss%3A"))
        }
    }
}
