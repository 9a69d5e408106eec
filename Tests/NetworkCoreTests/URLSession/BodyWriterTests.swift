import Endpoints
import Foundation
import NetworkCore
import NetworkSupport
import NetworkTransport
import TestSupport
import Testing

@testable import NetworkURLSession

/// A sink with room for a number of bytes at a time, as the end of a pair of streams.
private final class FakeSink: BodySink {
    struct State {
        var written = Data()
        var closings = 0
        var readerIsGone = false
    }

    let state = Locked(State())
    private let room: Int
    private let closed = AsyncStream<Void>.makeStream()

    init(room: Int) {
        self.room = room
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> Int? {
        state.withLock { state in
            if state.readerIsGone || state.closings > 0 { return nil }
            let count = min(room, bytes.count)
            state.written.append(contentsOf: bytes[..<count])
            return count
        }
    }

    func close() {
        state.withLock { $0.closings += 1 }
        closed.continuation.yield()
    }

    func untilClosed() async {
        for await _ in closed.stream { return }
    }
}

/// Bodies that are produced while `URLSession` reads them.
@Suite(.timeLimit(.minutes(5)))
struct BodyWriterTests {
    private struct Broken: Error {}

    private static let content = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })

    private func chunks(_ count: Int = 4, failing: Bool = false) -> NetworkBody {
        .stream(
            AsyncThrowingStream<Data, any Error> { continuation in
                for part in 0..<count { continuation.yield(Self.content.dropFirst(part * 75_000).prefix(75_000)) }
                if failing { continuation.finish(throwing: Broken()) } else { continuation.finish() }
            })
    }

    private func upload(_ body: NetworkBody) async throws -> URLSessionUpload {
        try await .prepare(body, of: .unsent(method: .put), producesWhileSending: true)
    }

    @Test(arguments: [1_000, 75_000, 1_000_000]) func `each chunk is written completely, and then the sink is closed once`(
        room: Int
    ) async throws {
        let sink = FakeSink(room: room)
        let writer = BodyWriter(try await upload(chunks()).chunks(), length: nil, to: sink) { Issue.record("\($0)") }
        await sink.untilClosed()
        writer.stop()
        #expect(sink.state.withLock(\.written) == Self.content && sink.state.withLock(\.closings) == 1)
    }

    @Test func `a body that fails is reported before the sink is closed, with its cause`() async throws {
        let sink = FakeSink(room: .max)
        let failure = Locked<(error: TransportError, wasClosed: Bool)?>(nil)
        let writer = BodyWriter(try await upload(chunks(failing: true)).chunks(), length: nil, to: sink) { error in
            failure.withLock { $0 = (error, sink.state.withLock(\.closings) > 0) }
        }
        await sink.untilClosed()
        let found = try #require(failure.withLock { $0 })
        #expect(found.error.code == .bodyFailed && found.error.underlying is Broken && !found.wasClosed)
        _ = writer
    }

    @Test func `when nothing reads any more, the body is stopped without an error`() async throws {
        let sink = FakeSink(room: 10)
        sink.state.withLock { $0.readerIsGone = true }
        let writer = BodyWriter(try await upload(chunks()).chunks(), length: nil, to: sink) { Issue.record("\($0)") }
        await sink.untilClosed()
        #expect(sink.state.withLock(\.written).isEmpty)
        _ = writer
    }

    @Test func `a body of known length is complete with its last byte, even if the sequence does not end`() async throws {
        let endless = NetworkBody.stream(AsyncStream<Data> { $0.yield(Self.content) }, length: 300_000)
        let sink = FakeSink(room: .max)
        let writer = BodyWriter(try await upload(endless).chunks(), length: 300_000, to: sink) { Issue.record("\($0)") }
        await sink.untilClosed()
        #expect(sink.state.withLock(\.written) == Self.content)
        _ = writer
    }

    @Test func `stop ends a body that would never end`() async throws {
        let endless = NetworkBody.stream(AsyncStream<Data> { _ in })
        let sink = FakeSink(room: 10)
        let writer = BodyWriter(try await upload(endless).chunks(), length: nil, to: sink) { Issue.record("\($0)") }
        writer.stop()
        await sink.untilClosed()
        #expect(sink.state.withLock(\.closings) == 1)
    }

    @Test func `a body that can be read once is not produced again`() async throws {
        let once = try await upload(chunks())
        _ = try once.chunks()
        let error = #expect(throws: TransportError.self) { _ = try once.chunks() }
        #expect(error?.code == .bodyNotReplayable)
        let again = try await upload(.stream { AsyncStream<Data> { $0.finish() } })
        _ = try again.chunks()
        _ = try again.chunks()
    }

    @Test func `a small body of known length is read first, any other is produced while it is sent`() async throws {
        let small = try await upload(
            .stream(length: 3) {
                AsyncStream<Data> {
                    $0.yield(Data("abc".utf8)); $0.finish()
                }
            })
        #expect(small.count == 3)
        if case .produced = small.source { Issue.record("produced") }
        let large = try await upload(.stream(length: 300_000) { AsyncStream<Data> { $0.finish() } })
        let unknown = try await upload(chunks())
        for (upload, count) in [(large, Int64(300_000)), (unknown, nil)] {
            #expect(upload.count == count)
            guard case .produced = upload.source else { throw Broken() }
        }
    }
}
