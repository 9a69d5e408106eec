import DataTransfer
import Foundation
import NetworkCore
import NetworkSupport
import NetworkTesting
import Testing
import TransferTestSupport

@testable import NetworkPipeline

@Suite(.timeLimit(.minutes(10))) struct ReachabilityTests {
    private static let loopback = NetworkAddress(isUp: true, isLoopback: true, isLinkLocal: false)
    private static let network = NetworkAddress(isUp: true, isLoopback: false, isLinkLocal: false)
    private static let unplugged = NetworkAddress(isUp: false, isLoopback: false, isLinkLocal: false)
    private static let linkLocal = NetworkAddress(isUp: true, isLoopback: false, isLinkLocal: true)

    @Test(
        arguments: [
            ([], false), ([loopback], false), ([unplugged, loopback], false), ([linkLocal], false), ([loopback, network], true),
            ([linkLocal, network], true),
        ] as [([NetworkAddress], Bool)]
    )
    func `a network is available if an interface is up and has a routable address`(addresses: [NetworkAddress], isAvailable: Bool)
        throws
    {
        let url = try #require(URL(string: "https://api.example.com/"))
        #expect(ReachabilityInterceptor.hasNetwork(for: url, addresses: addresses) == isAvailable)
    }

    @Test(arguments: ["http://localhost:80/", "http://app.localhost/", "http://127.0.0.1/", "http://[::1]:8080/"])
    func `the local host is always reachable`(url: String) throws {
        #expect(ReachabilityInterceptor.hasNetwork(for: try #require(URL(string: url)), addresses: []))
    }

    @Test func `if the system does not report addresses, a request is sent`() throws {
        let url = try #require(URL(string: "https://api.example.com/"))
        #expect(ReachabilityInterceptor.hasNetwork(for: url, addresses: nil))
    }

    @Test func `the system reports the loopback address`() throws {
        #expect(try #require(NetworkAddress.all).contains { $0.isLoopback && $0.isUp })
    }

    @Test(.tags(.retriesAndHeaders)) func `without a network a request fails immediately and is not sent`() async throws {
        let session = StubSessionManager()
        let isAvailable = Locked(false)
        let service = DefaultDataTransferService(
            configuration: try APIConfiguration("https://api.test"), sessionManager: session,
            interceptors: [ReachabilityInterceptor { _ in isAvailable.withLock { $0 } }])
        let error = await #expect(throws: DataTransferError.self) { try await service.request(Endpoint<Void>(path: "a")) }
        guard case .notConnected(let failure) = error?.networkError else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(failure.message == "there is no network")
        #expect(session.requests.isEmpty)
        isAvailable.withLock { $0 = true }
        session.enqueue(.status(204))
        try await service.request(Endpoint<Void>(path: "a"))
    }
}
