import DataTransfer
import Foundation
import NetworkPipeline
import NetworkTesting
import Testing
import TransferTestSupport

/// An exchange that several requests share belongs to one user.
@Suite(.timeLimit(.minutes(10))) struct SharedExchangeTests {
    /// Says that a request is about to reach the next interceptor.
    private struct Arrival: NetworkInterceptor {
        let count = Watched(0)

        func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
            count.withLock { $0 += 1 }
            return try await next(request)
        }
    }

    @Test func `requests that receive cookies of different stores after a redirect do not share an exchange`() async throws {
        let gate = AsyncGate()
        let server = try LoopbackServer { (request: LoopbackRequest) async throws -> LoopbackResponse in
            if request.path == "/account" { return .text(request.headers["Cookie"] ?? "nobody") }
            await gate.wait()
            return .status(302, headers: ["Location": "/account"])
        }
        let (arrival, coalescing) = (Arrival(), CoalescingInterceptor.coalescing())
        let services = try ["A", "B"].map { name in
            let cookies = CookieStore()
            try cookies.set(StoredCookie(name: "user", value: name, domain: "127.0.0.1", path: "/account", isSecure: false))
            return DefaultDataTransferService(
                configuration: try APIConfiguration(server.url.absoluteString),
                sessionManager: DefaultSessionManager.make { $0.cookies = .stored(in: cookies) },
                interceptors: [arrival, coalescing])
        }
        let get = Endpoint<String>(path: "item", responseDecoder: .text)
        let first = Task { try await services[0].request(get) }
        await gate.waitForArrival()
        let second = Task { try await services[1].request(get) }
        await arrival.count.wait { $0 == 2 }
        gate.open()
        #expect(try await first.value == "user=A")
        #expect(try await second.value == "user=B")
    }
}
