import DataTransfer
import Foundation
import NetworkSupport
import Testing
import TransferTestSupport

#if os(Linux)
    /// HTTP/3 (RFC 9114) with aioquic. Needs OpenSSL 3.5 or later.
    @Suite(
        .needs(
            "OpenSSL 3.5 and the server of Scripts/http3_server.py",
            Engine.speaksHTTP3 && !Servers.h3.isEmpty && !Engine.ours(with: .requiredVersions).isEmpty,
            run: "Scripts/with-servers Scripts/with-openssl 3.5.4 swift test --filter HTTP3Tests"),
        .serialized, .timeLimit(.minutes(5)))
    struct HTTP3Tests {
        private func session(_ change: (inout SessionConfiguration) -> Void = { _ in }) -> any NetworkSessionManager {
            Engine.ours(with: .requiredVersions)[0].trusting {
                $0.httpVersion = .http3
                change(&$0)
            }
        }

        private func bytes(_ count: Int) -> Data { Data((0..<count).map { UInt8($0 % 251) }) }

        @Test func `requests use one connection`() async throws {
            let session = session()
            for isReused in [false, true, true] {
                let response = try await session.send(.get, Servers.h3 + "/connection")
                #expect(response.statusCode == 200)
                #expect(response.timings.protocolName == "h3" && response.timings.isReusedConnection == isReused)
                #expect((response.timings.connect != nil) == !isReused)
            }
            let head = try await session.send(.head, Servers.h3 + "/status/200")
            #expect(head.statusCode == 200 && head.data.isEmpty)
            #expect(try await session.send(.get, Servers.h3 + "/status/404").statusCode == 404)
        }

        @Test(arguments: [0, 1, 1199, 65_536, 1_000_000]) func `bodies of any size arrive whole`(count: Int) async throws {
            let session = session()
            #expect(try await session.send(.get, Servers.h3 + "/bytes/\(count)").data == bytes(count))
            #expect(try await session.send(.post, Servers.h3 + "/echo", body: bytes(count)).data == bytes(count))
            #expect(try await session.send(.post, Servers.h3 + "/count", body: bytes(count)).text == "\(count)")
        }

        @Test(arguments: [16_000, 16_384, 40_000, 300_000])
        func `bodies are sent whole to a server with small windows, also at the same time`(count: Int) async throws {
            let session = session()
            let body = bytes(count)
            for _ in 0..<3 {
                #expect(try await session.send(.post, Servers.narrowH3 + "/count", body: body).text == "\(count)")
            }
            let counts = try await withThrowingTaskGroup(of: String?.self) { group in
                for _ in 0..<8 {
                    group.addTask { try await session.send(.post, Servers.narrowH3 + "/count", body: body).text }
                }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(counts == ["\(count)"])
        }

        @Test func `bodies are streamed in both directions`() async throws {
            let session = session()
            let piece = bytes(50_000)
            for length in [nil, 500_000] as [Int64?] {
                let chunks = AsyncStream { continuation in
                    for _ in 0..<10 { continuation.yield(piece) }
                    continuation.finish()
                }
                let request = NetworkRequest(
                    method: .post, url: try #require(URL(string: Servers.h3 + "/echo")), body: .stream(chunks, length: length))
                var received = Data()
                for try await chunk in try await session.stream(for: request).body { received.append(chunk) }
                #expect(received == (0..<10).reduce(into: Data()) { data, _ in data.append(piece) })
            }
        }

        @Test func `a slow reader stops the server, and other requests use another connection`() async throws {
            let session = session()
            let url = try #require(URL(string: Servers.h3 + "/bytes/5000000"))
            var chunks = try await session.stream(for: NetworkRequest(url: url)).body.makeAsyncIterator()
            var count = try await chunks.next()?.count ?? 0
            for _ in 0..<20 { #expect(try await session.send(.get, Servers.h3 + "/status/200").statusCode == 200) }
            while let chunk = try await chunks.next() { count += chunk.count }
            #expect(count == 5_000_000)
        }

        @Test func `trailers and informational responses are received`() async throws {
            let session = session()
            #expect(try await session.send(.get, Servers.h3 + "/trailers").trailers["X-Checksum"] == "12345")
            let hints = Locked<[Int]>([])
            var request = NetworkRequest(url: try #require(URL(string: Servers.h3 + "/early-hints")))
            request.onInformationalResponse = { response in hints.withLock { $0.append(response.statusCode) } }
            #expect(try await session.response(for: request).text == "after two hints\n")
            #expect(hints.withLock { $0 } == [103, 103])
        }

        @Test func `64 requests at the same time share a connection`() async throws {
            let session = session()
            _ = try await session.send(.get, Servers.h3 + "/status/200")
            let reused = try await withThrowingTaskGroup(of: Bool.self) { group in
                for index in 0..<64 {
                    group.addTask {
                        let body = Data(repeating: UInt8(index), count: 1000)
                        let response = try await session.send(.post, Servers.h3 + "/echo", body: body)
                        return response.data == body && response.timings.isReusedConnection == true
                    }
                }
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(reused == 64)
        }

        @Test func `a cancelled request ends, and the next one has a new connection`() async throws {
            let session = session()
            _ = try await session.send(.get, Servers.h3 + "/status/200")
            let url = try #require(URL(string: Servers.h3 + "/bytes/50000000"))
            for _ in 0..<3 {
                let stream = try await session.stream(for: NetworkRequest(url: url))
                var chunks = stream.body.makeAsyncIterator()
                #expect(try await chunks.next()?.isEmpty == false)
            }
            #expect(try await session.send(.get, Servers.h3 + "/status/200").statusCode == 200)
            let late = try await session.failure(
                .get, Servers.h3 + "/delay/60000", timeouts: RequestTimeouts(total: .milliseconds(700)))
            #expect(late.code == .timedOut)
        }

        @Test func `a response that is reset is incomplete`() async throws {
            let error = try await session().failure(.get, Servers.h3 + "/reset")
            #expect(error.code == .incompleteBody && error.message.contains("H3_INTERNAL_ERROR"), "\(error)")
        }

        @Test(arguments: [RequestMethod.get, .post]) func `a request that the server refuses is sent again`(
            method: RequestMethod
        ) async throws {
            let error = try await session().failure(method, Servers.h3 + "/refuse")
            #expect(error.code == .connectionLost && error.message.contains("64 times"), "\(error)")
        }

        @Test func `after GOAWAY, the next request has a new connection`() async throws {
            let session = session()
            #expect(try await session.send(.get, Servers.h3 + "/goaway").text == "going away\n")
            #expect(try await session.send(.get, Servers.h3 + "/status/200").timings.isReusedConnection == false)
        }

        @Test func `a server may respond before it has read the request`() async throws {
            let response = try await session().send(.post, Servers.h3 + "/stop", body: Data(count: 3_000_000))
            #expect(response.statusCode == 413 && response.text == "that is enough\n")
        }

        @Test func `a connection that the server closes ends its requests`() async throws {
            let error = try await session().failure(.get, Servers.h3 + "/close/0x102")
            #expect(error.code == .connectionLost && error.message.contains("H3_INTERNAL_ERROR"), "\(error)")
            // One that was reused may have been closed before the request arrived.
            let reusing = session()
            _ = try await reusing.send(.get, Servers.h3 + "/status/200")
            #expect(try await reusing.failure(.post, Servers.h3 + "/close/0x100").code == .connectionLost)
            #expect(try await reusing.send(.get, Servers.h3 + "/status/200").statusCode == 200)
        }

        @Test func `a server that vanishes is noticed`() async throws {
            let error = try await session().failure(.get, Servers.h3 + "/vanish")
            #expect(error.code == .connectionLost && error.message.contains("15 s"), "\(error)")
        }

        @Test func `the server is verified as over TCP`() async throws {
            let roots = Servers.trust.roots
            let other = TrustPin.certificate(.file(Servers.certificate("client.pem")))
            let own = TrustPin.certificate(.file(Servers.certificate("server.pem")))
            for (trust, failure) in [
                (TrustPolicy(), TLSFailure.unknownIssuer), (TrustPolicy(roots: roots, pins: [other]), .pinMismatch),
                (TrustPolicy(roots: .insecureWithoutVerification, pins: [other]), .pinMismatch),
            ] {
                let error = try await session { $0.trust = trust }.failure(.get, Servers.h3 + "/status/200")
                #expect(error.code == .tlsFailed && error.phase == .tls && error.tlsFailure == failure, "\(error)")
            }
            let pinned = session { $0.trust = TrustPolicy(roots: roots, pins: [other, own]) }
            #expect(try await pinned.send(.get, Servers.h3 + "/status/200").statusCode == 200)
            let misnamed = session { $0.route.addresses["other.example"] = ["127.0.0.1"] }
            let name = Servers.h3.replacingOccurrences(of: "127.0.0.1", with: "other.example")
            #expect(try await misnamed.failure(.get, name + "/status/200").tlsFailure == .wrongHost)
        }

        @Test func `another address is tried if the first one has no server`() async throws {
            let session = session { $0.route.addresses["server.example"] = ["::1", "127.0.0.1"] }
            let server = Servers.h3.replacingOccurrences(of: "127.0.0.1", with: "server.example")
            #expect(try await session.send(.get, server + "/status/200").timings.protocolName == "h3")
        }

        @Test func `a port without a server is an error at once`() async throws {
            let error = try await session().failure(.get, "https://127.0.0.1:1/ok")
            #expect(error.code == .cannotConnect && error.phase == .connect, "\(error)")
        }

        @Test func `HTTP 3 is used if it is preferred and the server speaks it`() async throws {
            let session = session { $0.httpVersion = .http3Preferred }
            let name = try await session.send(.get, Servers.h3 + "/status/200").timings.protocolName
            #expect(name == "h3")
            let body = bytes(100_000)
            #expect(try await session.send(.post, Servers.h3 + "/echo", body: body).data == body)
        }

        @Test(arguments: [false, true])
        func `TCP is used if HTTP 3 is preferred, and the UDP port is closed or silent`(isSilent: Bool) async throws {
            let url = try #require(URL(string: Servers.tls))
            let socket = isSilent ? try SilentPort(UInt16(try #require(url.port))) : nil
            defer { withExtendedLifetime(socket) {} }
            let session = session {
                $0.httpVersion = .http3Preferred
                $0.connectTimeout = .seconds(60)
            }
            let names = try await withThrowingTaskGroup(of: String?.self) { group in
                for index in 0..<20 {
                    group.addTask {
                        try await session.send(index.isMultiple(of: 2) ? .get : .post, Servers.tls + "/ok").timings.protocolName
                    }
                }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(names == ["http/1.1"])
            let start = ContinuousClock.now
            for _ in 0..<100 { #expect(try await session.send(.get, Servers.tls + "/ok").text == "ok") }
            #expect(ContinuousClock.now - start < .seconds(20), "each would take 250 ms if it were not remembered")
        }

        @Test func `HTTP 3 is used after a response has offered it, at the port that it names`() async throws {
            let session = session { $0.httpVersion = .http3Advertised }
            func version(_ path: String) async throws -> String? {
                try await session.send(.get, Servers.tls + path).timings.protocolName
            }
            #expect(try await version("/ok") == "http/1.1")
            #expect(try await version("/offers-http3") == "http/1.1")
            for _ in 0..<3 { #expect(try await version("/status/200") == "h3") }
            // The server at that port is not responsible for the origin.
            #expect(try await session.send(.get, Servers.tls + "/status/421").statusCode == 421)
            #expect(try await version("/ok") == "http/1.1")
            // Without verification, an offer could be that of another server.
            let unverified = self.session {
                $0.httpVersion = .http3Advertised
                $0.trust = TrustPolicy(roots: .insecureWithoutVerification)
            }
            for path in ["/offers-http3", "/ok"] {
                #expect(try await unverified.send(.get, Servers.tls + path).timings.protocolName == "http/1.1")
            }
        }

        @Test func `HTTP 3 is used after the name server has offered it`() async throws {
            let port = try #require(URL(string: Servers.h3)?.port)
            let change = Data("server.example 127.0.0.1 h3=\(port)".utf8)
            let hypercorn = "https" + SocketServers.hypercorn.dropFirst("wss".count)
            let plain = self.session { $0.httpVersion = .automatic }
            #expect(try await plain.send(.post, hypercorn + "/dns-names", body: change).statusCode == 204)
            let server = try #require(URL(string: hypercorn + "/dns-query"))
            let session = session {
                $0.httpVersion = .http3Advertised
                $0.route.nameServer = .https(server, trust: Servers.trust)
            }
            let origin = Servers.tls.replacingOccurrences(of: "127.0.0.1", with: "server.example")
            #expect(try await session.send(.get, origin + "/ok").timings.protocolName == "http/1.1")
            // The record is looked up meanwhile.
            let start = ContinuousClock.now
            while try await session.send(.get, origin + "/status/200").timings.protocolName != "h3" {
                try #require(ContinuousClock.now - start < .seconds(60))
            }
        }

        @Test(arguments: [
            UDPRelay.Faults(loss: 1), .init(loss: 5, duplicates: 5, delay: 5), .init(duplicates: 50, delay: 30),
            .init(loss: 20, delay: 2),
        ])
        func `requests succeed over a network that loses, delays and repeats datagrams`(faults: UDPRelay.Faults) async throws {
            let server = UInt16(clamping: try #require(URL(string: Servers.h3)?.port))
            let relay = try UDPRelay(to: server, faults, seed: UInt64.random(in: 0...1 << 40))
            defer { withExtendedLifetime(relay) {} }
            let base = "https://127.0.0.1:\(relay.port)"
            let session = session { $0.idleTimeout = .seconds(120) }
            // aioquic ends a connection whose first datagram was lost, and whose second one is a probe: one without a CRYPTO frame.
            var error: (any Error)?
            for _ in 0..<20 {
                do {
                    _ = try await session.send(.get, base + "/bytes/0")
                    error = nil
                    break
                } catch let failure as TransportError where failure.code == .cannotConnect {
                    error = failure
                }
            }
            if let error { throw error }
            let size = faults.loss > 5 ? 50_000 : 500_000
            for count in [0, 1, 3000, size] {
                #expect(try await session.send(.get, base + "/bytes/\(count)").data == bytes(count))
                #expect(try await session.send(.post, base + "/echo", body: bytes(count)).data == bytes(count))
            }
            let failures = await withTaskGroup(of: (any Error)?.self) { group in
                for index in 0..<20 {
                    group.addTask {
                        do {
                            let body = Data(repeating: UInt8(index), count: 5000)
                            let response = try await session.send(.post, base + "/echo", body: body)
                            return response.data == body ? nil : TransportError(.other, "another body")
                        } catch {
                            return error
                        }
                    }
                }
                return await group.reduce(into: []) { if let error = $1 { $0.append(error) } }
            }
            #expect(failures.isEmpty, "\(failures)")
        }

        @Test(arguments: [
            "frames", "control", "data", "interim", "fields", "head", "streams", "settings", "push", "table", "bytes",
        ])
        func `what a server must not send ends the request, and the next one succeeds`(kind: String) async throws {
            let session = session()
            let error = try await session.failure(.get, Servers.h3 + "/flood/" + kind)
            #expect([.malformedResponse, .headersTooLarge, .incompleteBody].contains(error.code), "\(kind): \(error)")
            #expect(try await session.send(.get, Servers.h3 + "/status/200").statusCode == 200)
        }

        @Test func `random cancellations leave a usable session manager`() async throws {
            let session = session()
            let paths = ["/status/200", "/bytes/1000000", "/echo", "/delay/20", "/connection"]
            let failures = await withTaskGroup(of: TransportError?.self) { group in
                for index in 0..<200 {
                    group.addTask {
                        var random = SeededGenerator(seed: UInt64(index))
                        let path = paths[index % paths.count]
                        let task = Task {
                            try await session.send(
                                path == "/echo" ? .post : .get, Servers.h3 + path,
                                body: path == "/echo" ? Data(count: 100_000) : nil)
                        }
                        for _ in 0..<random.next() % 200 { await Task.yield() }
                        task.cancel()
                        guard case .failure(let error) = await task.result else { return nil }
                        let failure = error as? TransportError
                        return failure?.isCancelled == true ? nil : failure
                    }
                }
                return await group.reduce(into: []) { if let error = $1 { $0.append(error) } }
            }
            #expect(failures.isEmpty, "\(failures)")
            #expect(try await session.send(.get, Servers.h3 + "/status/200").statusCode == 200)
        }
    }

    /// A UDP port of 127.0.0.1 at which nothing is read.
    private final class SilentPort {
        private let descriptor: CInt

        init(_ port: UInt16) throws {
            descriptor = NetworkSupport.socket(AF_INET, CInt(SOCK_DGRAM.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            let result = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            try #require(result == 0)
        }

        deinit {
            close(descriptor)
        }
    }
#endif

extension Engine {
    #if os(Linux)
        /// Whether the OpenSSL that is loaded has QUIC, and is recent enough for HTTP/3.
        static let speaksHTTP3: Bool = {
            typealias Version = @convention(c) () -> CUnsignedLong
            guard let library = dlopen("libssl.so.3", RTLD_NOW), dlsym(library, "OSSL_QUIC_client_method") != nil,
                let function = dlsym(library, "OpenSSL_version_num")
            else { return false }
            return unsafeBitCast(function, to: Version.self)() >= 0x3050_0000
        }()
    #else
        static let speaksHTTP3 = false
    #endif
}
