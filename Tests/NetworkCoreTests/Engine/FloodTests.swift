#if os(Linux)
    import Endpoints
    import Foundation
    import Glibc
    import NetworkSupport
    import NetworkTesting
    import Testing
    import TransferTestSupport

    @testable import NetworkEngine
    @testable import NetworkTransport

    /// Peers that send without end what carries no data, as fast as they can. All hosts of a session manager share one loop here.
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct FloodTests {
        /// A flood, and how its request ends.
        struct Flood: Sendable, CustomTestStringConvertible {
            enum Layer: Sendable, Equatable {
                case http1, http2
                case tls(TLSFlood.Version)
                /// TLS before its first message is received.
                case handshake
            }

            var name: String
            var layer: Layer
            /// A part of the error's message; `nil` if the time limit of the request ends it.
            var message: String?
            /// The bytes that are sent once, after the request.
            var opening: [UInt8] = []
            /// Returns the bytes that are sent again and again. Called for each repetition over TLS, and once otherwise.
            var piece: @Sendable (TLSFlood?) throws -> [UInt8]

            var testDescription: String { name }
            var isSecure: Bool { layer != .http1 && layer != .http2 }

            static func frame(_ type: UInt8, _ flags: UInt8, _ payload: [UInt8], stream: UInt8) -> [UInt8] {
                [0, 0, UInt8(payload.count), type, flags, 0, 0, 0, stream] + payload
            }

            /// A flood of frames.
            ///
            /// - Parameter message: A part of the error, which names the limit or the rule.
            static func frames(
                _ name: String, _ message: String, _ type: UInt8, _ flags: UInt8, _ payload: [UInt8], stream: UInt8 = 0,
                after opening: [UInt8] = []
            ) -> Flood {
                let frame = frame(type, flags, payload, stream: stream)
                let many = Array(repeatElement(frame, count: (64 << 10) / frame.count).joined())
                return Flood(name: "HTTP/2 \(name)", layer: .http2, message: message, opening: opening) { _ in many }
            }

            static func records(
                _ name: String, _ message: String?, type: UInt8, _ content: [UInt8], _ version: TLSFlood.Version = .tls13
            ) -> Flood {
                Flood(name: "TLS \(name)", layer: .tls(version), message: message) { flood in
                    guard let flood else { return [] }
                    return try (0..<64).flatMap { _ in try flood.record(content, type: type) }
                }
            }
        }

        private static let hellos = Array(repeatElement(TLSFlood.helloRequest, count: 4000).joined())
        /// The head of a response on stream 1: `:status: 200` as an index of the static table.
        private static let head = Flood.frame(1, 4, [0x88], stream: 1)
        /// The same without END_HEADERS, so that CONTINUATION has to follow.
        private static let openHead = Flood.frame(1, 0, [0x88], stream: 1)
        /// `a: b`, 40 times, not indexed (RFC 7541 §6.2.2).
        private static let fields = Array(repeatElement([0, 1, 0x61, 1, 0x62] as [UInt8], count: 40).joined())

        private static let all: [Flood] = [
            .records("tickets, one in a record", "no data", type: 22, TLSFlood.ticket),
            .records(
                "tickets, 800 in a record", "no data", type: 22, Array(repeatElement(TLSFlood.ticket, count: 800).joined())),
            .records("empty records", nil, type: 23, []),
            .records("warnings", nil, type: 21, [1, 90]),
            // OpenSSL 3.6 loses track of the keys when reading ahead ends between two of them.
            .records("KeyUpdate", nil, type: 22, TLSFlood.keyUpdate),
            // The server reads none of the responses, so that they soon wait for room.
            .records("KeyUpdate with a request", nil, type: 22, TLSFlood.keyUpdateRequest),
            .records("1.2 HelloRequest, one in a record", "no data", type: 22, TLSFlood.helloRequest, .tls12),
            .records("1.2 HelloRequest, 4000 in a record", nil, type: 22, hellos, .tls12),
            Flood(name: "TLS HelloRequest in the handshake", layer: .handshake) { _ in
                // 16,000 bytes in a record that is not encrypted.
                Array(repeatElement([22, 3, 3, 0x3E, 0x80] + hellos, count: 8).joined())
            },
            .frames("PRIORITY", "without content", 2, 0, [0, 0, 0, 0, 16], stream: 3),
            .frames("PING responses", "without content", 6, 1, [0, 1, 2, 3, 4, 5, 6, 7]),
            .frames("PING", "1000 replies", 6, 0, [0, 1, 2, 3, 4, 5, 6, 7]),
            .frames("SETTINGS", "1000 replies", 4, 0, []),
            .frames("WINDOW_UPDATE by 0", "by 0 bytes", 8, 0, [0, 0, 0, 0], stream: 0),
            .frames("unknown frames", "without content", 0x42, 0, []),
            .frames("empty DATA", "without content", 0, 0, [], stream: 1, after: head),
            .frames("empty CONTINUATION", "CONTINUATION", 9, 0, [], stream: 1, after: openHead),
            .frames("CONTINUATION with fields", "CONTINUATION", 9, 0, fields, stream: 1, after: openHead),
            .frames(
                "CONTINUATION of a promise", "PUSH_PROMISE", 9, 0, [], stream: 1,
                after: Flood.frame(5, 0, [0, 0, 0, 2, 0x82], stream: 1)),
            Flood(name: "HTTP/1.1 interim responses", layer: .http1, message: "interim") { _ in
                Array(repeatElement("HTTP/1.1 103 Early Hints\r\n\r\n", count: 2000).joined().utf8)
            },
            Flood(
                name: "HTTP/1.1 chunk extensions", layer: .http1,
                opening: Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
            ) { _ in Array(repeatElement("1;" + String(repeating: "a", count: 200) + "\r\nx\r\n", count: 300).joined().utf8) },
        ]
        static let floods = all.filter { !$0.isSecure || TLSFlood.isAvailable }

        /// - Parameter isOver: Set when the flood has ended by itself, after 30 seconds.
        private static func server(_ flood: Flood, isOver: Locked<Bool>) throws -> RawServer {
            let certificates = flood.isSecure ? try TLSServers.running() : nil
            return try RawServer { connection in
                let end = ContinuousClock.now + .seconds(30)
                if case .tls(let version) = flood.layer, let certificates {
                    let tls = try TLSFlood(connection.descriptor, version, certificates: certificates)
                    while ContinuousClock.now < end { try connection.send(try flood.piece(tls)) }
                    return isOver.withLock { $0 = true }
                }
                switch flood.layer {
                case .http1: _ = try connection.head()
                case .http2:
                    _ = try connection.take(24)
                    try connection.send([0, 0, 0, 4, 0, 0, 0, 0, 0] as [UInt8])
                    if !flood.opening.isEmpty { _ = try connection.receive() }
                case .handshake, .tls: _ = try connection.receive()
                }
                try connection.send(flood.opening)
                let piece = try flood.piece(nil)
                while ContinuousClock.now < end { try connection.send(piece) }
                isOver.withLock { $0 = true }
            }
        }

        @Test(arguments: floods) func `a flood ends, and requests to other hosts succeed meanwhile`(flood: Flood) async throws {
            let isOver = Locked(false)
            let hostile = try Self.server(flood, isOver: isOver)
            let friendly = try LoopbackServer { _ in .text("fine") }
            let authority = flood.isSecure ? try TLSServers.running().authority : nil
            let session = SocketSessionManager(
                configuration: SessionConfiguration {
                    $0.eventLoops = 1
                    if flood.layer == .http2 { $0.httpVersionByHost = ["localhost": .http2] }
                    if let authority { $0.trust = TrustPolicy(roots: authority) }
                })
            _ = try await session.response(for: friendly.request("/"))
            let url = try #require(URL(string: "\(flood.isSecure ? "https" : "http")://localhost:\(hostile.port)/"))
            let failed = Locked(false)
            // A flood that no other limit ends is ended by this one.
            async let outcome = Self.failure(of: session, url, total: .seconds(flood.message == nil ? 5 : 25), failed)
            // Each request of this loop is one more turn of the event loop.
            var turns = 0
            var longest = Duration.zero
            while !failed.withLock(\.self) {
                let start = ContinuousClock.now
                #expect(try await session.response(for: friendly.request("/")).statusCode == 200)
                longest = max(longest, .now - start)
                turns += 1
            }
            let error = await outcome
            print("\(flood.name): \(turns) other requests, the longest took \(longest); \(error?.description ?? "none")")
            #expect(error != nil)
            if let message = flood.message {
                #expect(error?.message.contains(message) == true, "\(String(describing: error))")
            }
            #expect(!isOver.withLock { $0 }, "the request has ended before the flood")
            hostile.stop()
        }

        @Test(.needs("python3, the openssl command and OpenSSL", TLSFlood.isAvailable), arguments: [1, 15])
        func `new keys between records of a response change nothing`(count: Int) async throws {
            try await receive(.tls13, TLSFlood.keyUpdate, count)
        }

        /// RFC 9113 §9.2.1 forbids another handshake in HTTP/2, and each costs as much as the first one.
        @Test(.needs("python3, the openssl command and OpenSSL", TLSFlood.isAvailable), arguments: [1, 15])
        func `requests of a server for another handshake change nothing`(count: Int) async throws {
            try await receive(.tls12, TLSFlood.helloRequest, count)
        }

        /// Receives a response with messages of TLS before each byte of its body.
        private func receive(_ version: TLSFlood.Version, _ message: [UInt8], _ count: Int) async throws {
            let certificates = try TLSServers.running()
            let server = try RawServer { connection in
                let tls = try TLSFlood(connection.descriptor, version, certificates: certificates)
                var bytes = try tls.record(Array("HTTP/1.1 200 OK\r\nContent-Length: 400\r\n\r\n".utf8), type: 23)
                for digit in 0..<400 {
                    for _ in 0..<count { bytes += try tls.record(message, type: 22) }
                    bytes += try tls.record(Array(String(digit % 10).utf8), type: 23)
                }
                try connection.send(bytes)
                while try connection.receive() {}
            }
            let session = SocketSessionManager(
                configuration: SessionConfiguration { $0.trust = TrustPolicy(roots: certificates.authority) })
            let url = try #require(URL(string: "https://localhost:\(server.port)/"))
            let response = try await session.response(for: NetworkRequest(url: url))
            #expect(response.text == String(repeating: "0123456789", count: 40))
            server.stop()
        }

        /// With TLS 1.2, servers ask for a certificate only when a request needs one.
        @Test(.needs("python3, the openssl command and OpenSSL", TLSFlood.isAvailable))
        func `a client with an identity takes part in another handshake`() async throws {
            let certificates = try TLSServers.running()
            let server = try RawServer { connection in
                let tls = try TLSFlood(connection.descriptor, .tls12, certificates: certificates)
                let hasCertificate = tls.renegotiate(authority: certificates.file("ca.pem"))
                tls.send("HTTP/1.1 \(hasCertificate ? 200 : 403) -\r\nContent-Length: 2\r\n\r\nok")
                connection.waitForHangUp()
            }
            let identity = ClientIdentity(
                certificate: .file(certificates.file("client.pem")), key: .file(certificates.file("client.key")))
            let session = SocketSessionManager(
                configuration: SessionConfiguration {
                    $0.trust = TrustPolicy(roots: certificates.authority, clientIdentity: identity)
                })
            let url = try #require(URL(string: "https://localhost:\(server.port)/"))
            let response = try await session.response(for: NetworkRequest(url: url))
            #expect(response.statusCode == 200 && response.text == "ok")
        }

        private static func failure(
            of session: SocketSessionManager, _ url: URL, total: Duration, _ failed: Locked<Bool>
        ) async -> TransportError? {
            defer { failed.withLock { $0 = true } }
            do throws(TransportError) {
                _ = try await session.response(for: NetworkRequest(url: url, timeouts: RequestTimeouts(total: total)))
                return nil
            } catch {
                return error
            }
        }
    }
#endif
