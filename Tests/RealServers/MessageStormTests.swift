import DataTransfer
import Foundation
import Testing
import TransferTestSupport

extension RealServerTests {
    /// Random requests that tell the server how to behave: over HTTP/1.1, TLS, HTTP/2 and HTTP/3, directly and through proxies. Each
    /// request gets its complete response, or the expected error, and the server receives no request twice that must not be sent
    /// again.
    ///
    /// Sends more requests with `DATA_TRANSFER_SLOW=1`.
    @Suite(.serialized, .timeLimit(.ofStorm)) struct MessageStormTests {
        /// A server, and how it is reached.
        struct Route: Sendable, CustomTestStringConvertible {
            var testDescription: String
            var server: String
            var proxy = ProxyConfiguration.none
            var httpVersion = HTTPVersionChoice.automatic
            var fates: [String]

            private static let ofHTTP1 = ["drop", "cut", "push", "last", "split", "redirect", "redirect-open"]
            private static let ofHTTP2 = ["drop", "cut", "refuse", "goaway", "goaway-refuse", "redirect", "redirect-open"]
            private static let http = ProxyConfiguration.http(host: "127.0.0.1", port: Servers.proxyPort)
            private static let socks = ProxyConfiguration.socks5(
                host: "127.0.0.1", port: Servers.socksPort, username: "user", password: "secret")

            static let all = [
                Route(testDescription: "HTTP/1.1", server: Servers.plain, fates: ofHTTP1),
                Route(testDescription: "HTTP/1.1 through SOCKS", server: Servers.plain, proxy: socks, fates: ofHTTP1),
                Route(testDescription: "TLS", server: Servers.secure, fates: ofHTTP1),
                Route(testDescription: "TLS through a proxy", server: Servers.secure, proxy: http, fates: ofHTTP1),
                Route(testDescription: "HTTP/2", server: Servers.streams, fates: ofHTTP2),
                Route(testDescription: "HTTP/2 through SOCKS", server: Servers.streams, proxy: socks, fates: ofHTTP2),
                Route(testDescription: "HTTP/2 through a proxy", server: Servers.streams, proxy: http, fates: ofHTTP2),
            ]

            /// The server that counts what has arrived.
            var reporter: String { Servers.plain }
            /// Whether the connection of a request may be closed because of another request.
            var sharesConnections: Bool { server == Servers.streams }
        }

        @Test(arguments: Engine.ours, Route.all)
        func `each random request gets its own complete response or the expected error`(engine: Engine, route: Route) async throws
        {
            if route.proxy != .none, engine.lacks.contains(.proxies) { return }
            try await storm(engine, route)
        }

        /// Without the fates that `URLSession` on Linux does not survive, or after which it uses what is not the response: a connection that is closed
        /// before or inside a response, also that of a redirect, and bytes that follow one.
        @Test(arguments: Engine.all.filter { !$0.isOurs })
        func `each random request over URLSession gets its own complete response or the expected error`(engine: Engine)
            async throws
        {
            try await storm(
                engine,
                Route(testDescription: "HTTP/1.1", server: Servers.plain, fates: ["split", "redirect"]))
        }

        private func storm(_ engine: Engine, _ route: Route) async throws {
            let session = engine.session {
                if engine.isOurs { $0.trust = Servers.trust }
                $0.proxy = route.proxy
                $0.httpVersion = route.httpVersion
                $0.maximumConnectionsPerHost = 12
            }
            let count = isSlowRun ? 4_000 : 600
            let run = UInt64.random(in: 0..<1 << 32)
            let exchanges = await withTaskGroup(of: (Exchange, Exchange.End).self) { group in
                var ended: [(Exchange, Exchange.End)] = []
                for index in 0..<count {
                    if index >= 48, let next = await group.next() { ended.append(next) }
                    let exchange = Exchange(run: run, index: UInt64(index), fates: route.fates)
                    group.addTask { (exchange, await exchange.run(on: session, route.server)) }
                }
                for await next in group { ended.append(next) }
                return ended
            }
            let reporter = engine.session {
                if engine.isOurs { $0.trust = Servers.trust }
                $0.httpVersion = route.httpVersion
            }
            let report = try await reporter.send(.get, "\(route.reporter)/report?\(run)").data
            let arrivals = try JSONDecoder().decode([String: [String]].self, from: report)
            var ends: [String: Int] = [:]
            for (exchange, end) in exchanges {
                ends[end.name, default: 0] += 1
                let violations = exchange.violations(
                    end, arrivals: arrivals, sharesConnections: route.sharesConnections || engine.lacks.contains(.idleChecks))
                #expect(violations.isEmpty, "run \(run): \(violations), \(exchange), \(end)")
            }
            // A request that ends its connection ends the others on it too, the more of them the slower the machine is.
            #expect(
                ends["success", default: 0] > (route.sharesConnections ? 0 : count / 3) && ends["cancelled", default: 0] > 0,
                "\(ends)")
        }

        /// One request, with the behavior of the server each time that it receives the request.
        struct Exchange: Sendable {
            enum End: Sendable {
                case success(status: Int, id: String?, body: Data)
                case failure(TransportError)

                var name: String {
                    switch self {
                    case .success: "success"
                    case .failure(let error): error.code.rawValue
                    }
                }
            }

            let id: String
            let method: RequestMethod
            let size: Int
            let fates: [String]
            let isCancelled: Bool
            private let seed: UInt64
            private let isStreamed: Bool
            private let isFirst: Bool

            init(run: UInt64, index: UInt64, fates: [String]) {
                seed = run &+ index
                id = "\(run)-\(index)"
                var random = SeededGenerator(seed: seed)
                method = [RequestMethod.get, .get, .post, .put][Int(random.next() % 4)]
                size = [0, 1, 500, 20_000][Int(random.next() % 4)]
                let isGood = random.next() % 2 == 0
                self.fates = isGood ? ["ok"] : [fates[Int(random.next() % UInt64(fates.count))], "ok"]
                isStreamed = random.next() % 2 == 0
                isFirst = index == 0
                isCancelled = isFirst || random.next() % 10 == 0
            }

            func run(on session: any NetworkSessionManager, _ server: String) async -> End {
                let text = "\(server)/storm?id=\(id)&size=\(size)&fates=\(fates.joined(separator: ","))"
                guard let url = URL(string: text) else { return .failure(TransportError(.invalidRequest, text)) }
                let body = method == .get ? nil : NetworkBody.data(Data(repeating: 0x61, count: size))
                let request = NetworkRequest(method: method, url: url, body: body)
                let task = Task {
                    // Of the others, none may be cancelled before its response.
                    if isFirst { await waitForCancellation() }
                    return await end(of: request, on: session)
                }
                if isCancelled {
                    var random = SeededGenerator(seed: seed)
                    await random.pause()
                    task.cancel()
                }
                return await task.value
            }

            private func end(of request: NetworkRequest, on session: any NetworkSessionManager) async -> End {
                do throws(TransportError) {
                    let response =
                        isStreamed
                        ? try await session.stream(for: request).collected() : try await session.response(for: request)
                    return .success(status: response.statusCode, id: response.headers["X-Id"], body: response.data)
                } catch {
                    return .failure(error)
                }
            }

            /// Returns descriptions of the rules that were violated.
            ///
            /// - Parameter sharesConnections: Whether the connection of this request may be closed because of another request.
            func violations(_ end: End, arrivals: [String: [String]], sharesConnections: Bool) -> [String] {
                var violations: [String] = []
                // After a lost connection, the request may have been sent again and received another response.
                let isRedirected = arrivals[id]?.last?.hasPrefix("redirect") == true
                switch end {
                case .success(let status, let id, let body):
                    let expected = isRedirected ? self.id + "r" : self.id
                    if status != 200 || id != expected { violations.append("the response of another request") }
                    let piece = Data("\(expected).".utf8)
                    var content = Data()
                    while content.count < size { content += piece }
                    if body != content.prefix(size) { violations.append("a body that is not whole, or another's") }
                case .failure(let error):
                    let isLost = [.connectionLost, .incompleteBody].contains(error.code)
                    let mayBeLost = sharesConnections || ["drop", "cut"].contains(fates[0])
                    if !(isCancelled && error.isCancelled), !(isLost && mayBeLost) {
                        violations.append("an error that does not fit")
                    }
                }
                for (name, method) in [(id, method), (id + "r", .get)] {
                    let times = arrivals[name, default: []].count { !$0.hasSuffix("refuse") }
                    if times > (method == .post ? 1 : 2) { violations.append("\(times) arrivals of a \(method)") }
                }
                return violations
            }
        }
    }
}
