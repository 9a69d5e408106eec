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
        @Test func `the frames after a redirect are processed although the idle connection to its target has bytes`() async throws
        {
            let session = HTTP2Session.make()
            let (idle, pending, loop) = (ThreadBlockers(), ThreadBlockers(), ThreadBlockers())
            let sent = Watched(0)
            let target = try RawServer { connection in
                let peer = try HTTP2Peer(connection)
                try peer.respond(try peer.nextHead().stream)
                idle.block()
                // A frame of an unknown kind, which is ignored (RFC 9113 §4.1).
                peer.frames.frame(HTTP2FrameKind(rawValue: 0xBE), Array(repeating: 0xEE, count: 16_000))
                try peer.send()
                sent.withLock { $0 += 1 }
                try peer.respond(try peer.nextHead().stream, "moved")
                peer.readToEnd()
            }
            let location = target.request("/").url.absoluteString
            let origin = try RawServer { connection in
                let peer = try HTTP2Peer(connection)
                let streams = try (peer.nextHead().stream, peer.nextHead().stream)
                pending.block()
                peer.frames.head([(":status", "302"), ("location", location)], stream: streams.0, isEnd: true)
                peer.frames.head([(":status", "200")], stream: streams.1)
                for _ in 0..<3 { peer.frames.data(String(repeating: "x", count: 10_000), stream: streams.1) }
                peer.frames.data("", stream: streams.1, isEnd: true)
                try peer.send()
                sent.withLock { $0 += 1 }
                peer.readToEnd()
            }
            _ = try await session.response(for: target.request("/"))
            await idle.waitUntilEntered(1)
            let redirected = Task { try await session.response(for: origin.request("/redirected")) }
            // The streams are opened in the order of the requests.
            while await session.connectionCounts().total.streams < 1 { await Task.yield() }
            let complete = Task { try await session.response(for: origin.request("/complete")) }
            await pending.waitUntilEntered(1)

            // The bytes of both connections arrive while the event loop is busy.
            let blocking = Task(executorPreference: session.executor) { loop.block() }
            await loop.waitUntilEntered(1)
            await pending.release(1)
            await sent.wait { $0 == 1 }
            await idle.release(1)
            await sent.wait { $0 == 2 }
            await loop.release(1)
            await blocking.value
            #expect(try await redirected.value.text == "moved")
            #expect(try await complete.value.text == String(repeating: "x", count: 30_000))
        }
    }
#endif
