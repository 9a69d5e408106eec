import Endpoints
import Foundation
import NetworkSupport
import TestSupport
import Testing
import TransferTestSupport

@_spi(SessionManagers) @testable import NetworkTransport
@testable import NetworkURLSession

/// The body of a streamed response, from the delegate of `URLSession` to its reader.
@Suite(.timeLimit(.minutes(10)))
struct URLSessionStreamTests {
    private func driven(backlog: BodyBacklog = BodyBacklog()) throws -> DrivenExchange {
        var request = try NetworkRequest.unsent()
        request.isStreamed = true
        let limits = SessionConfiguration { $0.maximumBodyBytes = 1 << 20 }
        return try DrivenExchange(request, limits: limits, backlog: backlog)
    }

    private func response(_ driven: DrivenExchange) async throws -> NetworkResponse {
        try #require(await driven.outcomes.wait(count: 1).first).get()
    }

    @Test func `the head is delivered before the body, and each piece when it is received`() async throws {
        let driven = try driven()
        driven.receive(200, ["X-Name": "value"])
        let response = try await response(driven)
        #expect(response.statusCode == 200 && response.headers["X-Name"] == "value" && !response.body.isInMemory)
        var chunks = response.body.makeAsyncIterator()
        for text in ["a", "bc", "def"] {
            driven.receive(text)
            #expect(try await chunks.next() == Data(text.utf8))
        }
        driven.end()
        #expect(try await chunks.next() == nil)
        #expect(response.timings.bytesReceived == 6)
    }

    @Test func `URLSession is paused while bytes wait for the reader, and continues when none does`() async throws {
        let driven = try driven()
        driven.receive(200)
        let response = try await response(driven)
        // The pipe takes what begins below its capacity.
        driven.receive(Data(repeating: 1, count: 300_000))
        #expect(!driven.exchange.isPaused)
        driven.receive(Data(repeating: 2, count: 100_000))
        #expect(driven.exchange.isPaused)
        // What URLSession delivers nevertheless.
        driven.receive(Data(repeating: 3, count: 400_000))
        driven.end()
        #expect(driven.endCount == 0)
        var chunks = response.body.makeAsyncIterator()
        var body = Data()
        while let chunk = try await chunks.next() { body += chunk }
        #expect(!driven.exchange.isPaused)
        let expected =
            Data(repeating: 1, count: 300_000) + Data(repeating: 2, count: 100_000) + Data(repeating: 3, count: 400_000)
        #expect(body == expected)
    }

    @Test func `bytes of any size arrive once and in their order, however the reader and the task take turns`() async throws {
        var random = SeededGenerator(seed: UInt64.random(in: 0...1 << 40))
        for _ in 0..<runs(6, slow: 60) {
            let driven = try driven()
            driven.receive(200)
            let response = try await response(driven)
            let sizes = (0..<random.below(40)).map { _ in
                random.pick([0, 1, 16_384, 200_000, 262_144, 300_000]) + random.below(9)
            }
            let pieces = sizes.enumerated().map { Data(repeating: UInt8(truncatingIfNeeded: $0), count: $1) }
            async let sent: Void = {
                for piece in pieces {
                    driven.receive(piece)
                    await Task.yield()
                }
                driven.end()
            }()
            var chunks = response.body.makeAsyncIterator()
            var body = Data()
            while let chunk = try await chunks.next() {
                #expect(!chunk.isEmpty)
                body += chunk
            }
            await sent
            let isSame = body == Data(pieces.joined())
            #expect(isSame, "sizes \(sizes)")
            #expect(response.timings.bytesReceived == Int64(body.count))
        }
    }

    @Test func `more bytes than may wait are an error that names the limit, whatever was read before`() async throws {
        let driven = try driven(backlog: BodyBacklog(.init(total: 1 << 20)))
        driven.receive(200)
        let response = try await response(driven)
        var chunks = response.body.makeAsyncIterator()
        // Three times the limit passes while it is read.
        for _ in 0..<12 {
            driven.receive(Data(count: 256 << 10))
            #expect(try await chunks.next()?.count == 256 << 10)
        }
        for _ in 0..<6 { driven.receive(Data(count: 256 << 10)) }
        let error = await #expect(throws: TransportError.self) { while try await chunks.next() != nil {} }
        #expect(error?.code == .bodyTooLarge && error?.message.contains("more than 1048576 bytes") == true)
        #expect(driven.exchange.isPaused == false)
    }

    @Test func `bytes that cannot wait in a file are an error with its cause`() async throws {
        let driven = try driven(backlog: BodyBacklog(folder: "/missing"))
        driven.receive(200)
        let response = try await response(driven)
        for _ in 0..<4 { driven.receive(Data(count: 256 << 10)) }
        var chunks = response.body.makeAsyncIterator()
        let error = await #expect(throws: TransportError.self) { while try await chunks.next() != nil {} }
        #expect(error?.code == .outOfResources && error?.phase == .receive && error?.underlying is SystemError)
        #expect(error?.message.contains("temporary file: No such file or directory") == true)
    }

    @Test func `a failure of the task is thrown after the bytes that were received before`() async throws {
        let driven = try driven()
        driven.receive(200)
        let response = try await response(driven)
        driven.receive("abc")
        driven.end(.networkConnectionLost)
        var chunks = response.body.makeAsyncIterator()
        #expect(try await chunks.next() == Data("abc".utf8))
        let error = await #expect(throws: TransportError.self) { try await chunks.next() }
        #expect(error?.code == .connectionLost)
    }

    @Test func `releasing the body cancels the task`() async throws {
        let driven = try driven()
        driven.receive(200)
        var response: NetworkResponse? = try await response(driven)
        driven.receive("abc")
        #expect(driven.discardCount == 0 && response != nil)
        response = nil
        await driven.outcomes.clear()
        #expect(driven.discardCount == 1)
    }

    @Test func `the idle timeout does not run while bytes wait for the reader`() throws {
        let millisecond: UInt64 = 1_000_000
        var request = try NetworkRequest.unsent()
        request.timeouts.idle = .milliseconds(10)
        var activity = URLSessionActivity(request, limits: SessionConfiguration(), now: 0)
        activity.launch(at: 0)
        activity.move(to: .receive, at: millisecond)
        #expect(activity.deadline(at: 2 * millisecond) == 11 * millisecond)
        activity.pauseIdleTimeout(true, at: 2 * millisecond)
        #expect(activity.deadline(at: 500 * millisecond) == 510 * millisecond)
        activity.pauseIdleTimeout(false, at: 600 * millisecond)
        #expect(activity.deadline(at: 605 * millisecond) == 610 * millisecond)
    }

    #if os(Linux)
        @Test func `the first event of a stream without end arrives while the stream is open`() async throws {
            let server = try RawServer { connection in
                _ = try connection.head()
                try connection.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
                try connection.send("9\r\ndata: 1\n\n\r\n")
                connection.waitForHangUp()
            }
            let session = URLSessionManager()
            var request = server.request("/")
            request.isStreamed = true
            let response = try await session.response(for: request)
            var chunks = response.body.makeAsyncIterator()
            #expect(try await chunks.next() == Data("data: 1\n\n".utf8))
        }
    #endif
}
