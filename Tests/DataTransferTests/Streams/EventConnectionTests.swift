import DataTransfer
import Foundation
import NetworkTesting
import Testing
import TransferTestSupport

/// Tests of server-sent events over real sockets.
@Suite(.timeLimit(.minutes(10)), .alsoOverURLSession)
struct EventConnectionTests {
    let clock = ManualClock()
    let endpoint = Endpoint<Void>(path: "events")

    private func events(_ text: String, _ fault: LoopbackFault? = nil) -> LoopbackResponse {
        let response = LoopbackResponse.data(Data(text.utf8), contentType: "text/event-stream")
        return fault.map(response.fault) ?? response
    }

    private func service(_ server: LoopbackServer) -> DefaultDataTransferService {
        server.service()
    }

    @Test func `an interrupted event stream continues after the last received event`() async throws {
        let server = try LoopbackServer { request in
            switch request.headers["Last-Event-ID"] {
            case nil: events("retry: 50\nid: 1\ndata: a\n\nid: 2\ndata: bbb", .truncateBody(after: 30))
            case "1": events("id: 2\ndata: b\n\n", .drip(bytes: 1, every: .milliseconds(1)))
            case "2": LoopbackResponse(status: 302, headers: ["Location": "/elsewhere"])
            default: .status(400)
            }
        }
        let service = service(server)
        let reconnection = EventStreamOptions(clock: clock)
        let task = Task { () -> [String] in
            var seen: [String] = []
            for try await event in service.events(endpoint, options: reconnection) {
                seen.append(event.data)
                if seen.count == 2 { break }
            }
            return seen
        }
        await clock.waitForSleepers(count: 1)
        clock.advance(by: .milliseconds(100))
        #expect(try await task.value == ["a", "b"])
        #expect(server.requests.map { $0.headers["Last-Event-ID"] } == [nil, "1"])
        #expect(
            server.requests.allSatisfy {
                $0.headers["Accept"] == "text/event-stream" && $0.headers["Accept-Encoding"] == "identity"
            })
    }

    /// WHATWG HTML §9.2.3.
    @Test func `an event ID that is not ASCII is sent as its UTF-8 bytes`() async throws {
        let id = "n\u{303}日"
        let server = try LoopbackServer { request in
            request.headers.contains("Last-Event-ID") ? .status(204) : events("id: \(id)\ndata: a\n\n")
        }
        let service = service(server)
        let reconnection = EventStreamOptions(clock: clock)
        let task = Task { await Reading(service.events(endpoint, options: reconnection)) }
        await clock.waitForSleepers(count: 1)
        clock.advance(by: .seconds(3))
        #expect(await task.value.elements.map(\.data) == ["a"])
        #expect(server.requests.last?.headers["Last-Event-ID"].map { Array($0.utf8) } == Array(id.utf8))
    }

    @Test func `an event is returned immediately, while the connection stays open`() async throws {
        let server = try LoopbackServer { _ in events("data: a\n\ndata: b", .stallBody(after: 12)) }
        var iterator = service(server).events(endpoint).makeAsyncIterator()
        #expect(try await iterator.next() == ServerSentEvent(data: "a"))
        #expect(server.openConnectionCount == 1)
    }

    @Test func `cancelling the reader or leaving the loop closes the socket`() async throws {
        let server = try LoopbackServer { _ in events("data: a\n\n ", .stallBody(after: 9)) }
        let service = service(server)
        let task = Task { await Reading(service.events(endpoint)) }
        await server.waitForRequests(count: 1)
        task.cancel()
        #expect(await task.value.error?.isCancelled == true)
        #expect(await server.waitForOpenConnections(count: 0))
        for try await _ in service.events(endpoint) { break }
        #expect(await server.waitForOpenConnections(count: 0))
    }

    @Test func `in the closure form events are passed one at a time, and cancelling closes the socket even if a closure blocks`()
        async throws
    {
        let response = events("data: a\n\n").repeated()
        let server = try LoopbackServer { _ in response }
        let queue = HeldQueue()
        let (results, continuation) = AsyncStream.makeStream(of: Bool.self)
        let service = service(server)
        let handle = TaskCancellable(on: queue) {
            service.events(endpoint)
        } onElement: { event in
            #expect(event.data == "a")
        } completion: { result in
            if case .failure(let error) = result { continuation.yield(error.isCancelled) }
            continuation.finish()
        }
        await queue.runNext()
        await queue.waitForWork()
        #expect(queue.count == 1)
        handle.cancel()
        #expect(await server.waitForOpenConnections(count: 0))
        await queue.runNext()
        await queue.runNext()
        var seen: [Bool] = []
        for await isCancelled in results { seen.append(isCancelled) }
        #expect(seen == [true])
    }

    @Test func `in the closure form a 204 response completes with success`() async throws {
        let server = try LoopbackServer { _ in .status(204) }
        let service = service(server)
        let result = await outcome { TaskCancellable({ service.events(endpoint) }, onElement: { _ in }, completion: $0) }
        #expect(throws: Never.self) { try result.get() }
    }
}
