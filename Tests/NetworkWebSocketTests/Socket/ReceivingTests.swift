import Endpoints
import Foundation
import NetworkCore
import NetworkTesting
import NetworkWebSocket
import TransferTestSupport
import Testing

/// Receiving: back pressure, cancellation, streams and values.
@Suite(.timeLimit(.minutes(10))) struct ReceivingTests {
    @Test func `a reader that does not read stops the transport, and reading resumes it`() async throws {
        let scripted = try ScriptedSocket()
        let message = TestFrame.binary([UInt8](repeating: 0, count: 60 << 10))
        var sent = 0
        repeat { sent += 1 } while scripted.feed(message) && sent < 100
        #expect(sent == 5)
        for index in 0..<sent {
            #expect(scripted.transport.state.withLock(\.resumptions) == (index < 3 ? 0 : 1))
            _ = try await scripted.socket.receive()
        }
        #expect(scripted.feed(.text("more")))
        #expect(try await scripted.socket.receive() == .text("more"))
    }

    @Test func `small messages count too, so that their number is bounded`() async throws {
        let scripted = try ScriptedSocket()
        var sent = 0
        repeat { sent += 1 } while scripted.feed(.text("")) && sent < 100_000
        #expect(sent == 4096)
    }

    @Test func `closing resumes a transport that was stopped, so that the peer's close frame is found`() async throws {
        let scripted = try ScriptedSocket()
        scripted.feed(.binary([UInt8](repeating: 0, count: 300 << 10)))
        #expect(scripted.transport.state.withLock(\.isReadPaused))
        let closing = Task { await scripted.socket.close() }
        await scripted.transport.state.wait { $0.resumptions == 1 }
        scripted.feed(.close(1000))
        await closing.value
        #expect(scripted.socket.closeStatus?.code == .normal)
    }

    @Test func `cancelling a reader closes the WebSocket`() async throws {
        let scripted = try ScriptedSocket()
        let receiving = Task { try await scripted.socket.receive() }
        receiving.cancel()
        let error = await #expect(throws: WebSocketError.self) { try await receiving.value }
        #expect(error?.code == .cancelled)
        #expect(scripted.transport.frames == [.close(1001)])
    }

    @Test func `of two readers at the same time, one gets an error, and the other continues`() async throws {
        let scripted = try ScriptedSocket()
        let results = Watched<[Result<WebSocketMessage?, any Error>]>([])
        for _ in 0..<2 {
            Task {
                let result = await Result { try await scripted.socket.receive() }
                results.withLock { $0.append(result) }
            }
        }
        await results.wait { $0.count == 1 }
        let error = #expect(throws: WebSocketError.self) { try results.withLock { $0[0] }.get() }
        #expect(error?.code == .concurrentReceive)
        scripted.feed(.text("for the other"))
        await results.wait { $0.count == 2 }
        #expect(try results.withLock { $0[1] }.get() == .text("for the other"))
        #expect(!scripted.transport.isClosed)
    }

    @Test func `a stream begins before its message ends`() async throws {
        let scripted = try ScriptedSocket()
        var streams = scripted.socket.streams.makeAsyncIterator()
        scripted.feed(.text("a", isFinal: false))
        let stream = try #require(try await streams.next())
        #expect(stream.kind == .text)
        var chunks = stream.makeAsyncIterator()
        #expect(try await chunks.next() == Data("a".utf8))
        scripted.feed(.more("b", isFinal: false))
        #expect(try await chunks.next() == Data("b".utf8))
        scripted.feed(.more(""))
        #expect(try await chunks.next() == nil)
        #expect(try await chunks.next() == nil)
    }

    @Test func `what is not read of a stream is skipped`() async throws {
        let scripted = try ScriptedSocket()
        var streams = scripted.socket.streams.makeAsyncIterator()
        let long = [TestFrame.binary([1], isFinal: false), TestFrame(0, [2], isFinal: false), TestFrame(0, [3])]
        scripted.feed(long + [.text("second")] + long + [.text("fourth"), .close(1000)], pieces: 3)
        let first = try #require(try await streams.next())
        for try await chunk in first {
            #expect(chunk == Data([1]))
            break
        }
        #expect(try await streams.next()?.kind == .text)
        #expect(try await streams.next()?.kind == .binary)
        #expect(try await scripted.socket.receive() == .text("fourth"))
        #expect(try await streams.next() == nil)
    }

    @Test func `a stream whose connection is lost ends with an error`() async throws {
        let scripted = try ScriptedSocket()
        var streams = scripted.socket.streams.makeAsyncIterator()
        scripted.feed(.text("a", isFinal: false))
        var chunks = try #require(try await streams.next()).makeAsyncIterator()
        _ = try await chunks.next()
        scripted.transport.end()
        let error = await #expect(throws: WebSocketError.self) { try await chunks.next() }
        #expect(error?.code == .connectionLost)
    }

    private struct Event: Codable, Equatable, Sendable { var id: Int }

    @Test func `values are decoded, and one that is damaged is an error after which the next follows`() async throws {
        let scripted = try ScriptedSocket()
        scripted.feed(.text(#"{"id":1}"#), .text("{"), .binary(Array(#"{"id":3}"#.utf8)), .close(1000))
        var values = scripted.socket.messages(as: .json(Event.self)).makeAsyncIterator()
        #expect(try await values.next() == Event(id: 1))
        let error = await #expect(throws: WebSocketError.self) { try await values.next() }
        #expect(error?.code == .coding)
        #expect(error?.message.contains("text of 1 bytes") == true)
        #expect(try await values.next() == Event(id: 3))
        #expect(try await values.next() == nil)
    }

    @Test func `the description of a message does not show its content`() {
        #expect("\(WebSocketMessage.text("sécret"))" == "text of 7 bytes")
        #expect("\(WebSocketMessage.binary(Data([1, 2])))" == "binary of 2 bytes")
    }
}
