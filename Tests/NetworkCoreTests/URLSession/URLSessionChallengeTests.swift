import Endpoints
import Foundation
import NetworkCore
import NetworkTesting
import Testing
import NetworkURLSession

extension URLSessionTests {
    @Suite(.timeLimit(.minutes(10))) struct URLSessionChallengeTests {
        private let manager = URLSessionManager()

        @Test(arguments: [
            "Basic realm=\"x\"", "Basic", "Bearer", "Bearer, Basic realm=\"x\"", "Digest realm=\"x\", nonce=\"1\"", "Negotiate",
            nil,
        ])
        func `a 401 is returned as a response, with any challenge`(challenge: String?) async throws {
            let server = try LoopbackServer { _ in
                let refusal = LoopbackResponse.text("name?", status: 401)
                return challenge.map { refusal.header($0, for: "WWW-Authenticate") } ?? refusal
            }
            var request = NetworkRequest(url: server.url("/"))
            for _ in 0..<2 {
                let response = try await manager.response(for: request)
                #expect(response.statusCode == 401 && response.text == "name?")
                #expect(response.headers["WWW-Authenticate"] == challenge)
                request.headers["Authorization"] = "Basic d3Jvbmc6d3Jvbmc="
            }
            #expect(server.requestCount == 2)
        }

        @Test func `the large body of a 401 response to an upload is received`() async throws {
            let body = Data(repeating: 0x61, count: 500_000)
            let server = try LoopbackServer { _ in
                LoopbackResponse.data(body, status: 401).header("Basic realm=\"x\"", for: "WWW-Authenticate")
            }
            let response = try await manager.response(for: NetworkRequest(method: .post, url: server.url("/"), body: .data(body)))
            #expect(response.statusCode == 401 && response.data == body)
        }

        @Test func `a 407 is returned as a response`() async throws {
            let server = try LoopbackServer { _ in
                LoopbackResponse.text("proxy", status: 407).header("Basic realm=\"x\"", for: "Proxy-Authenticate")
            }
            let response = try await manager.response(for: NetworkRequest(url: server.url("/")))
            #expect(response.statusCode == 407 && response.text == "proxy")
        }

        @Test func `a 401 response with a stalled body can be cancelled and times out`() async throws {
            let refusal = LoopbackResponse.text("name?", status: 401).header("Basic realm=\"x\"", for: "WWW-Authenticate").fault(
                .stallBody(after: 2))
            // The number of requests that the first server receives is unknown: the timeout may expire before it receives one.
            let (late, cancelled) = (try LoopbackServer { _ in refusal }, try LoopbackServer { _ in refusal })
            let limited = NetworkRequest(url: late.url("/"), timeouts: RequestTimeouts(idle: .milliseconds(100)))
            #expect(await manager.error(for: limited)?.isTimeout == true)
            let task = Task { await manager.error(for: NetworkRequest(url: cancelled.url("/"))) }
            await cancelled.waitForRequests(count: 1)
            task.cancel()
            #expect(await task.value?.isCancelled == true)
            for server in [late, cancelled] { #expect(await server.waitForOpenConnections(count: 0)) }
        }
    }
}
