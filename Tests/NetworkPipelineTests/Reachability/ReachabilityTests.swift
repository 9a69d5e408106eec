import DataTransfer
import Foundation
import NetworkCore
import NetworkTesting
import Testing

@testable import NetworkPipeline

@Suite(.timeLimit(.minutes(10))) struct ReachabilityTests {
    private static let loopback = NetworkAddress(isUp: true, isLoopback: true, isLinkLocal: false)
    private static let network = NetworkAddress(isUp: true, isLoopback: false, isLinkLocal: false)
    private static let unplugged = NetworkAddress(isUp: false, isLoopback: false, isLinkLocal: false)
    private static let madeUp = NetworkAddress(isUp: true, isLoopback: false, isLinkLocal: true)

    @Test(
        arguments: [
            ([], false), ([loopback], false), ([unplugged, loopback], false), ([madeUp], false), ([loopback, network], true),
            ([madeUp, network], true),
        ] as [([NetworkAddress], Bool)]
    )
    func `a network is an interface that is up and has an address`(addresses: [NetworkAddress], isThere: Bool) throws {
        let url = try #require(URL(string: "https://api.example.com/"))
        #expect(ReachabilityInterceptor.hasNetwork(for: url, addresses: addresses) == isThere)
    }

    @Test(arguments: ["http://localhost:80/", "http://app.localhost/", "http://127.0.0.1/", "http://[::1]:8080/"])
    func `this machine is always reachable`(url: String) throws {
        #expect(ReachabilityInterceptor.hasNetwork(for: try #require(URL(string: url)), addresses: []))
    }

    @Test func `if the system does not report addresses, a request is sent`() throws {
        let url = try #require(URL(string: "https://api.example.com/"))
        #expect(ReachabilityInterceptor.hasNetwork(for: url, addresses: nil))
    }

    @Test func `the system reports the loopback of this machine`() throws {
        #expect(try #require(NetworkAddress.all).contains { $0.isLoopback && $0.isUp })
    }

    @Test func `without a network a request fails at once, and is not sent`() async throws {
        let session = StubSessionManager()
        let isThere = Locked(false)
        let service = DefaultDataTransferService(
            configuration: try APIConfiguration("https://api.test"), sessionManager: session,
            interceptors: [ReachabilityInterceptor { _ in isThere.withLock { $0 } }])
        let error = await #expect(throws: DataTransferError.self) { try await service.request(Endpoint<Void>(path: "a")) }
        guard case .notConnected(let failure) = error?.networkError else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(failure.message == "there is no network")
        #expect(session.requests.isEmpty)
        isThere.withLock { $0 = true }
        session.enqueue(.status(204))
        try await service.request(Endpoint<Void>(path: "a"))
    }
}
