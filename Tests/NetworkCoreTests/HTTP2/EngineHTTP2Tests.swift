#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkSupport
    import TestSupport
    import Testing
    import TransferTestSupport

    @testable import NetworkEngine
    @testable import NetworkTransport

    /// What the engine does with connections and requests over HTTP/2, against a server that follows a script.
    @Suite(.timeLimit(.minutes(10)))
    struct EngineHTTP2Tests {
        private let session = HTTP2Session.make()

        private func outcome(
            _ session: SocketSessionManager, _ request: NetworkRequest
        ) async -> Result<NetworkResponse, TransportError> {
            do throws(TransportError) {
                return .success(try await session.response(for: request))
            } catch {
                return .failure(error)
            }
        }

        // MARK: Requests

        @Test func `a request has the pseudo-fields of its URL, and none that describes a connection of HTTP 1`() async throws {
            let seen = Locked<[String: String]>([:])
            let server = try RawServer { connection in
                let peer = try HTTP2Peer(connection)
                let (stream, fields) = try peer.nextHead()
                seen.withLock { $0 = fields }
                try peer.respond(stream)
                peer.readToEnd()
            }
            let response = try await session.response(
                for: server.request(
                    "/a%20b?c=d", method: .put,
                    headers: [
                        "X-A": "1", "Connection": "X-A", "Keep-Alive": "5", "TE": "gzip", "Proxy-Authorization": "Basic x",
                        "Cookie": "a=1",
                    ], body: Data("body".utf8)))
            #expect(response.text == "ok" && response.timings.protocolName == "h2")
            let fields = seen.withLock(\.self)
            #expect(fields[":method"] == "PUT" && fields[":path"] == "/a%20b?c=d" && fields[":scheme"] == "http")
            #expect(fields[":authority"] == "127.0.0.1:\(server.port)" && fields["content-length"] == "4")
            #expect(fields["x-a"] == "1" && fields["cookie"] == "a=1" && fields["accept"] == "*/*")
            for name in ["connection", "keep-alive", "te", "proxy-authorization", "host"] { #expect(fields[name] == nil) }
        }

        @Test func `the priority of a request is sent with it`() async throws {
            let updates = Locked<[String]>([])
            let server = try RawServer { connection in
                let peer = try HTTP2Peer(connection)
                var heads = 0
                while heads < 3 || updates.withLock(\.count) < 2 {
                    switch try peer.next() {
                    case .head(let stream, _, _):
                        heads += 1
                        try peer.respond(stream)
                    case .other(let header, let payload) where header.kind == .priorityUpdate:
                        updates.withLock { $0.append(String(decoding: payload[4...], as: UTF8.self)) }
                    default: continue
                    }
                }
                peer.readToEnd()
            }
            for priority in [RequestPriority.normal, .high, .low] {
                var request = server.request("/")
                request.priority = priority
                _ = try await session.response(for: request)
            }
            #expect(updates.withLock(\.self) == ["u=1", "u=5"])
        }

        @Test(arguments: [true, false]) func `a body waits for a 100, and is not sent after a 417`(isAccepted: Bool) async throws
        {
            let heads = Locked<[[String: String]]>([])
            let bodies = Locked<[Int]>([])
            let server = try RawServer { connection in
                let peer = try HTTP2Peer(connection)
                while true {
                    let (stream, fields) = try peer.nextHead()
                    heads.withLock { $0.append(fields) }
                    if fields["expect"] != nil {
                        guard isAccepted else {
                            try peer.respond(stream, status: "417")
                            continue
                        }
                        peer.frames.head([(":status", "100")], stream: stream)
                        try peer.send()
                    }
                    var count = 0
                    while true {
                        guard case .data(stream, let bytes, let isEnd) = try peer.next() else { continue }
                        count += bytes.count
                        if isEnd { break }
                    }
                    bodies.withLock { [count] in $0.append(count) }
                    try peer.respond(stream)
                }
            }
            let response = try await session.response(
                for: server.request("/", method: .post, headers: ["Expect": "100-continue"], body: Data(count: 20_000)))
            #expect(response.statusCode == 200 && bodies.withLock(\.self) == [20_000])
            #expect(heads.withLock { $0.map { $0["expect"] != nil } } == (isAccepted ? [true] : [true, false]))
        }

        // MARK: What is sent again

        @Test(arguments: [RequestMethod.get, .post])
        func `requests above the last stream of GOAWAY are sent again on another connection, with any method`(
            method: RequestMethod
        ) async throws {
            let arrivals = Locked<[Int: Int]>([:])
            let server = try RawServer { connection in
                let peer = try HTTP2Peer(connection)
                var streams: [UInt32] = []
                while true {
                    let stream = try peer.nextHead().stream
                    arrivals.withLock { $0[connection.number, default: 0] += 1 }
                    guard connection.number == 0 else {
                        try peer.respond(stream, "second")
                        continue
                    }
                    streams.append(stream)
                    // The first request is responded to at once, so that the settings have arrived before the others are sent.
                    if streams.count == 1 { try peer.respond(stream, "first") }
                    guard streams.count == 5 else { continue }
                    peer.frames.goAway(streams[2])
                    for stream in streams[1...2] {
                        peer.frames.head([(":status", "200")], stream: stream)
                        peer.frames.data("first", stream: stream, isEnd: true)
                    }
                    try peer.send()
                }
            }
            _ = try await session.response(for: server.request("/"))
            let texts = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<4 {
                    let body = method == .post ? Data("x".utf8) : nil
                    group.addTask { try await session.response(for: server.request("/", method: method, body: body)).text }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(texts.sorted() == ["first", "first", "second", "second"])
            #expect(arrivals.withLock(\.self) == [0: 5, 1: 2])
        }

        @Test func `a request that each connection refuses fails after a limited number of times`() async throws {
            let arrivals = Locked(0)
            let server = try RawServer { connection in
                let peer = try HTTP2Peer(connection)
                while true {
                    let stream = try peer.nextHead().stream
                    arrivals.withLock { $0 += 1 }
                    peer.frames.reset(.refusedStream, stream: stream)
                    try peer.send()
                }
            }
            let error = try await failure(of: session, server.request("/", method: .post, body: Data("x".utf8)))
            #expect(error.code == .connectionLost && error.message.contains("REFUSED_STREAM"), "\(error)")
            #expect(arrivals.withLock(\.self) == SendRule.maximumRefusals + 1)
        }

        @Test(arguments: [RequestMethod.get, .post, .put])
        func `a request that is lost with a used connection is repeated once if it is idempotent`(method: RequestMethod)
            async throws
        {
            let arrivals = Locked(0)
            let server = try RawServer { connection in
                let peer = try HTTP2Peer(connection)
                if connection.number == 0 { try peer.respond(try peer.nextHead().stream) }
                _ = try peer.nextHead()
                arrivals.withLock { $0 += 1 }
            }
            _ = try await session.response(for: server.request("/"))
            let error = try await failure(
                of: session, server.request("/", method: method, body: method == .get ? nil : Data("x".utf8)))
            #expect(error.code == .connectionLost && error.phase == .firstByte, "\(error)")
            #expect(arrivals.withLock(\.self) == (method == .post ? 1 : 2))
        }

        @Test(arguments: ["status", "length", "frame"])
        func `a response that violates the protocol is malformed, and the request is not repeated`(kind: String) async throws {
            let arrivals = Locked(0)
            let server = try RawServer { connection in
                let peer = try HTTP2Peer(connection)
                try peer.respond(try peer.nextHead().stream)
                while true {
                    let stream = try peer.nextHead().stream
                    arrivals.withLock { $0 += 1 }
                    switch kind {
                    case "status": peer.frames.head([("x-a", "1")], stream: stream, isEnd: true)
                    case "length":
                        peer.frames.head([(":status", "200"), ("content-length", "1")], stream: stream)
                        peer.frames.data("too long", stream: stream, isEnd: true)
                    default: peer.frames.frame(.windowUpdate, stream: stream, [0, 0])
                    }
                    try peer.send()
                }
            }
            _ = try await session.response(for: server.request("/"))
            let error = try await failure(of: session, server.request("/"))
            #expect(error.code == .malformedResponse && error.message.contains("RFC 9113"), "\(error)")
            #expect(arrivals.withLock(\.self) == 1)
        }

        @Test func `HTTP 1 is an error if the server requires it and the configuration requires HTTP 2`() async throws {
            let server = try RawServer { connection in
                let peer = try HTTP2Peer(connection)
                let stream = try peer.nextHead().stream
                peer.frames.reset(.http11Required, stream: stream)
                try peer.send()
                peer.readToEnd()
            }
            let error = try await failure(of: session, server.request("/"))
            #expect(error.code == .httpVersionUnavailable && error.message.contains("requires HTTP/1.1"), "\(error)")
        }

        // MARK: How many at a time

        @Test func `no more requests are sent than the server permits streams, and the others follow as streams end`()
            async throws
        {
            let largest = Locked(0)
            let server = try RawServer { connection in
                let peer = try HTTP2Peer(connection, settings: [(.maximumConcurrentStreams, 3)])
                var open: [UInt32] = []
                while true {
                    open.append(try peer.nextHead().stream)
                    largest.withLock { [open] in $0 = max($0, open.count) }
                    // Waits for what may still arrive, then ends one stream.
                    if open.count == 3 || !connection.waitForBytes(20) { try peer.respond(open.removeFirst()) }
                    while open.count > 0, !connection.waitForBytes(20) { try peer.respond(open.removeFirst()) }
                }
            }
            let session = HTTP2Session.make { $0.maximumConnectionsPerHost = 1 }
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<30 { group.addTask { try await session.response(for: server.request("/")).statusCode } }
                for try await status in group { #expect(status == 200) }
            }
            #expect(largest.withLock(\.self) == 3 && server.connections == 1)
        }

        @Test func `requests wait while the server permits no stream, within their total timeout only`() async throws {
            let server = try RawServer { connection in
                let peer = try HTTP2Peer(connection)
                try peer.respond(try peer.nextHead().stream)
                let stream = try peer.nextHead().stream
                peer.frames.settings([(.maximumConcurrentStreams, 0)])
                try peer.respond(stream)
                // The client has confirmed the settings.
                var confirmations = 0
                while confirmations < 1 {
                    if case .other(let header, _) = try peer.next(), header.kind == .settings { confirmations += 1 }
                }
                _ = connection.waitForBytes(1_000)
                peer.frames.settings([(.maximumConcurrentStreams, 1)])
                try peer.send()
                while true { try peer.respond(try peer.nextHead().stream, "late") }
            }
            let session = HTTP2Session.make {
                $0.maximumConnectionsPerHost = 1
                $0.connectTimeout = .milliseconds(500)
                $0.idleTimeout = .milliseconds(500)
            }
            for _ in 0..<2 { _ = try await session.response(for: server.request("/")) }
            let short = server.request("/", timeouts: RequestTimeouts(total: .milliseconds(200)))
            async let waiting = outcome(session, server.request("/"))
            let error = try await failure(of: session, short)
            #expect(error.code == .timedOut && error.phase == .queued, "\(error)")
            #expect(try await waiting.get().text == "late")
        }

        @Test func `a second connection is made when the first one is full`() async throws {
            let arrivals = Locked(0)
            let server = try RawServer { connection in
                let peer = try HTTP2Peer(connection, settings: [(.maximumConcurrentStreams, 2)])
                var open: [UInt32] = []
                while open.count < 2 {
                    open.append(try peer.nextHead().stream)
                    arrivals.withLock { $0 += 1 }
                }
                // Both connections stay full until all requests have arrived.
                while arrivals.withLock(\.self) < 4 { _ = connection.waitForBytes(5) }
                for stream in open { try peer.respond(stream, "\(connection.number)") }
                peer.readToEnd()
            }
            let session = HTTP2Session.make { $0.maximumConnectionsPerHost = 2 }
            let texts = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<4 { group.addTask { try await session.response(for: server.request("/")).text } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(texts.sorted() == ["0", "0", "1", "1"])
        }

        @Test func `after a time limit without a byte, the connection takes no more requests`() async throws {
            let server = try RawServer { connection in
                let peer = try HTTP2Peer(connection)
                if connection.number == 0 {
                    try peer.respond(try peer.nextHead().stream)
                } else {
                    while true { try peer.respond(try peer.nextHead().stream, "\(connection.number)") }
                }
                peer.readToEnd()
            }
            _ = try await session.response(for: server.request("/"))
            let error = try await failure(
                of: session, server.request("/", method: .post, timeouts: RequestTimeouts(idle: .milliseconds(200))))
            #expect(error.code == .timedOut)
            #expect(try await session.response(for: server.request("/")).text == "1")
        }

        // MARK: Readers and cancellation

        @Test func `a reader that does not keep up holds one window, and delays no other stream`() async throws {
            let sent = Locked(0)
            let server = try RawServer { connection in
                let peer = try HTTP2Peer(connection)
                var window: [UInt32: Int] = [:]
                var whole = 16 << 20
                var waiting: [UInt32] = []
                let first = try peer.nextHead().stream
                window[first] = 256 << 10
                peer.frames.head([(":status", "200")], stream: first)
                // As much as the windows permit.
                while window[first, default: 0] >= 16_384, whole >= 16_384 {
                    peer.frames.data(String(repeating: "x", count: 16_384), stream: first)
                    window[first, default: 0] -= 16_384
                    whole -= 16_384
                    sent.withLock { $0 += 16_384 }
                    while connection.waitForBytes(0) {
                        switch try peer.next() {
                        case .head(let stream, _, _): waiting.append(stream)
                        case .other(let header, let payload) where header.kind == .windowUpdate:
                            let increment = payload.withUnsafeBytes { Int($0.bigEndian(at: 0)) }
                            if header.stream == 0 { whole += increment } else { window[header.stream, default: 0] += increment }
                        default: continue
                        }
                    }
                    try peer.send()
                }
                for stream in waiting { try peer.respond(stream) }
                while true { try peer.respond(try peer.nextHead().stream) }
            }
            let response = try await session.stream(for: server.request("/"))
            for _ in 0..<20 { #expect(try await session.response(for: server.request("/")).text == "ok") }
            let count = sent.withLock(\.self)
            #expect((256 << 10...1 << 20).contains(count), "\(count)")
            _ = response
        }

        @Test func `a cancelled request resets its stream, and the connection is used again`() async throws {
            let resets = Watched<[HTTP2ErrorCode]>([])
            let server = try RawServer { connection in
                let peer = try HTTP2Peer(connection)
                while true {
                    switch try peer.next() {
                    case .head(let stream, let fields, _):
                        if fields[":path"] != "/never" { try peer.respond(stream, "\(connection.number)") }
                    case .reset(_, let code): resets.withLock { $0.append(code) }
                    default: continue
                    }
                }
            }
            _ = try await session.response(for: server.request("/"))
            let task = Task { try await session.response(for: server.request("/never")) }
            while await session.connectionCounts().total.streams == 0 { await Task.yield() }
            task.cancel()
            await #expect(throws: TransportError.self) { try await task.value }
            await resets.wait { $0 == [.cancel] }
            #expect(try await session.response(for: server.request("/")).text == "0")
        }

        @Test func `connections are counted and reported, and closed with GOAWAY`() async throws {
            let ends = Watched(0)
            let server = try RawServer { connection in
                let peer = try HTTP2Peer(connection)
                while true {
                    switch try peer.next() {
                    case .head(let stream, _, _): try peer.respond(stream)
                    case .goAway: ends.withLock { $0 += 1 }
                    default: continue
                    }
                }
            }
            let events = session.connectionEvents()
            for _ in 0..<2 { _ = try await session.response(for: server.request("/")) }
            #expect(await session.connectionCounts().total == ConnectionCounts(multiplexed: 1))
            _ = await session.close(grace: .seconds(1))
            await ends.wait { $0 == 1 }
            var kinds: [String] = []
            for await event in events { kinds.append(event.kind.rawValue) }
            #expect(kinds.filter { $0 == "opened" || $0 == "closed" } == ["opened", "closed"])
            #expect(kinds.contains("reused") && kinds.contains("becameIdle"))
        }
    }
#endif
