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
