#if os(Linux)
    import Endpoints
    import Foundation
    import Glibc
    import NetworkSupport
    import Testing
    import TransferTestSupport

    @testable import NetworkEngine
    @testable import NetworkTransport

    /// Names that a name server with faults knows, and servers at several addresses of this machine.
    @Suite(
        .serialized,
        .needs(
            "a name server with faults", ProcessInfo.processInfo.environment["DATA_TRANSFER_DNS_CHANGES"] != nil,
            run: "Scripts/with-dns-server swift test --filter NameServerTests"),
        .timeLimit(.minutes(10)))
    struct NameServerTests {
        fileprivate static let changes = ProcessInfo.processInfo.environment["DATA_TRANSFER_DNS_CHANGES"]

        /// Changes what the name server says, and waits until it has confirmed that.
        private func change(_ line: String) throws {
            let path = try #require(Self.changes)
            let file = try #require(FileHandle(forWritingAtPath: path))
            try file.write(contentsOf: Data((line + "\n").utf8))
            try file.close()
            let confirmations = try #require(FileHandle(forReadingAtPath: path + ".confirmed"))
            while let byte = try confirmations.read(upToCount: 1), byte != Data([0x0A]) {}
        }

        private func session(_ change: (inout SessionConfiguration) -> Void = { _ in }) -> SocketSessionManager {
            SocketSessionManager(
                configuration: SessionConfiguration {
                    $0.proxy = .none
                    $0.idleConnectionLifetime = .milliseconds(1)
                    change(&$0)
                })
        }

        private func request(_ host: String, _ port: UInt16) throws -> NetworkRequest {
            NetworkRequest(
                url: try #require(URL(string: "http://\(host):\(port)/")), timeouts: RequestTimeouts(connect: .seconds(9)))
        }

        @Test(arguments: [
            "both.test", "v4.test", "V4.Test.", "cname.test", "slow-aaaa.test", "silent-aaaa.test", "truncated.test",
        ])
        func `a server is reached by its name, also if the name server does not respond to one of the questions`(
            host: String
        ) async throws {
            let server = try AddressServer(last: 1)
            let start = ContinuousClock.now
            let response = try await session().response(for: request(host, server.port))
            print("\(host): \(ContinuousClock.now - start), lookup \(response.timings.nameLookup ?? .zero)")
            #expect(response.text == "127.0.0.1" && response.timings.nameLookup != nil)
        }

        @Test(arguments: [
            ("nxdomain.test", "has no address"), ("v6.test", "family IPv4"), ("servfail.test", "lookup"),
            ("refused.test", "lookup"),
        ])
        func `a name without an address is an error that says so`(host: String, reason: String) async throws {
            let session = session { if host == "v6.test" { $0.route.family = .ipv4 } }
            let error = try await failure(of: session, try request(host, 1))
            #expect(error.code == .nameLookupFailed && error.phase == .nameLookup, "\(error)")
            #expect(error.message.contains(host) && error.message.contains(reason), "\(error)")
        }

        @Test func `a lookup that is not responded to ends with the connect timeout`() async throws {
            let error = try await failure(of: session(), try request("silent.test", 1))
            #expect(error.isTimeout && error.phase == .nameLookup && error.isConnectivity, "\(error)")
        }

        @Test func `after a failover, the next request reaches the new server, although its name was kept`() async throws {
            let session = session { $0.route.nameLifetime = .seconds(3600) }
            try change("moved.test 127.0.0.1 ttl=1")
            var first: AddressServer? = try AddressServer(last: 1)
            let port = try #require(first?.port)
            #expect(try await session.response(for: request("moved.test", port)).text == "127.0.0.1")
            let second = try AddressServer(last: 2, port: port)
            #expect(try await session.response(for: request("moved.test", port)).timings.nameLookup == nil, "the name is kept")
            first?.stop()
            first = nil
            try change("moved.test 127.0.0.2 ttl=1")
            let response = try await session.response(for: request("moved.test", second.port))
            #expect(response.text == "127.0.0.2")
            try change("moved.test 127.0.0.1")
        }

        @Test(arguments: [2, 6]) func `a server is reached although all other addresses of its name are silent`(count: Int)
            async throws
        {
            let server = try AddressServer(last: UInt32(count))
            let silent = try (1..<count).map { try StuckListener(last: UInt32($0), port: server.port) }
            try change("many.test " + (1...count).map { "127.0.0.\($0)" }.joined(separator: " "))
            let start = ContinuousClock.now
            let response = try await session().response(for: request("many.test", server.port))
            print("\(count) addresses, one alive: \(ContinuousClock.now - start)")
            #expect(response.text == "127.0.0.\(count)" && response.serverAddress?.address == "127.0.0.\(count)")
            withExtendedLifetime(silent) {}
        }

        @Test func `the error has each address and its reason`() async throws {
            try change("many.test 127.0.0.1 127.0.0.2 127.0.0.3")
            let error = try await failure(of: session(), try request("many.test", 9))
            #expect(error.code == .cannotConnect && error.phase == .connect)
            for last in 1...3 { #expect(error.message.contains("127.0.0.\(last):9: Connection refused"), "\(error)") }
        }
    }

    /// Responds to each request with its address.
    private final class AddressServer: Sendable {
        let port: UInt16
        private let listener: Int32

        struct Failure: Error {}

        init(last: UInt32, port: UInt16 = 0) throws {
            let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var isOn: Int32 = 1
            setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &isOn, socklen_t(MemoryLayout<Int32>.size))
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = (0x7F00_0000 | last).bigEndian
            address.sin_port = port.bigEndian
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isListening = withUnsafeMutablePointer(to: &address) { address in
                address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(listener, $0, size) == 0 && listen(listener, 64) == 0 && getsockname(listener, $0, &size) == 0
                }
            }
            guard isListening else { throw Failure() }
            self.listener = listener
            self.port = UInt16(bigEndian: address.sin_port)
            Thread.detachNewThread {
                while true {
                    let connection = accept(listener, nil, nil)
                    guard connection >= 0 else { return }
                    var buffer = [UInt8](repeating: 0, count: 4096)
                    _ = recv(connection, &buffer, buffer.count, 0)
                    let text = "127.0.0.\(last)"
                    let response = "HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\nConnection: close\r\n\r\n\(text)"
                    _ = send(connection, response, response.utf8.count, Int32(MSG_NOSIGNAL))
                    close(connection)
                }
            }
        }

        /// Refuses connections from now on.
        func stop() {
            shutdown(listener, Int32(SHUT_RDWR))
        }

        deinit {
            stop()
        }
    }
#endif
