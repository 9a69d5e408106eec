import Endpoints
import Foundation
import NetworkSupport
import Testing
import TransferTestSupport

@_spi(SessionManagers) @testable import NetworkTransport

@Suite(.timeLimit(.minutes(10)))
struct PipeTests {
    private func random(_ count: Int, _ generator: inout SeededGenerator) -> Data {
        .pattern(count, seed: generator.next())
    }

    /// Reads the available bytes in pieces of random size, as an engine does.
    private func drain(_ pipe: RequestBodyPipe, _ generator: inout SeededGenerator) -> (Data, RequestBodyPipe.Reading) {
        var bytes = Data()
        while true {
            if Bool.random(using: &generator), let chunk = pipe.takeLargeChunk() {
                bytes.append(chunk)
                continue
            }
            var buffer = [UInt8](repeating: 0, count: Int.random(in: 1...100_000, using: &generator))
            let reading = buffer.withUnsafeMutableBytes { pipe.read(into: $0) }
            guard case .bytes(let count) = reading else { return (bytes, reading) }
            bytes.append(contentsOf: buffer[..<count])
        }
    }

    @Test(arguments: 0..<8) func `an upload pipe passes every byte, for any sizes of the chunks`(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let pieces = (0..<50).map { _ in random([0, 1, 7, 4096, 300_000].randomElement(using: &generator) ?? 0, &generator) }
        let (wakes, sink) = AsyncStream.makeStream(of: Void.self)
        let pipe = RequestBodyPipe { sink.yield() }
        let writing = Task {
            for piece in pieces { try await pipe.write(piece) }
            pipe.finish(.success([:]))
        }
        var received = Data()
        var wake = wakes.makeAsyncIterator()
        while true {
            let (bytes, reading) = drain(pipe, &generator)
            received.append(bytes)
            if reading == .end { break }
            #expect(reading == .wait)
            await wake.next()
        }
        try await writing.value
        #expect(received == pieces.reduce(Data(), +))
    }

    @Test func `a writer waits while the pipe is full, and ends when the reader closes the pipe`() async throws {
        let pipe = RequestBodyPipe {}
        let written = Locked(0)
        let (full, sink) = AsyncStream.makeStream(of: Void.self)
        let writing = Task {
            while true {
                written.withLock { $0 += 65_536 }
                if written.withLock({ $0 }) == RequestBodyPipe.capacity { sink.finish() }
                try await pipe.write(Data(count: 65_536))
            }
        }
        for await _ in full {}
        pipe.close()
        await #expect(throws: CancellationError.self) { try await writing.value }
        #expect(written.withLock { $0 } <= RequestBodyPipe.capacity + 65_536)
        await #expect(throws: CancellationError.self) { try await pipe.write(Data(count: 1)) }
    }

    @Test func `a failure is reported after the bytes that preceded it`() async throws {
        let pipe = RequestBodyPipe {}
        try await pipe.write(Data([1, 2]))
        pipe.finish(.failure(TransportError(.bodyFailed, "broken")))
        pipe.finish(.success([:]))
        var buffer = [UInt8](repeating: 0, count: 10)
        #expect(buffer.withUnsafeMutableBytes { pipe.read(into: $0) } == .bytes(2))
        #expect(buffer.withUnsafeMutableBytes { pipe.read(into: $0) } == .failed)
        #expect(pipe.failure?.code == .bodyFailed)
    }

    @Test(arguments: 0..<8) func `a download pipe passes every byte and never holds much more than its capacity`(seed: UInt64)
        async throws
    {
        var generator = SeededGenerator(seed: seed)
        let pieces = (0..<200).map { _ in random([1, 7, 4096, 16_384].randomElement(using: &generator) ?? 1, &generator) }
        let (room, sink) = AsyncStream.makeStream(of: Void.self)
        let pipe = ResponseBodyPipe { sink.yield() }
        let writing = Task { [generator] in
            var generator = generator
            var rooms = room.makeAsyncIterator()
            var refusals = 0
            for piece in pieces {
                while !piece.withUnsafeBytes({ pipe.write($0) }) {
                    refusals += 1
                    await rooms.next()
                }
                if Bool.random(using: &generator) { pipe.flush() }
            }
            pipe.finish(.success(StreamEnd(trailers: ["X": "y"])))
            return refusals
        }
        var received = Data()
        while let chunk = try await pipe.next() {
            #expect(chunk.count < ResponseBodyPipe.capacity + 16_384)
            received.append(chunk)
        }
        #expect(await writing.value >= 0)
        #expect(received == pieces.reduce(Data(), +))
        #expect(pipe.end?.trailers["x"] == "y")
        #expect(try await pipe.next() == nil)
    }

    @Test func `a rejected writer is notified when a waiting reader has read`() async throws {
        let (rooms, sink) = AsyncStream.makeStream(of: Void.self)
        let pipe = ResponseBodyPipe { sink.finish() }
        let reading = Task { try await pipe.next() }
        let piece = [UInt8](repeating: 1, count: ResponseBodyPipe.capacity)
        #expect(piece.withUnsafeBytes { pipe.write($0) })
        #expect(!piece.withUnsafeBytes { pipe.write($0) })
        pipe.flush()
        #expect(try await reading.value?.count == piece.count)
        for await _ in rooms {}
        #expect(piece.withUnsafeBytes { pipe.write($0) })
    }

    @Test func `a full download pipe rejects bytes until it has been read`() async throws {
        let rooms = Locked(0)
        let pipe = ResponseBodyPipe { rooms.withLock { $0 += 1 } }
        let piece = [UInt8](repeating: 1, count: 16_384)
        var taken = 0
        while piece.withUnsafeBytes({ pipe.write($0) }) { taken += piece.count }
        #expect(taken == ResponseBodyPipe.capacity && rooms.withLock { $0 } == 0)
        #expect(try await pipe.next()?.count == taken)
        #expect(rooms.withLock { $0 } == 1)
        #expect(piece.withUnsafeBytes { pipe.write($0) })
        // Buffered bytes are dropped when the reader cancels.
        #expect(pipe.cancel(TransportError(.cancelled, "gone")))
        await #expect(throws: TransportError.self) { try await pipe.next() }
        #expect(!pipe.cancel(TransportError(.cancelled, "gone")))
    }
}
