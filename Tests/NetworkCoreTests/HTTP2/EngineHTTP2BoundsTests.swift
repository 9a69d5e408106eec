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
                    if fields[":path"] != "/never" { try peer.respond(stream, "\(connection.number)") }
                    heads.withLock { $0 += 1 }
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
            let response = try await session.response(
                for: server.request("/", method: .post, headers: ["Expect": "100-continue"], body: Data(count: 5)))
            #expect(response.text == "5")
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

        @Test func `the windows of all streams together grow within a limit`() async throws {
            let streams = 24
            let first = HTTP2Limits().streamWindow
            let largest = Locked(0)
            let server = try RawServer { connection in
                let peer = try HTTP2Peer(connection)
                var windows: [UInt32: Int] = [:]
                var whole = 16 << 20
                let piece = String(repeating: "x", count: HTTP2Limits.frameBytes)
                var left: [UInt32: Int] = [:]
                while left.count < streams || left.values.contains(where: { $0 > 0 }) {
                    while connection.waitForBytes(left.count < streams ? -1 : 0) {
                        switch try peer.next() {
                        case .head(let stream, _, _):
                            peer.frames.head([(":status", "200")], stream: stream)
                            windows[stream] = first
                            left[stream] = 8 << 20
                        case .other(let header, let payload) where header.kind == .windowUpdate:
                            let increment = payload.withUnsafeBytes { Int($0.bigEndian(at: 0)) }
                            if header.stream == 0 { whole += increment } else { windows[header.stream, default: 0] += increment }
                        default: continue
                        }
                        largest.withLock { $0 = max($0, windows.values.reduce(0, +)) }
                        if left.count == streams { break }
                    }
                    for (stream, rest) in left where rest > 0 {
                        guard windows[stream, default: 0] >= piece.utf8.count, whole >= piece.utf8.count else { continue }
                        left[stream] = rest - piece.utf8.count
                        windows[stream, default: 0] -= piece.utf8.count
                        whole -= piece.utf8.count
                        peer.frames.data(piece, stream: stream, isEnd: rest == piece.utf8.count)
                    }
                    try peer.send()
                }
                peer.readToEnd()
            }
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<streams {
                    group.addTask { [session] in
                        let response = try await session.stream(for: server.request("/"))
                        var count = 0
                        for try await chunk in response.body { count += chunk.count }
                        return count
                    }
                }
                for try await count in group { #expect(count == 8 << 20) }
            }
            let sum = largest.withLock { $0 }
            // They have grown, and by no more than 64 MiB.
            #expect(sum > 40 << 20 && sum <= streams * first + 64 << 20, "\(sum)")
        }
    }
#endif
