#if os(Linux)
    import Endpoints
    import Foundation
    import Glibc
    import NetworkTesting
    import Testing
    import TransferTestSupport

    @testable import NetworkEngine
    @testable import NetworkTransport

    /// The options of routes, with servers on the loopback interface.
    @Suite(.timeLimit(.minutes(10)))
    struct RouteConnectionTests {
        private func session(_ change: (inout SessionConfiguration) -> Void) -> SocketSessionManager {
            SocketSessionManager(
                configuration: SessionConfiguration {
                    $0.proxy = .none
                    change(&$0)
                })
        }

        private func request(_ text: String) throws -> NetworkRequest { NetworkRequest(url: try #require(URL(string: text))) }

        // MARK: Addresses

        @Test func `a host is reached at its addresses, in order, and keeps its name`() async throws {
            let server = try LoopbackServer { _ in .text("here") }
            let session = session { $0.route.addresses["api.example"] = ["127.0.0.9", "127.0.0.1"] }
            for host in ["api.example", "API.example."] {
                let response = try await session.response(for: try request("http://\(host):\(server.port)/"))
                #expect(response.data == Data("here".utf8))
                #expect(response.serverAddress == .init(address: "127.0.0.1", port: server.port))
            }
            #expect(server.requests.first?.headers["Host"] == "api.example:\(server.port)")
            let other = try await failure(of: session, try request("http://x.api.example:\(server.port)/"))
            #expect(other.code == .nameLookupFailed, "\(other)")
        }

        @Test func `the key with a port takes precedence, and session managers do not share addresses`() async throws {
            let server = try LoopbackServer { _ in .text("here") }
            let good = session {
                $0.route.addresses = ["api.example:\(server.port)": ["127.0.0.1"], "api.example": ["127.0.0.9"]]
            }
            let bad = session { $0.route.addresses = ["api.example": ["127.0.0.9"]] }
            for _ in 0..<3 {
                #expect(try await good.response(for: try request("http://api.example:\(server.port)/")).statusCode == 200)
                #expect(try await failure(of: bad, try request("http://api.example:\(server.port)/")).code == .cannotConnect)
            }
            let none = session { _ in }
            #expect(try await failure(of: none, try request("http://api.example:\(server.port)/")).code == .nameLookupFailed)
        }

        @Test func `an address that refuses is followed by one of the other family`() async throws {
            let server = try LoopbackServer { _ in .text("here") }
            let session = session { $0.route.addresses["api.example"] = ["::1", "127.0.0.1"] }
            let response = try await session.response(for: try request("http://api.example:\(server.port)/"))
            #expect(response.serverAddress?.address == "127.0.0.1")
        }

        @Test func `the host of a proxy is reached at its address`() async throws {
            let proxy = try LoopbackServer { _ in .text("proxy") }
            let session = session {
                $0.proxy = .http(host: "proxy.example", port: proxy.port)
                $0.route.addresses = ["proxy.example": ["127.0.0.1"], "api.example": ["127.0.0.9"]]
            }
            let response = try await session.response(for: try request("http://api.example/"))
            #expect(response.data == Data("proxy".utf8) && response.serverAddress?.port == proxy.port)
        }

        @Test(.needs("python3 and the openssl command", TLSServers.areAvailable))
        func `the certificate is verified for the name, not for the address`() async throws {
            let servers = try TLSServers.running()
            let session = session {
                $0.trust = TrustPolicy(roots: servers.authority)
                $0.route.addresses = ["overridden.example": ["127.0.0.1"], "other.example": ["127.0.0.1"]]
            }
            #expect(try await session.connectionState(servers.url("good", host: "overridden.example")).requests > 0)
            let error = try await failure(of: session, NetworkRequest(url: servers.url("good", host: "other.example")))
            #expect(error.tlsFailure == .wrongHost, "\(error)")
        }

        // MARK: Family

        @Test func `an address of an excluded family is refused before anything is sent`() async throws {
            let server = try LoopbackServer { _ in .text("here") }
            let ipv6 = session { $0.route.family = .ipv6 }
            let error = try await failure(of: ipv6, server.request("/"))
            #expect(error.code == .invalidRequest && error.message.contains("IPv6"), "\(error)")
            // libcurl takes this for an address, too.
            let other = try await failure(of: ipv6, try request("http://127.1:\(server.port)/"))
            #expect([.cannotConnect, .nameLookupFailed].contains(other.code), "\(other)")
            let ipv4 = session { $0.route.family = .ipv4 }
            #expect(try await failure(of: ipv4, try request("http://[::1]:\(server.port)/")).code == .invalidRequest)
            #expect(try await ipv4.response(for: server.request("/")).statusCode == 200)
            #expect(
                try await ipv4.response(for: try request("http://localhost:\(server.port)/")).serverAddress?.address
                    == "127.0.0.1")
            let proxied = session {
                $0.route.family = .ipv6
                $0.proxy = .http(host: "127.0.0.1", port: server.port)
            }
            #expect(try await failure(of: proxied, try request("http://api.example/")).code == .invalidConfiguration)
            #expect(server.requests.count == 2)
        }

        @Test(.needs("python3 and the openssl command", TLSServers.areAvailable))
        func `IPv6 can be used alone`() async throws {
            let servers = try TLSServers.running()
            guard let port = servers.port("ipv6") else { return }
            let session = session {
                $0.trust = TrustPolicy(roots: servers.authority)
                $0.route.family = .ipv6
                $0.route.addresses["overridden.example"] = ["127.0.0.1", "::1"]
                $0.route.localAddress = .address("::1")
            }
            for host in ["[::1]", "overridden.example"] {
                let response = try await session.response(for: try request("https://\(host):\(port)/"))
                #expect(response.serverAddress?.description == "[::1]:\(port)")
            }
        }

        // MARK: Local address

        @Test(.needs("python3 and the openssl command", TLSServers.areAvailable))
        func `connections are made from the local address or interface`() async throws {
            let servers = try TLSServers.running()
            for (local, peer) in [
                (RouteOptions.LocalAddress.address("127.0.0.2"), "127.0.0.2"), (.address("127.0.0.1"), "127.0.0.1"),
                (.interface("lo"), "127.0.0.1"),
            ] {
                let session = session {
                    $0.trust = TrustPolicy(roots: servers.authority)
                    $0.route.localAddress = local
                }
                #expect(try await session.connectionState(servers.url("good")).peer == peer)
            }
        }

        @Test(arguments: [RouteOptions.LocalAddress.address("192.0.2.1"), .interface("missing0"), .address("2001:db8::1")])
        func `a local address that the machine does not have is an error, and a server without its family too`(
            local: RouteOptions.LocalAddress
        ) async throws {
            let server = try LoopbackServer { _ in .text("here") }
            let session = session {
                $0.route.localAddress = local
                $0.route.addresses["api.example"] = local == .address("2001:db8::1") ? ["::1"] : ["127.0.0.1"]
            }
            for _ in 0..<3 {
                let error = try await failure(of: session, try request("http://api.example:\(server.port)/"))
                #expect(error.code == .cannotConnect && error.message.hasPrefix("route.localAddress"), "\(error)")
            }
            #expect(server.requests.isEmpty)
        }

        // MARK: Sockets

        @Test func `probes are set on sockets of TCP, and only if they are configured`() throws {
            func values(_ options: RouteOptions) throws -> [CInt] {
                let set = try #require(EpollSet())
                set.options = SocketOptions(options)
                let socket = set.open(family: AF_INET)
                defer { close(socket) }
                #expect(set.options?.apply(to: socket, family: AF_INET, kind: CInt(SOCK_STREAM.rawValue)) == nil)
                return [
                    (SOL_SOCKET, SO_KEEPALIVE), (CInt(IPPROTO_TCP), TCP_KEEPIDLE), (CInt(IPPROTO_TCP), TCP_KEEPINTVL),
                    (CInt(IPPROTO_TCP), TCP_KEEPCNT),
                ].map {
                    var value: CInt = 0
                    var size = socklen_t(MemoryLayout<CInt>.size)
                    getsockopt(socket, $0.0, $0.1, &value, &size)
                    return value
                }
            }
            #expect(SocketOptions(RouteOptions()) == nil)
            #expect(try values(RouteOptions()).first == 0)
            let options = RouteOptions {
                $0.keepAliveProbes = .init(idle: .milliseconds(7500), interval: .seconds(3), maximumProbes: 2)
            }
            #expect(try values(options) == [1, 8, 3, 2])
        }

        @Test func `probes do not prevent requests`() async throws {
            let server = try LoopbackServer { _ in .text("here") }
            let session = session { $0.route.keepAliveProbes = .init() }
            #expect(try await session.response(for: server.request("/")).statusCode == 200)
        }

        // MARK: The address that was used

        @Test func `a response has the address of its server, on reused connections and streams too`() async throws {
            let server = try LoopbackServer { _ in .text("here") }
            let session = session { _ in }
            for _ in 0..<2 {
                let response = try await session.response(for: server.request("/"))
                #expect(response.serverAddress == .init(address: "127.0.0.1", port: server.port))
            }
            let streamed = try await session.stream(for: server.request("/"))
            #expect(streamed.serverAddress?.port == server.port)
            #expect(try await streamed.collected().serverAddress?.port == server.port)
        }

        @Test func `a Unix domain socket has no address`() async throws {
            let server = try UnixSocketServer(response: "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\nunix")
            let session = session {
                $0.unixSocketPath = server.path
                $0.route.localAddress = .interface("missing0")
                $0.route.family = .ipv6
            }
            let response = try await session.response(for: try request("http://127.0.0.1/"))
            #expect(response.statusCode == 200 && response.serverAddress == nil)
        }

        // MARK: DNS over HTTPS

        @Test(.needs("python3 and the openssl command", TLSServers.areAvailable))
        func `names are looked up over HTTPS, and nowhere else`() async throws {
            let servers = try TLSServers.running()
            let server = try LoopbackServer { _ in .text("here") }
            let session = session {
                $0.route.nameServer = .https(
                    servers.url("good", host: "overridden.example", path: "/dns-query"), addresses: ["127.0.0.1"],
                    trust: TrustPolicy(roots: servers.authority))
            }
            for name in ["found.example", "found-too.example"] {
                let response = try await session.response(for: try request("http://\(name):\(server.port)/"))
                #expect(response.data == Data("here".utf8) && response.serverAddress?.address == "127.0.0.1")
            }
            let missing = try await failure(of: session, try request("http://missing.example:\(server.port)/"))
            #expect(missing.code == .nameLookupFailed, "\(missing)")
        }

        @Test(
            .needs("python3 and the openssl command", TLSServers.areAvailable),
            arguments: ["good", "wrong-host", "expired"])
        func `a name server that is not trusted is not asked, and the system neither`(server: String) async throws {
            let servers = try TLSServers.running()
            let session = session {
                $0.trust = TrustPolicy(roots: servers.authority)
                $0.route.nameServer = .https(
                    servers.url(server, host: "overridden.example", path: "/dns-query"),
                    trust: server == "good" ? TrustPolicy() : TrustPolicy(roots: servers.authority))
                $0.route.addresses["overridden.example"] = ["127.0.0.1"]
            }
            let error = try await failure(of: session, try request("http://found.example:1/"))
            #expect(error.code == .nameLookupFailed, "\(error)")
        }
    }
#endif
