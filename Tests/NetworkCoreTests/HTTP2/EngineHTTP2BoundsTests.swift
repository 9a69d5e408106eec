#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkSupport
    import TestSupport
    import Testing
    import TransferTestSupport

    @testable import NetworkEngine
    @testable import NetworkTransport

    /// What the engine does not do with connections over HTTP/2, against a server that follows a script.
    @Suite(.timeLimit(.minutes(10)))
    struct EngineHTTP2BoundsTests {
        private let session = HTTP2Session.make()

        @Test func `after a server has asked for calm, no connection is made for a second`() async throws {
            let ends = Locked<[ContinuousClock.Instant]>([])
            let server = try RawServer { connection in
                ends.withLock { $0.append(.now) }
                let peer = try HTTP2Peer(connection)
                let stream = try peer.nextHead().stream
                try peer.respond(stream, "\(connection.number)")
                guard connection.number == 0 else { return peer.readToEnd() }
                ends.withLock { $0.append(.now) }
                peer.frames.goAway(stream, .enhanceYourCalm)
                try peer.send()
                peer.readToEnd()
            }
            _ = try await session.response(for: server.request("/"))
            while await session.connectionCounts().total.multiplexed > 0 { await Task.yield() }
            #expect(try await session.response(for: server.request("/")).text == "1")
            let times = ends.withLock { $0 }
            #expect(times.count == 3 && times[2] - times[1] > .milliseconds(900), "\(times)")
        }

        @Test func `after a hundred requests were cancelled, the connection takes no more`() async throws {
            let heads = Watched(0)
            let server = try RawServer { connection in
                let peer = try HTTP2Peer(connection)
                while true {
                    guard case .head(let stream, let fields, _) = try peer.next() else { continue }
                    // Before the response, after which the next request is counted.
                    heads.withLock { $0 += 1 }
                    if fields[":path"] != "/never" { try peer.respond(stream, "\(connection.number)") }
                }
            }
            func cancelOne() async {
                let before = heads.withLock { $0 }
                let task = Task { [session] in try await session.response(for: server.request("/never")) }
                await heads.wait { $0 > before }
                task.cancel()
                _ = await task.result
            }
            for _ in 0..<HTTP2Exchanges.maximumResets { await cancelOne() }
            // Each response permits one more.
            #expect(try await session.response(for: server.request("/")).text == "0")
            for _ in 0..<2 { await cancelOne() }
            #expect(try await session.response(for: server.request("/")).text == "1")
        }

        @Test func `a body waits for a 100 for no longer than a second`() async throws {
            let server = try RawServer { connection in
                let peer = try HTTP2Peer(connection)
                let stream = try peer.nextHead().stream
                while true {
                    guard case .data(stream, let bytes, true) = try peer.next() else { continue }
                    try peer.respond(stream, "\(bytes.count)")
                    return peer.readToEnd()
                }
            }
            let start = ContinuousClock.now
            let response = try await session.response(
                for: server.request("/", method: .post, headers: ["Expect": "100-continue"], body: Data(count: 5)))
            // The other time limit is the idle timeout, of 60 s.
            #expect(response.text == "5" && .now - start < .seconds(30))
        }

        @Test func `others have their turn while a connection has thousands of small frames`() async throws {
            let frames = 60_000
            let server = try RawServer { connection in
                let peer = try HTTP2Peer(connection)
                let stream = try peer.nextHead().stream
                peer.frames.head([(":status", "200")], stream: stream)
                for _ in 0..<frames { peer.frames.data("x", stream: stream) }
                peer.frames.data("", stream: stream, isEnd: true)
                try peer.send()
                peer.readToEnd()
            }
            let isOver = Locked(false)
            // Between two turns of the loop, the rest of what was read waits.
            async let hasWaited = withTaskExecutorPreference(session.executor) {
                var hasWaited = false
                while !isOver.withLock({ $0 }), !hasWaited {
                    hasWaited = EventLoop.ofThisThread?.http2.pool.connections.first?.unread.isEmpty == false
                    await Task.yield()
                }
                return hasWaited
            }
            #expect(try await session.response(for: server.request("/")).data.count == frames)
            isOver.withLock { $0 = true }
            #expect(await hasWaited)
        }

        // MARK: Silence

        /// Makes the only connection believe that nothing has arrived since the system was started.
        private func letConnectionAge() async {
            await withTaskExecutorPreference(session.executor) {
                guard let http2 = EventLoop.ofThisThread?.http2, let connection = http2.pool.connections.first else { return }
                connection.liveness = HTTP2Liveness(at: 0)
                guard !connection.isIdle else { return }
                http2.checks.remove(connection)
                connection.deadline = 0
                http2.checks.insert(connection)
            }
        }

        @Test func `an idle connection that was silent for long is used again after the reply to a PING`() async throws {
            let order = Locked<[String]>([])
            let server = try RawServer { connection in
                let peer = try HTTP2Peer(connection)
                while true {
                    switch try peer.nextFrame() {
                    case .head(let stream, _, _):
                        order.withLock { $0.append("head") }
                        try peer.respond(stream, "\(connection.number)")
                    case .ping(let payload):
                        let isUsed = connection.waitForBytes(100)
                        order.withLock { $0.append(isUsed ? "ping, not awaited" : "ping") }
                        peer.frames.frame(.ping, .acknowledgement, payload)
                        try peer.send()
                    default: continue
                    }
                }
            }
            for _ in 0..<2 { #expect(try await session.response(for: server.request("/")).text == "0") }
            await letConnectionAge()
            for _ in 0..<2 { #expect(try await session.response(for: server.request("/")).text == "0") }
            #expect(order.withLock { $0 } == ["head", "head", "ping", "head", "head"])
        }

        @Test func `a connection whose server does not reply to a PING is lost`() async throws {
            let heads = Watched(0)
            let server = try RawServer { connection in
                let peer = try HTTP2Peer(connection)
                if connection.number > 0 { return try peer.respond(try peer.nextHead().stream, "other") }
                _ = try peer.nextHead()
                heads.withLock { $0 += 1 }
                while case _ = try peer.nextFrame() {}
            }
            let task = Task { [session] in try await session.response(for: server.request("/", method: .post)) }
            await heads.wait { $0 == 1 }
            await letConnectionAge()
            let result = await task.result
            let error = #expect(throws: TransportError.self) { try result.get() }
            #expect(error?.code == .connectionLost && error?.message.contains("PING") == true, "\(error as Any)")
            #expect(try await session.response(for: server.request("/")).text == "other")
        }

        // MARK: Windows

        @Test func `windows of streams grow only as far as all of them together may`() async throws {
            let first = HTTP2Limits().streamWindow
            let largest = Locked(0)
            let server = try RawServer { connection in
                let peer = try HTTP2Peer(connection)
                let piece = String(repeating: "x", count: HTTP2Limits.frameBytes)
                // That of the connection, which is opened in any case.
                var whole = HTTP2Limits().connectionWindow
                while true {
                    let stream = try peer.nextHead().stream
                    peer.frames.head([(":status", "200")], stream: stream)
                    var window = first
                    for _ in 0..<1280 {
                        while min(window, whole) < piece.utf8.count || connection.waitForBytes(0) {
                            guard case .other(let header, let payload) = try peer.next(), header.kind == .windowUpdate
                            else { continue }
                            let increment = payload.withUnsafeBytes { Int($0.bigEndian(at: 0)) }
                            if header.stream == 0 { whole += increment } else if header.stream == stream { window += increment }
                            largest.withLock { [window] in $0 = max($0, window) }
                        }
                        window -= piece.utf8.count
                        whole -= piece.utf8.count
                        peer.frames.data(piece, stream: stream)
                        try peer.send()
                    }
                    peer.frames.data("", stream: stream, isEnd: true)
                    try peer.send()
                }
            }
            for grown in [HTTP2Exchanges.maximumGrownBytes, 0] {
                largest.withLock { $0 = 0 }
                await withTaskExecutorPreference(session.executor) { EventLoop.ofThisThread?.http2.grownBytes = grown }
                #expect(try await session.response(for: server.request("/")).data.count == 20 << 20)
                #expect(largest.withLock { $0 > first } == (grown == 0))
                let left = await withTaskExecutorPreference(session.executor) { EventLoop.ofThisThread?.http2.grownBytes }
                #expect(left == grown, "what a stream has taken is given back")
            }
        }
    }
#endif
