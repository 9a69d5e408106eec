#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkSupport
    import TestSupport
    import Testing
    import TransferTestSupport

    @testable import NetworkEngine
    @testable import NetworkTransport

    /// How the content of several requests shares the window of a connection over HTTP/2.
    @Suite(.timeLimit(.minutes(5)))
    struct HTTP2FairnessTests {
        private static let streams = 4
        private static let step = 16_384
        private static let steps = 40
        private static let size = 2 << 20

        @Test func `streams have equal shares of a window that the server opens in small steps`() async throws {
            let received = Locked<[UInt32: Int]>([:])
            let server = try RawServer { connection in
                let peer = try HTTP2Peer(connection, settings: [(.initialWindowSize, UInt32(Self.size))])
                var streams: [UInt32] = []
                var (window, stepsLeft) = (65_535, Self.steps)
                var counts: [UInt32: Int] = [:]
                while true {
                    if window == 0, streams.count == Self.streams {
                        if stepsLeft == 0 { received.withLock { [counts] in if $0.isEmpty { $0 = counts } } }
                        window = stepsLeft > 0 ? Self.step : Self.streams * Self.size
                        stepsLeft -= 1
                        var increment: [UInt8] = []
                        increment.append(bigEndian: UInt32(window))
                        peer.frames.frame(.windowUpdate, increment)
                        try peer.send()
                    }
                    switch try peer.next() {
                    case .head(let stream, _, _): streams.append(stream)
                    case .data(let stream, let bytes, let isEnd):
                        window -= bytes.count
                        counts[stream, default: 0] += bytes.count
                        if isEnd { try peer.respond(stream) }
                    default: break
                    }
                }
            }
            let session = HTTP2Session.make()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<Self.streams {
                    group.addTask {
                        var request = server.request("/")
                        request.method = .post
                        request.body = .data(Data(count: Self.size))
                        let response = try await session.response(for: request)
                        #expect(response.text == "ok")
                    }
                }
                try await group.waitForAll()
            }
            // The first one may have used the window from before the others.
            let counts = received.withLock(\.self)
            #expect(counts.count == Self.streams, "\(counts)")
            #expect(counts.values.allSatisfy { $0 >= (Self.steps / Self.streams - 1) * Self.step }, "\(counts)")
        }
    }
#endif
