#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkSupport
    import NetworkTesting
    import TestSupport
    import Testing
    import TransferTestSupport

    @testable import NetworkEngine
    @testable import NetworkTransport

    /// Requests over HTTP/2 to a server that does everything at random: settings, windows of one byte, resets, GOAWAY, floods and closed connections.
    ///
    /// Sends more requests with `DATA_TRANSFER_SLOW=1`.
    @Suite(.serialized, .timeLimit(.ofStorm)) struct HTTP2StormTests {
        /// How often each request has arrived and was refused, for all connections of the server.
        private final class Ledger: Sendable {
            struct Entry {
                var arrivals = 0
                var refusals = 0
            }

            private let entries = Locked<[String: Entry]>([:])

            func arrive(_ id: String) { entries.withLock { $0[id, default: Entry()].arrivals += 1 } }
            func refuse(_ id: String) { entries.withLock { $0[id, default: Entry()].refusals += 1 } }
            subscript(id: String) -> Entry { entries.withLock { $0[id] ?? Entry() } }
        }

        /// One connection of the server.
        private final class Connection {
            private struct Stream {
                let id: String
                var received = 0
                var isComplete = false
                var sent = 0
                var hasHead = false
            }

            private let peer: HTTP2Peer
            private let ledger: Ledger
            private var random: SeededGenerator
            private var streams: [UInt32: Stream] = [:]
            private var last: UInt32 = 0
            private var permitted: UInt32?

            init(_ connection: RawConnection, _ ledger: Ledger, _ seed: UInt64) throws {
                random = SeededGenerator(seed: seed &+ UInt64(connection.number))
                self.ledger = ledger
                var settings: [(HTTP2Setting, UInt32)] = []
                if random.chance(60) { settings.append((.maximumConcurrentStreams, UInt32(1 + random.below(20)))) }
                if random.chance(30) { settings.append((.initialWindowSize, random.pick([1, 100, 70_000]))) }
                if random.chance(30) { settings.append((.headerTableSize, random.pick([0, 64, 4096]))) }
                peer = try HTTP2Peer(connection, settings: settings)
            }

            func serve() throws {
                while true {
                    while peer.connection.waitForBytes(streams.isEmpty ? 2 : 0) { try receive() }
                    guard try act() else { return }
                    try peer.send()
                    if streams.isEmpty, permitted != nil { return }
                }
            }

            private func receive() throws {
                switch try peer.next() {
                case .head(let stream, let fields, let isEnd):
                    last = stream
                    let id = String(fields[":path", default: "/"].dropFirst())
                    ledger.arrive(id)
                    if let permitted, stream > permitted { return ledger.refuse(id) }
                    streams[stream] = Stream(id: id, isComplete: isEnd)
                case .data(let stream, let bytes, let isEnd):
                    streams[stream]?.received += bytes.count
                    if isEnd { streams[stream]?.isComplete = true }
                    // The client may send as many bytes again, in one or two updates.
                    guard !bytes.isEmpty else { return }
                    peer.frames.windowUpdate(UInt32(bytes.count))
                    if !isEnd, streams[stream] != nil { peer.frames.windowUpdate(UInt32(bytes.count), stream: stream) }
                case .reset(let stream, _): streams[stream] = nil
                default: break
                }
            }

            /// - Returns: `false` to close the connection.
            private func act() throws -> Bool {
                switch random.below(200) {
                case 0: return false
                case 1 where permitted == nil:
                    // The streams above the number were not processed, although they have arrived.
                    let numbers = streams.keys.sorted()
                    let accepted = numbers.isEmpty ? last : random.pick(numbers)
                    permitted = accepted
                    peer.frames.goAway(accepted)
                    for (number, stream) in streams where number > accepted {
                        ledger.refuse(stream.id)
                        streams[number] = nil
                    }
                case 2: peer.frames.settings([(.maximumConcurrentStreams, UInt32(random.below(8)))])
                case 3:
                    peer.frames.settings([
                        (.maximumConcurrentStreams, 50), (.initialWindowSize, random.pick([1, 5_000, 100_000])),
                    ])
                case 4: peer.frames.frame(.ping, [1, 2, 3, 4, 5, 6, 7, 8])
                case 5: for _ in 0..<random.below(300) { peer.frames.frame(HTTP2FrameKind(rawValue: 0x42), []) }
                case 6: for _ in 0..<random.below(300) { peer.frames.frame(.priority, stream: last | 1, [0, 0, 0, 0, 1]) }
                case 7 where random.chance(10):
                    for _ in 0..<10_000 { peer.frames.frame(HTTP2FrameKind(rawValue: 0x42), []) }
                default: break
                }
                if let number = streams.keys.sorted().first(where: { _ in random.chance(40) }) { try advance(number) }
                return true
            }

            private func advance(_ number: UInt32) throws {
                guard var stream = streams[number] else { return }
                // Also before the whole body has arrived.
                guard stream.isComplete || random.chance(2) else {
                    peer.frames.windowUpdate(UInt32(1 + random.below(20_000)), stream: number)
                    return
                }
                switch random.below(60) {
                case 0 where !stream.hasHead:
                    ledger.refuse(stream.id)
                    return end(number, .refusedStream)
                case 1: return end(number, .cancel)
                case 2 where !stream.hasHead: peer.frames.head([(":status", "103"), ("link", "</a>")], stream: number)
                default: break
                }
                let body = HTTP2StormTests.body(of: stream.id)
                if !stream.hasHead {
                    stream.hasHead = true
                    var fields = [(":status", "200"), ("x-id", stream.id)]
                    if random.chance(50) { fields.append(("content-length", "\(body.utf8.count)")) }
                    peer.frames.head(fields, stream: number)
                    streams[number] = stream
                    return
                }
                let count = min(body.utf8.count - stream.sent, 1 + random.below(3_000))
                let piece = String(decoding: Array(body.utf8)[stream.sent..<stream.sent + count], as: UTF8.self)
                stream.sent += count
                let isEnd = stream.sent == body.utf8.count
                streams[number] = isEnd ? nil : stream
                let hasTrailers = isEnd && random.chance(30)
                peer.frames.data(piece, stream: number, isEnd: isEnd && !hasTrailers)
                if hasTrailers { peer.frames.head([("x-sum", "1")], stream: number, isEnd: true) }
            }

            private func end(_ number: UInt32, _ code: HTTP2ErrorCode) {
                streams[number] = nil
                peer.frames.reset(code, stream: number)
            }
        }

        /// The body of the response to a request, whose length depends on it.
        fileprivate static func body(of id: String) -> String {
            String(repeating: id + ",", count: 1 + id.utf8.reduce(0) { ($0 &* 31 &+ Int($1)) % 400 })
        }

        @Test(arguments: [1, 2, 6]) func `no response is mixed up, cut, or caused twice, and other hosts are served meanwhile`(
            connections: Int
        ) async throws {
            let seed = UInt64.random(in: 0...1 << 40)
            let ledger = Ledger()
            let server = try RawServer(keepsArrivals: false) { try Connection($0, ledger, seed).serve() }
            let friendly = try LoopbackServer { _ in .text("fine") }
            let session = HTTP2Session.make {
                $0.httpVersion = .automatic
                $0.httpVersionByHost = ["127.0.0.1": .http2]
                $0.maximumConnectionsPerHost = connections
            }
            let plain = URL(string: "http://localhost:\(friendly.port)/")
            print("HTTP/2 storm, \(connections) connections, seed \(seed)")
            let isOver = Locked(false)
            async let longest = Self.longestRequest(session, try #require(plain), isOver)
            let count = runs(300, slow: 4_000)
            var ends: [String: Int] = [:]
            try await withThrowingTaskGroup(of: String.self) { group in
                for index in 0..<count {
                    if index >= 40, let end = try await group.next() { ends[end, default: 0] += 1 }
                    group.addTask { try await Self.request(index, session, server, ledger, seed) }
                }
                for try await end in group { ends[end, default: 0] += 1 }
            }
            isOver.withLock { $0 = true }
            let turn = await withTaskExecutorPreference(session.executor) { EventLoop.ofThisThread?.longestTurn ?? 0 }
            print(
                "HTTP/2 storm, \(connections) connections: \(ends), the longest other request took \(try await longest), the longest turn of the loop used the processor for",
                Duration.nanoseconds(turn))
            // Bounded by what one connection may do before others are served.
            #expect(turn < 10_000_000_000)
            #expect(ends["success", default: 0] > count / 8, "seed \(seed): \(ends)")
            #expect(await session.connectionCounts().total.streams == 0)
        }

        private static func request(
            _ index: Int, _ session: SocketSessionManager, _ server: RawServer, _ ledger: Ledger, _ seed: UInt64
        ) async throws -> String {
            var random = SeededGenerator(seed: seed &+ UInt64(index))
            let id = "\(seed)-\(index)"
            let method = random.pick([RequestMethod.get, .post, .put])
            let body = method == .get ? nil : Data(count: random.pick([0, 1, 300, 40_000]))
            var request = server.request("/\(id)", method: method, body: body)
            request.priority = random.pick([.normal, .high, .low])
            let isCancelled = random.chance(10)
            let pause = random.below(2_000)
            let task = Task { [request] in try await session.response(for: request) }
            if isCancelled {
                for _ in 0..<pause { await Task.yield() }
                task.cancel()
            }
            var end = "success"
            do {
                let response = try await task.value
                #expect(response.statusCode == 200 && response.text == Self.body(of: id), "seed \(seed): \(id)")
                #expect(response.headers["x-id"] == id)
            } catch let error as TransportError {
                end = error.code.rawValue
                let expected: Set<TransportError.Code> = [.cancelled, .connectionLost, .incompleteBody, .malformedResponse]
                #expect(expected.contains(error.code), "seed \(seed): \(error)")
                // Only a flood is a violation here.
                if error.code == .malformedResponse { #expect(error.message.contains("without content"), "\(error)") }
            }
            let entry = ledger[id]
            if method == .post { #expect(entry.arrivals - entry.refusals <= 1, "seed \(seed): \(id) \(entry)") }
            #expect(entry.arrivals - entry.refusals <= 2, "seed \(seed): \(id) \(entry)")
            return end
        }

        /// Sends requests to a server that does nothing odd, and returns how long the longest took.
        private static func longestRequest(_ session: SocketSessionManager, _ url: URL, _ isOver: Locked<Bool>) async throws
            -> Duration
        {
            var longest = Duration.zero
            while !isOver.withLock(\.self) {
                let start = ContinuousClock.now
                #expect(try await session.response(for: NetworkRequest(url: url)).text == "fine")
                longest = max(longest, .now - start)
            }
            return longest
        }
    }
#endif
