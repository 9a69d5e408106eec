#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkSupport
    import TestSupport
    import Testing
    import TransferTestSupport

    @testable import NetworkEngine
    @testable import NetworkTransport

    /// Streams that carry a WebSocket (RFC 8441), against a server that follows a script.
    @Suite(.timeLimit(.minutes(10)))
    struct HTTP2TunnelTests {
        private let session = HTTP2Session.make()

        private static let settings: [(HTTP2Setting, UInt32)] = [(.enableConnectProtocol, 1)]

        /// Opens a tunnel.
        private func open(_ server: RawServer, _ session: SocketSessionManager? = nil) async throws(TransportError)
            -> NetworkResponse
        {
            let headers: HeaderFields = [
                "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Key": "AAAA", "Sec-WebSocket-Version": "13",
            ]
            return try await (session ?? self.session).stream(for: server.request("/socket", headers: headers))
        }

        private func connection(_ server: RawServer) async throws -> UpgradedConnection {
            try #require(try await open(server).upgradedConnection)
        }

        private func failure(_ body: () async throws(TransportError) -> Void) async -> TransportError? {
            do throws(TransportError) {
                try await body()
                return nil
            } catch {
                return error
            }
        }

        private func rest(of connection: UpgradedConnection) async -> (text: String, error: TransportError?) {
            var text = ""
            let error = await failure { () async throws(TransportError) in
                while let bytes = try await connection.read() { text += String(decoding: bytes, as: UTF8.self) }
            }
            return (text, error)
        }

        /// Accepts a tunnel, and returns its stream.
        private static func accept(_ peer: HTTP2Peer, _ fields: [(String, String)] = []) throws -> UInt32 {
            let (stream, _) = try peer.nextHead()
            peer.frames.head([(":status", "200")] + fields, stream: stream)
            try peer.send()
            return stream
        }

        @Test func `the request is an extended CONNECT without the fields of HTTP 1`() async throws {
            let seen = Locked<[String: String]>([:])
            let server = try RawServer { connection in
                let peer = try HTTP2Peer(connection, settings: Self.settings)
                let (stream, fields) = try peer.nextHead()
                seen.withLock { $0 = fields }
                // A length means nothing in a tunnel (RFC 9110 §9.3.6).
                peer.frames.head([(":status", "200"), ("content-length", "3"), ("x-a", "1")], stream: stream)
                peer.frames.data("more than three", stream: stream, isEnd: true)
                try peer.send()
                peer.readToEnd()
            }
            let response = try await open(server)
            #expect(response.statusCode == 200 && response.headers["x-a"] == "1")
            #expect(response.timings.protocolName == "h2")
            let (text, error) = await rest(of: try #require(response.upgradedConnection))
            #expect(text == "more than three" && error == nil)
            let fields = seen.withLock(\.self)
            #expect(fields[":method"] == "CONNECT" && fields[":protocol"] == "websocket" && fields[":scheme"] == "http")
            #expect(fields[":path"] == "/socket" && fields[":authority"] == "127.0.0.1:\(server.port)")
            #expect(fields["sec-websocket-version"] == "13")
            for name in ["upgrade", "connection", "sec-websocket-key", "content-length"] {
                #expect(fields[name] == nil, "\(name)")
            }
        }

        @Test func `bytes pass in both directions, within the windows`() async throws {
            let server = try RawServer { connection in
                let peer = try HTTP2Peer(connection, settings: Self.settings + [(.initialWindowSize, 1000)])
                let stream = try Self.accept(peer)
                var received: [UInt8] = []
                while received.count < 50_000 {
                    guard case .data(stream, let bytes, false) = try peer.next() else { continue }
                    received += bytes
                    peer.frames.windowUpdate(UInt32(bytes.count), stream: stream)
                    peer.frames.windowUpdate(UInt32(bytes.count))
                    peer.frames.data("\(bytes.count <= 1000) ", stream: stream)
                    try peer.send()
                }
                peer.frames.data(
                    received.enumerated().allSatisfy { $1 == UInt8(truncatingIfNeeded: $0) } ? "same" : "other", stream: stream,
                    isEnd: true)
                try peer.send()
                peer.readToEnd()
            }
            let tunnel = try await connection(server)
            try await tunnel.write(Data((0..<50_000).map { UInt8(truncatingIfNeeded: $0) }))
            let (text, error) = await rest(of: tunnel)
            #expect(error == nil && text.hasSuffix(" same") && !text.contains("false"))
        }

        @Test func `the window of a tunnel is opened as its reader takes bytes`() async throws {
            let server = try RawServer { connection in
                let peer = try HTTP2Peer(connection, settings: Self.settings)
                let stream = try Self.accept(peer)
                var window = HTTP2Limits().streamWindow
                let piece = String(repeating: "x", count: 16_000)
                for _ in 0..<100 {
                    while window < piece.utf8.count {
                        guard case .other(let header, let payload) = try peer.next(), header.kind == .windowUpdate,
                            header.stream == stream
                        else { continue }
                        window += payload.withUnsafeBytes { Int($0.bigEndian(at: 0)) }
                    }
                    window -= piece.utf8.count
                    peer.frames.data(piece, stream: stream)
                    try peer.send()
                }
                peer.frames.data("", stream: stream, isEnd: true)
                try peer.send()
                peer.readToEnd()
            }
            let (text, error) = await rest(of: try await connection(server))
            #expect(text.utf8.count == 1_600_000 && error == nil)
        }

        @Test func `a refusal is a response with a body, and the connection is still used`() async throws {
            let server = try RawServer { connection in
                let peer = try HTTP2Peer(connection, settings: Self.settings)
                let (stream, _) = try peer.nextHead()
                peer.frames.head([(":status", "403")], stream: stream)
                peer.frames.data("no seats left", stream: stream, isEnd: true)
                try peer.send()
                guard case .reset(stream, .cancel) = try peer.next() else {
                    guard case .reset(stream, .cancel) = try peer.next() else { return }
                    return try peer.respond(try peer.nextHead().stream)
                }
                try peer.respond(try peer.nextHead().stream)
                peer.readToEnd()
            }
            let response = try await open(server)
            #expect(response.statusCode == 403 && response.upgradedConnection == nil)
            #expect(try await response.body.collected() == Data("no seats left".utf8))
            let next = try await session.response(for: server.request("/"))
            #expect(next.text == "ok" && next.timings.isReusedConnection == true)
        }

        @Test(arguments: [true, false]) func `a server that opens no tunnels is not asked`(hasSettings: Bool) async throws {
            let heads = Locked<[String]>([])
            let server = try RawServer { connection in
                let peer = try HTTP2Peer(connection, settings: hasSettings ? [] : nil)
                if !hasSettings {
                    peer.frames.settings([])
                    try peer.send()
                }
                let (stream, fields) = try peer.nextHead()
                heads.withLock { $0.append(fields[":method"] ?? "") }
                try peer.respond(stream)
                peer.readToEnd()
            }
            let error = await failure { () async throws(TransportError) in _ = try await open(server) }
            #expect(error?.code == .unsupported && error?.message.contains("RFC 8441") == true)
            #expect(try await session.response(for: server.request("/")).text == "ok")
            #expect(heads.withLock { $0 } == ["GET"])
        }

        enum End: CaseIterable {
            case reset, goAway, fields, closed, ended
        }

        @Test(arguments: End.allCases, [true, false])
        func `the end of a stream is reported after the bytes before it`(end: End, isReading: Bool) async throws {
            let isSent = Promise<Void>()
            let server = try RawServer { connection in
                let peer = try HTTP2Peer(connection, settings: Self.settings)
                let stream = try Self.accept(peer)
                peer.frames.data("before the end", stream: stream)
                switch end {
                case .reset: peer.frames.reset(.internalError, stream: stream)
                case .goAway: peer.frames.goAway(0, .internalError)
                case .fields: peer.frames.head([("x-a", "1")], stream: stream, isEnd: true)
                case .closed: break
                case .ended: peer.frames.data("", stream: stream, isEnd: true)
                }
                try peer.send()
                isSent.resolve(())
                if end != .closed { peer.readToEnd() }
            }
            let tunnel = try await connection(server)
            if !isReading { await isSent.value() }
            let (text, error) = await rest(of: tunnel)
            #expect(text == "before the end")
            let codes: [End: TransportError.Code] = [
                .reset: .connectionLost, .goAway: .connectionLost, .fields: .malformedResponse, .closed: .connectionLost,
            ]
            #expect(error?.code == codes[end], "\(String(describing: error))")
            let sending = await failure { () async throws(TransportError) in try await tunnel.write(Data("x".utf8)) }
            #expect(sending?.code == codes[end] ?? .connectionLost)
        }

        @Test func `a tunnel that is closed resets its stream, and one that the peer has ended is ended`() async throws {
            let seen = Locked<[String]>([])
            let server = try RawServer { connection in
                let peer = try HTTP2Peer(connection, settings: Self.settings)
                for round in 0..<2 {
                    let stream = try Self.accept(peer)
                    if round == 1 {
                        peer.frames.data("", stream: stream, isEnd: true)
                        try peer.send()
                    }
                    var isOver = false
                    while !isOver {
                        switch try peer.next() {
                        case .reset(stream, let code): (isOver, _) = (true, seen.withLock { $0.append(code.name) })
                        case .data(stream, _, true): (isOver, _) = (true, seen.withLock { $0.append("end") })
                        default: continue
                        }
                    }
                }
                try peer.respond(try peer.nextHead().stream)
                peer.readToEnd()
            }
            try await connection(server).close()
            #expect(await rest(of: try await connection(server)).error == nil)
            #expect(try await session.response(for: server.request("/")).text == "ok")
            #expect(seen.withLock { $0 } == ["CANCEL", "end"])
        }

        @Test func `tunnels count as upgraded connections for their limit`() async throws {
            let session = HTTP2Session.make { $0.maximumUpgradedConnections = 1 }
            let server = try RawServer { connection in
                let peer = try HTTP2Peer(connection, settings: Self.settings)
                while true { _ = try Self.accept(peer) }
            }
            let first = try await open(server, session)
            let error = await failure { () async throws(TransportError) in _ = try await open(server, session) }
            #expect(error?.code == .outOfResources && error?.message.contains("maximumUpgradedConnections") == true)
            first.upgradedConnection?.close()
            while await failure({ () async throws(TransportError) in _ = try await open(server, session) }) != nil {
                try Task.checkCancellation()
            }
        }
    }
#endif
