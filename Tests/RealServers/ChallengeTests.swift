import DataTransfer
import Foundation
import NetworkPipeline
import Testing

extension RealServerTests {
    /// Apache and httpbin accept the credentials that are sent after their challenges (RFC 7616, RFC 7617).
    @Suite(.timeLimit(.minutes(10))) struct ChallengeTests {
        private func service(
            _ engine: Engine, _ base: String, user: String = "reader", password: String = "secret"
        ) throws -> DefaultDataTransferService {
            let api = try APIConfiguration(base)
            let interceptor: any NetworkInterceptor = .authenticationOnChallenge(user: user, password: password, for: api)
            return DefaultDataTransferService(
                configuration: api, sessionManager: engine.session { $0.cookies = .separate }, interceptors: [interceptor])
        }

        /// Sends a request and returns the status, also if it is an error.
        private func status(_ service: DefaultDataTransferService, _ endpoint: Endpoint<Void>) async -> Int? {
            var endpoint = endpoint
            endpoint.acceptedStatuses = .any
            return try? await service.response(for: endpoint).statusCode
        }

        @Test(arguments: Engine.all, ["digest", "short", "once", "basic"])
        func `Apache accepts the password and refuses another one`(engine: Engine, folder: String) async throws {
            let endpoint = Endpoint<String>(path: "\(folder)/hello.txt", responseDecoder: .text)
            let reader = try service(engine, Servers.apache)
            var accepted = 0
            for _ in 0..<200 where accepted < 10 {
                do {
                    let text = try await reader.request(endpoint)
                    #expect(text == "hello, reader\n")
                    accepted += 1
                } catch {
                    // On a busy machine, a nonce that is valid for one second may expire before it is used.
                    try #require(folder == "short", "\(error)")
                }
            }
            #expect(accepted == 10)
            let stranger = try service(engine, Servers.apache, password: "wrong1")
            for _ in 0..<2 { #expect(await status(stranger, Endpoint(path: "\(folder)/hello.txt")) == 401) }
        }

        @Test(arguments: Engine.all) func `a nonce that has expired at Apache is replaced`(engine: Engine) async throws {
            let endpoint = Endpoint<String>(path: "short/hello.txt", responseDecoder: .text)
            let reader = try service(engine, Servers.apache)
            var successive = 0
            for _ in 0..<20 where successive < 3 {
                // On a busy machine, a nonce may also expire before it is used.
                let text = try? await reader.request(endpoint)
                #expect(text == nil || text == "hello, reader\n")
                successive = text == nil ? 0 : successive + 1
                // Apache measures whole seconds.
                try await Task.sleep(for: .milliseconds(2100))
            }
            #expect(successive == 3)
        }

        @Test(arguments: Engine.all)
        func `a redirect within Apache's folder gets the digest of the new URL`(engine: Engine) async throws {
            let reader = try service(engine, Servers.apache)
            for _ in 0..<2 {
                #expect(
                    try await reader.request(Endpoint<String>(path: "digest/moved", responseDecoder: .text)) == "hello, reader\n")
            }
        }

        @Test(arguments: Engine.all) func `URLs with queries and escapes are part of the digest`(engine: Engine) async throws {
            let reader = try service(engine, Servers.apache)
            for query in ["", "a=b", "a=%22%5C%22&c=d%20e", "x=é,y"] {
                let endpoint = Endpoint<String>(
                    path: "\(Servers.apache)/digest/hello.txt?\(query)", isFullPath: true, responseDecoder: .text)
                #expect(try await reader.request(endpoint) == "hello, reader\n")
            }
        }

        @Test(arguments: Engine.all) func `requests at the same time are all accepted`(engine: Engine) async throws {
            let reader = try service(engine, Servers.apache)
            await withTaskGroup(of: Int?.self) { group in
                for _ in 0..<64 { group.addTask { await status(reader, Endpoint(path: "digest/hello.txt")) } }
                for await status in group { #expect(status == 200) }
            }
        }

        @Test(arguments: Engine.all, ["auth", "auth-int", "undefined"].flatMap { qop in ["MD5", "SHA-256"].map { (qop, $0) } })
        func `httpbin accepts each qop and algorithm`(engine: Engine, variant: (qop: String, algorithm: String)) async throws {
            let reader = try service(engine, Servers.httpbin)
            let path = "digest-auth/\(variant.qop)/reader/secret/\(variant.algorithm)"
            for _ in 0..<3 { #expect(await status(reader, Endpoint(path: path)) == 200) }
            let stranger = try service(engine, Servers.httpbin, password: "wrong1")
            #expect(await status(stranger, Endpoint(path: path)) == 401)
        }

        @Test(arguments: Engine.all) func `httpbin's nonces become stale`(engine: Engine) async throws {
            let reader = try service(engine, Servers.httpbin)
            for _ in 0..<6 { #expect(await status(reader, Endpoint(path: "digest-auth/auth/reader/secret/SHA-256/2")) == 200) }
        }

        @Test(arguments: Engine.all) func `httpbin accepts Basic after its challenge`(engine: Engine) async throws {
            let reader = try service(engine, Servers.httpbin)
            for _ in 0..<2 { #expect(await status(reader, Endpoint(path: "basic-auth/reader/secret")) == 200) }
        }
    }
}
