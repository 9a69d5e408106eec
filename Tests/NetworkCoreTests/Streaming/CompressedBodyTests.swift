#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkSupport
    import NetworkTesting
    import Testing
    import TransferTestSupport

    @testable import NetworkEngine
    @testable import NetworkTransport

    /// Bodies that are compressed while they are sent, RFC 9110 §8.4.
    @Suite(.timeLimit(.ofStorm), .alsoOnEventLoops)
    struct CompressedBodyTests {
        private struct SourceFailure: Error {}

        private static let text = Data(String(repeating: "{\"name\": \"value\"}, ", count: 40_000).utf8)

        private func decoded(_ body: NetworkBody) async throws -> Data {
            let outcome = decode(Array(try await body.collected()), "gzip")
            #expect(outcome.failure == nil && outcome.violation == nil)
            return Data(outcome.output)
        }

        @Test func `each kind of body is compressed, and again in each attempt`() async throws {
            let text = Self.text
            let file = try TemporaryFile(text)
            let small = try NetworkBody.data(text.prefix(1000)).compressed(level: 6)
            #expect(small.data.map { $0.count < 1000 } == true)
            #expect(try await decoded(small) == text.prefix(1000))
            let bodies: [NetworkBody] = [
                .data(text), .file(file.url), .stream { Pieces(of: text, size: 7001) },
                .stream(length: Int64(text.count)) { Pieces(of: text, size: 70_001) },
            ]
            for body in bodies {
                let compressed = try body.compressed(level: 6)
                #expect(compressed.isReplayable && compressed.knownLength == nil && compressed.data == nil)
                for _ in 0..<2 { #expect(try await decoded(compressed) == text) }
            }
        }

        @Test func `a body that can be read once is compressed once`() async throws {
            let compressed = try NetworkBody.stream(Pieces(of: Self.text, size: 7001)).compressed(level: 1)
            #expect(!compressed.isReplayable)
            #expect(try await decoded(compressed) == Self.text)
            let error = await #expect(throws: TransportError.self) { try await compressed.collected() }
            #expect(error?.code == .bodyNotReplayable)
        }

        @Test func `the failure of a body is the same with and without compression`() async throws {
            let file = try TemporaryFile(Self.text)
            let missing = file.url.appendingPathExtension("missing")
            let bodies: [@Sendable () -> NetworkBody] = [
                { .file(missing) }, { .stream(Pieces(of: Self.text, size: 7001), length: 12) },
                { .stream(Pieces(of: Self.text, size: 7001), length: 1 << 40) },
                {
                    .stream(
                        AsyncThrowingStream<Data, any Error> { continuation in
                            continuation.yield(Self.text)
                            continuation.finish(throwing: SourceFailure())
                        })
                },
                { .stream { () throws -> Pieces in throw SourceFailure() } },
            ]
            for body in bodies {
                let plain = await #expect(throws: TransportError.self) { try await body().collected() }
                let coded = await #expect(throws: TransportError.self) { try await body().compressed(level: 6).collected() }
                #expect(plain?.code == .bodyFailed && coded?.code == .bodyFailed)
                #expect(plain?.message == coded?.message)
                #expect((plain?.underlying is SourceFailure) == (coded?.underlying is SourceFailure))
            }
        }

        @Test(arguments: [isSlowRun ? 16_384 : 1024])
        func `a long stream is compressed with a few chunks in memory, and as fast as it is sent`(count: Int) async throws {
            let chunks = CountedChunks(count: count)
            let compressed = try NetworkBody.stream(chunks).compressed(level: 1)
            var (sent, most) = (0, 0)
            // The content of `count` chunks of 64 KiB becomes much smaller.
            try await compressed.send { piece in
                let made = chunks.made
                await Task.yield()
                #expect(chunks.made == made)
                sent += piece.count
                most = max(most, piece.count)
            }
            #expect(chunks.made == count && chunks.maximumAlive <= 2)
            #expect(most <= GzipEncoder.pieceBytes && sent > GzipEncoder.pieceBytes && sent < count << 9)
        }

        @Test func `a source is not read after the cancellation, even if nothing is sent meanwhile`() async throws {
            let made = Locked(0)
            let pieces = Pieces(of: Data(count: 1 << 20), size: 1000).watched { count in
                made.withLock { $0 = count }
                if count == 10_000 { withUnsafeCurrentTask { $0?.cancel() } }
            }
            let compressed = try NetworkBody.stream(pieces).compressed(level: 6)
            let task = Task { try await compressed.send { _ in Issue.record("nothing is to be sent") } }
            let result = await task.result
            #expect(throws: TransportError.self) { try result.get() }
            #expect(made.withLock { $0 } == 10_000)
        }

        @Test func `cancellation ends a source that becomes almost nothing`() async throws {
            let server = try LoopbackServer { _ in .text("ok") }
            let chunks = CountedChunks(count: .max)
            let request = NetworkRequest(
                method: .post, url: server.url, body: try NetworkBody.stream(chunks).compressed(level: 1))
            let session = SocketSessionManager()
            let transfer = Task { try await session.response(for: request) }
            await chunks.waitUntilMade(10)
            transfer.cancel()
            let result = await transfer.result
            #expect(throws: TransportError.self) { try result.get() }
            await chunks.waitUntilReleased()
        }
    }

    /// Chunks of 64 KiB of zeros that count how many of them are alive.
    private final class CountedChunks: AsyncSequence, Sendable {
        typealias Element = Data

        private struct State {
            var made = 0
            var alive = 0
            var maximumAlive = 0
        }

        private static let bytes = 64 << 10

        private let count: Int
        private let state = Locked(State())
        private let isReleased = Promise<Void>()

        init(count: Int) {
            self.count = count
        }

        var made: Int { state.withLock(\.made) }
        var maximumAlive: Int { state.withLock(\.maximumAlive) }

        func waitUntilMade(_ count: Int) async {
            while made < count { await Task.yield() }
        }

        func waitUntilReleased() async { await isReleased.value() }

        func makeAsyncIterator() -> Iterator { Iterator(chunks: self) }

        fileprivate func next() -> Data? {
            let isMade = state.withLock { state in
                guard state.made < count else { return false }
                state.made += 1
                state.alive += 1
                state.maximumAlive = Swift.max(state.maximumAlive, state.alive)
                return true
            }
            guard isMade, let bytes = calloc(1, Self.bytes) else { return nil }
            return Data(
                bytesNoCopy: bytes, count: Self.bytes,
                deallocator: .custom { [state] pointer, _ in
                    free(pointer)
                    state.withLock { $0.alive -= 1 }
                })
        }

        final class Iterator: AsyncIteratorProtocol {
            private let chunks: CountedChunks

            init(chunks: CountedChunks) {
                self.chunks = chunks
            }

            deinit {
                _ = chunks.isReleased.resolve(())
            }

            func next() async -> Data? { chunks.next() }
        }
    }
#endif
