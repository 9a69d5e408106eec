#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkSupport
    import TestSupport
    import Testing
    import TransferTestSupport

    @testable import NetworkEngine
    @testable import NetworkTransport

    /// An idle connection is read while the frames of another one are processed.
    @Suite(.timeLimit(.minutes(10)))
    struct HTTP2InterleavingTests {
        @Test func `the frames after the end of a response are processed although the next request's idle connection has bytes`()
            async throws
        {
            let session = HTTP2Session.make { $0.maximumConnections = 2 }
            let (idle, pending, loop) = (ThreadBlockers(), ThreadBlockers(), ThreadBlockers())
            let sent = Watched(0)
            let other = try RawServer { connection in
                let peer = try HTTP2Peer(connection)
                try peer.respond(try peer.nextHead().stream)
                idle.block()
                // A frame of an unknown kind, which is ignored (RFC 9113 §4.1).
                peer.frames.frame(HTTP2FrameKind(rawValue: 0xBE), Array(repeating: 0xEE, count: 16_000))
                try peer.send()
                sent.withLock { $0 += 1 }
                try peer.respond(try peer.nextHead().stream, "admitted")
                peer.readToEnd()
            }
            let origin = try RawServer { connection in
                let peer = try HTTP2Peer(connection)
                let streams = try (peer.nextHead().stream, peer.nextHead().stream)
                pending.block()
                peer.frames.head([(":status", "200")], stream: streams.0, isEnd: true)
                peer.frames.head([(":status", "200")], stream: streams.1)
                for _ in 0..<3 { peer.frames.data(String(repeating: "x", count: 10_000), stream: streams.1) }
                peer.frames.data("", stream: streams.1, isEnd: true)
                try peer.send()
                sent.withLock { $0 += 1 }
                peer.readToEnd()
            }
            _ = try await session.response(for: other.request("/"))
            await idle.waitUntilEntered(1)
            let first = Task { try await session.response(for: origin.request("/first")) }
            // The streams are opened in the order of the requests.
            while await session.connectionCounts().total.streams < 1 { await Task.yield() }
            let second = Task { try await session.response(for: origin.request("/second")) }
            await pending.waitUntilEntered(1)
            // Two requests are as many as are permitted: this one starts when the first response ends, between two frames.
            let waiting = Task { try await session.response(for: other.request("/waiting")) }
            while await session.connectionCounts().total.waiting < 1 { await Task.yield() }

            // The bytes of both connections arrive while the event loop is busy.
            let blocking = Task(executorPreference: session.executor) { loop.block() }
            await loop.waitUntilEntered(1)
            await pending.release(1)
            await sent.wait { $0 == 1 }
            await idle.release(1)
            await sent.wait { $0 == 2 }
            await loop.release(1)
            await blocking.value
            _ = try await first.value
            #expect(try await second.value.text == String(repeating: "x", count: 30_000))
            #expect(try await waiting.value.text == "admitted")
        }
    }
#endif
