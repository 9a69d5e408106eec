import DataTransfer
import Foundation
import NetworkLogging
import NetworkTesting
import Testing
import TestSupport

@testable import NetworkPipeline

/// Requests that an interceptor has added a credential to are kept: they are the same as those that an interceptor sends which keeps none.
struct AuthenticatedRequestsTests {
    private let session = StubSessionManager()
    private let api = try! APIConfiguration("https://api.test")

    /// Endpoints that get a credential, and others that do not: with an `Authorization` field, for another origin, without the need of one.
    private static var endpoints: [Endpoint<Data>] {
        var endpoints = (0..<8).map { Endpoint<Data>(path: "a/\($0)", responseDecoder: .rawData) }
        endpoints[1].headerParameters["Authorization"] = "Own"
        endpoints[2].request.requiresAuthentication = false
        endpoints[3] = Endpoint(path: "https://other.test/a", isFullPath: true, responseDecoder: .rawData)
        endpoints[4] = Endpoint(path: "a/4", method: .post, body: .text("text"), responseDecoder: .rawData)
        endpoints[5].timeouts.total = .seconds(5)
        return endpoints
    }

    private func service(_ interceptor: any NetworkInterceptor) -> DefaultNetworkService {
        DefaultNetworkService(configuration: api, sessionManager: session, interceptors: [interceptor])
    }

    private struct Sent: Equatable {
        let request: NetworkRequest
        let credentials: Bool
        let endpoint: String?
    }

    /// Sends a request through a service, and returns how the session manager received it.
    private func sent(_ endpoint: Endpoint<Data>, by service: DefaultNetworkService) async throws -> Sent {
        _ = try await service.response(for: endpoint)
        let request = try #require(session.requests.last)
        return Sent(
            request: request, credentials: request.hasCredentials, endpoint: request.endpointName)
    }

    @Test(arguments: 0..<6 as Range<UInt64>)
    func `requests in any order, and with new credentials, are as without memory`(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        session.route { _ in .text("ok") }
        let credentials = RefreshingCredentials(initial: .bearer("token-number-0")) { _ in .bearer("refreshed-token") }
        let kept = service(.authentication(credentials, for: api))
        var endpoints = Self.endpoints
        for step in 0..<runs(300, slow: 3000) {
            let index = Int.random(in: 0..<endpoints.count, using: &random)
            switch Int.random(in: 0..<8, using: &random) {
            case 0: credentials.set(.bearer("token-number-\(step)"))
            case 1: endpoints[index].headerParameters["X-Step"] = "\(step)"
            case 2: endpoints[index].request.requiresAuthentication.toggle()
            default: break
            }
            let new = service(.authentication(credentials, for: api))
            let expected = try await sent(endpoints[index], by: new)
            #expect(try await sent(endpoints[index], by: kept) == expected, "step \(step)")
        }
    }

    private enum NumberKey: ContextKey { typealias Value = Int }

    @Test func `what is different for each call stays so`() async throws {
        let known = AuthenticatedRequests()
        let credential = RefreshingCredentials.Generation(number: 0, identity: 0, credential: .bearer("t"))
        let request = NetworkRequest.make()
        var authenticated = try credential.credential.applied(to: request)
        known.keep(&authenticated, for: request, with: credential)
        for number in 1...2 {
            var call = request
            call.context[NumberKey.self] = number
            call.limitTotal(toNanoseconds: UInt64(number) * 1_000_000_000)
            let found = try #require(known.request(for: call, with: credential))
            #expect(found.context[NumberKey.self] == number && found.timeouts.total == .seconds(number))
            #expect(found.headers["Authorization"] == "Bearer t" && found.isValidated)
        }
        #expect(authenticated.context[NumberKey.self] == nil && request.timeouts.total == nil)
        var limited = request
        limited.limitTotal(toNanoseconds: 2_000_000_000)
        #expect(limited != request)
        limited.timeouts.idle = .seconds(7)
        #expect(limited.timeouts.total == .seconds(2) && limited.timeouts.idle == .seconds(7))
        limited.timeouts.total = .seconds(9)
        #expect(limited.timeouts.total == .seconds(9))
    }

    @Test func `a request is not found with another credential, after a change, or when its secret may be forgotten`() throws {
        let known = AuthenticatedRequests()
        let credential = RefreshingCredentials.Generation(number: 0, identity: 0, credential: .bearer("t"))
        let other = RefreshingCredentials.Generation(number: 0, identity: 0, credential: .bearer("t"))
        let request = NetworkRequest.make()
        var authenticated = try credential.credential.applied(to: request)
        known.keep(&authenticated, for: request, with: credential)
        #expect(known.request(for: request, with: credential) != nil)
        #expect(known.request(for: request, with: other) == nil)
        #expect(known.request(for: .make(), with: credential) == nil, "equal, but not a copy")
        var changed = request
        changed.headers["X-A"] = "1"
        #expect(known.request(for: changed, with: credential) == nil)
        let later = SecretValues.additionCount + SecretValues.capacity / 2
        #expect(known.request(for: request, with: credential, secretCount: later) == nil)
        let next = NetworkRequest.make()
        var authenticatedNext = try other.credential.applied(to: next)
        known.keep(&authenticatedNext, for: next, with: other)
        #expect(known.request(for: request, with: credential) == nil, "nothing is kept with a credential that was replaced")
    }

    @Test func `what belongs to one call is not kept, and only the latest requests are`() throws {
        let known = AuthenticatedRequests()
        let credential = RefreshingCredentials.Generation(number: 0, identity: 0, credential: .bearer("t"))
        let variable = RefreshingCredentials.Generation(
            number: 0, identity: 0, credential: Credential { $0.headers["X-Time"] = "\(SecretValues.additionCount)" })
        func isKept(_ request: NetworkRequest, _ credential: RefreshingCredentials.Generation) throws -> Bool {
            var authenticated = try credential.credential.applied(to: request)
            known.keep(&authenticated, for: request, with: credential)
            return known.request(for: request, with: credential) != nil
        }
        var informed = NetworkRequest.make()
        informed.onInformationalResponse = { _ in }
        #expect(try !isKept(informed, credential))
        #expect(try !isKept(.make(.post, body: .data(Data("text".utf8))), credential))
        #expect(try !isKept(.make(), variable), "a closure is called for each attempt")
        let requests = (0..<20).map { NetworkRequest.make(.get, "/\($0)") }
        for request in requests { #expect(try isKept(request, credential)) }
        #expect(requests.filter { known.request(for: $0, with: credential) != nil }.count == 4)
    }
}
