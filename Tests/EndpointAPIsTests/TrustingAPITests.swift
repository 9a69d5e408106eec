import EndpointAPIs
import Foundation
import NetworkTesting
import Testing

@testable import NetworkEngine
@testable import NetworkTransport
@testable import NetworkURLSession

@Suite(.timeLimit(.minutes(10)))
struct TrustingAPITests {
    struct PinnedAPI: TrustingAPI {
        var scheme = "https"
        var host = "a.example"
        var port: Int?
        var endpoint = "users"
        var trust = TrustPolicy(minimumTLSVersion: .v1_3)
        var shouldLog = true
    }

    private func request(_ api: PinnedAPI) throws -> NetworkRequest { try api.networkRequest(with: .composed) }

    private func code(_ request: NetworkRequest, _ configuration: SessionConfiguration) throws -> TransportError.Code? {
        let table = try TrustTable(configuration)
        do throws(TransportError) {
            _ = try table.trust(for: request)
            return nil
        } catch {
            return error.code
        }
    }

    @Test func `the trust policies of APIs are applied to their hosts`() throws {
        let configuration = try SessionConfiguration(
            trusting: PinnedAPI(), PinnedAPI(host: "B.Example"), PinnedAPI(host: "::1"), PinnedAPI(host: "A.example.")
        ) { $0.maximumRedirects = 3 }
        #expect(Set(configuration.trustByHost.keys) == ["a.example", "b.example", "::1"] && configuration.maximumRedirects == 3)
        #expect(configuration.trust == TrustPolicy())
        for host in ["a.example", "b.example", "[::1]"] {
            #expect(try code(request(PinnedAPI(host: host)), configuration) == nil)
        }
    }

    @Test func `a second policy for one host, and an invalid host, are errors`() {
        #expect(throws: TransportError.self) { try SessionConfiguration(trusting: PinnedAPI(), PinnedAPI(trust: TrustPolicy())) }
        #expect(throws: TransportError.self) { try SessionConfiguration(trusting: PinnedAPI(host: "a b")) }
        #expect(throws: TransportError.self) {
            try SessionConfiguration(trusting: PinnedAPI()) { $0.trustByHost["A.EXAMPLE"] = TrustPolicy() }
        }
    }

    @Test func `a policy that the session manager does not have is refused`() throws {
        #expect(try code(request(PinnedAPI()), SessionConfiguration()) == .trustUnavailable)
        let other = SessionConfiguration { $0.trustByHost["a.example"] = TrustPolicy(minimumTLSVersion: .v1_2) }
        #expect(try code(request(PinnedAPI()), other) == .trustUnavailable)
        let all = SessionConfiguration { $0.trust = TrustPolicy(minimumTLSVersion: .v1_3) }
        #expect(try code(request(PinnedAPI()), all) == nil)
    }

    @Test func `requests over http, and requests to an ambiguous host name, are refused`() throws {
        let configuration = try SessionConfiguration(trusting: PinnedAPI())
        #expect(try code(request(PinnedAPI(scheme: "http")), configuration) == .trustUnavailable)
        // This is also refused if the session manager has the required policy.
        let all = SessionConfiguration { $0.trust = TrustPolicy(minimumTLSVersion: .v1_3) }
        #expect(try code(request(PinnedAPI(scheme: "http")), all) == .trustUnavailable)
        #expect(try code(request(PinnedAPI(scheme: "http", trust: TrustPolicy())), SessionConfiguration()) == .trustUnavailable)
        var odd = try request(PinnedAPI())
        odd.url = try #require(URL(string: "https://a..example/"))
        #expect(try code(odd, all) == .trustUnavailable)
    }

    @Test func `a request to another host, as after a redirect, does not need the policy of the API`() throws {
        let configuration = try SessionConfiguration(trusting: PinnedAPI())
        var redirected = try request(PinnedAPI())
        redirected.url = try #require(URL(string: "https://b.example/"))
        #expect(try code(redirected, configuration) == nil)
    }

    @Test func `wrapped endpoints keep the trust policy and the setting that disables logging`() throws {
        let endpoint = PinnedAPI(shouldLog: false).as(Int.self)
        let wrapped = try Endpoint<Int>(endpoint).networkRequest(with: .composed)
        #expect(try code(wrapped, SessionConfiguration()) == .trustUnavailable && !wrapped.context.isLogged)
    }

    @Test func `session managers send no byte of a request that requires a policy they do not have`() async throws {
        let server = try LoopbackServer { _ in .text("") }
        var sessions: [any NetworkSessionManager] = [URLSessionManager()]
        #if os(Linux)
            sessions.append(SocketSessionManager())
        #endif
        for scheme in ["https", "http"] {
            let request = try request(PinnedAPI(scheme: scheme, host: "127.0.0.1", port: server.port))
            for session in sessions {
                let error = await #expect(throws: TransportError.self) { try await session.response(for: request) }
                #expect(error?.code == .trustUnavailable)
            }
        }
        #expect(server.connectionCount == 0)
    }
}
