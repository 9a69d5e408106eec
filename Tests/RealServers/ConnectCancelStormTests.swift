import DataTransfer
import Foundation
import Testing
import TransferTestSupport

extension RealServerTests {
    /// Requests that are cancelled, or whose time runs out, while their connection is made, over each kind of route: each ends once, and nothing
    /// remains of it. 100,000 requests in all with `DATA_TRANSFER_SLOW=1`.
    @Suite(.serialized, .timeLimit(.ofStorm)) struct ConnectCancelStormTests {
        /// A kind of route.
        struct Route: Sendable, CustomTestStringConvertible {
            var testDescription: String
            var server = Servers.nginx
            var proxy = ProxyConfiguration.none
            /// The URL, with a name that is looked up.
            var url: String { server.replacing("127.0.0.1", with: "localhost") + "/ok" }
            var isSecure: Bool { server != Servers.nginx }
        }

        static let routes = [
            Route(testDescription: "HTTP"),
            Route(testDescription: "HTTPS", server: Servers.tls),
            Route(testDescription: "HTTP/2", server: Servers.h2),
            Route(testDescription: "HTTP through an HTTP proxy", proxy: .http(host: "127.0.0.1", port: Servers.proxyPort)),
            Route(
                testDescription: "HTTPS through an HTTP proxy", server: Servers.tls,
                proxy: .http(host: "127.0.0.1", port: Servers.guardedProxyPort, username: "user", password: "secret")),
            Route(
                testDescription: "HTTPS through an HTTPS proxy", server: Servers.tls,
                proxy: .https(host: "127.0.0.1", port: Servers.secureProxyPort, username: "user", password: "secret")),
            Route(testDescription: "HTTP through a SOCKS proxy", proxy: socks(resolvesNamesThere: true)),
            Route(
                testDescription: "HTTPS through a SOCKS proxy, with the address", server: Servers.tls,
                proxy: socks(resolvesNamesThere: false)),
        ]

        private static func socks(resolvesNamesThere: Bool) -> ProxyConfiguration {
            .socks5(
                host: "127.0.0.1", port: Servers.socksPort, username: "user", password: "secret",
                resolvesNamesThere: resolvesNamesThere)
        }

        @Test(arguments: routes) func `requests that are cancelled while they connect end once and leave no connection`(
            route: Route
        ) async throws {
            let session = SocketSessionManager(
                configuration: SessionConfiguration {
                    $0.trust = Servers.trust
                    $0.proxy = route.proxy
                    $0.maximumUsesPerConnection = 1
                    $0.maximumConnectionsPerHost = 16
                    $0.route.nameLifetime = .zero
                    // The SOCKS proxy confirms that it has connected before it has.
                    $0.route.family = .ipv4
                })
            let count = isSlowRun ? 100_000 / Self.routes.count : 500
            var ends: [String: Int] = [:]
            await withTaskGroup(of: String.self) { group in
                for index in 0..<count {
                    if index >= 64, let end = await group.next() { ends[end, default: 0] += 1 }
                    group.addTask { await Self.end(of: index, route, session) }
                }
                for await end in group { ends[end, default: 0] += 1 }
            }
            #expect(ends.values.reduce(0, +) == count)
            let failed = ends.filter { $0.key.hasPrefix("failed") }
            #expect(failed.isEmpty, "\(failed)")
            // Of the requests whose time ran out. The connection to a server on this machine takes less than a timer can hit.
            let (isLong, found) = (route.isSecure || route.proxy != .none, ends["connect", default: 0] + ends["tls", default: 0])
            if isSlowRun, isLong { #expect(found > 0, "\(ends)") }
            #expect(ends["responded", default: 0] > 0, "\(ends)")
            for _ in 0..<20 { #expect(try await session.send(.get, route.url).text == "ok") }
            let counts = await session.connectionCounts().total
            #expect(counts.active == 0 && counts.waiting == 0 && counts.streams == 0, "\(counts)")
            _ = await session.close(grace: .zero)
        }

        /// Sends a request, which is cancelled after a random time or has a random timeout, except one of 16.
        ///
        /// - Returns: How it has ended; if its time ran out, in which phase.
        private static func end(of index: Int, _ route: Route, _ session: SocketSessionManager) async -> String {
            var random = SeededGenerator(seed: UInt64(index))
            guard let url = URL(string: route.url) else { return "failed: \(route.url)" }
            var request = NetworkRequest(url: url)
            if index % 16 == 1 { request.timeouts.total = .milliseconds(Int.random(in: 1...20, using: &random)) }
            let response = Task { [request] in try await session.response(for: request) }
            if index % 16 > 1 {
                await random.pause()
                response.cancel()
            }
            switch await response.result {
            case .success(let response): return response.text == "ok" ? "responded" : "failed: \(response)"
            case .failure(let error as TransportError) where error.isCancelled: return "cancelled"
            case .failure(let error as TransportError) where error.isTimeout && index % 16 == 1:
                return error.phase.map { "\($0)" } ?? "failed: no phase"
            case .failure(let error): return "failed: \(error)"
            }
        }
    }
}
