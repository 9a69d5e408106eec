import DataTransferOpenCombine
import Foundation
import NetworkTesting
import Testing

@Suite(.timeLimit(.minutes(10)))
struct StreamPublisherTests {
    let session = StubSessionManager()
    let endpoint = Endpoint<Void>(path: "a")

    private var service: DefaultDataTransferService { .make(session) }

    private func recorded<Element: Sendable>(
        _ text: String, as format: StreamFormat<Element>
    ) async -> RecordingSubscriber<Element, DataTransferError> {
        session.enqueue(.text(text))
        return await service.streamPublisher(endpoint, as: format).recorded()
    }

    @Test func `a body is published in each format`() async {
        let chunks = await recorded("abc", as: .chunks)
        #expect(chunks.values == [Data("abc".utf8)] && chunks.isFinished)
        let lines = await recorded("a\nb\r\nc", as: .lines())
        #expect(lines.values == ["a", "b", "c"] && lines.isFinished)
        let films = [Film(id: 1), Film(id: 2)]
        let ndjson = await recorded("{\"id\": 1}\n{\"id\": 2}\n", as: .ndjson(Film.self))
        #expect(ndjson.values == films && ndjson.isFinished)
        let texts = await recorded("\u{1E}{\"id\": 1}\n\u{1E}{\"id\": 2}\n", as: .jsonSequence(Film.self))
        #expect(texts.values == films && texts.isFinished)
        let events = await recorded("data: a\n\ndata: b\n\n", as: .serverSentEvents())
        #expect(events.values.map(\.data) == ["a", "b"] && events.isFinished)
        let elements = await recorded(
            #"{"data": {"items": [{"id": 1}, {"id": 2}]}}"#, as: .elements(of: Film.self, at: "data.items"))
        #expect(elements.values == films && elements.isFinished)
    }

    @Test func `the bytes alone are published, too`() async {
        session.enqueue(.text("abc"))
        let result = await service.streamPublisher(for: endpoint).recorded()
        #expect(result.values == [Data("abc".utf8)] && result.isFinished)
    }

    @Test func `values before a failure come first, and only then the failure`() async {
        let broken = await recorded("{\"id\": 1}\n{\"id\": \"x\"}\n{\"id\": 3}\n", as: .ndjson(Film.self))
        #expect(broken.values == [Film(id: 1)] && broken.completions.count == 1 && broken.violations == 0)
        guard case .parsing = broken.error else { return #expect(broken.error != nil) }
        let skipping = await recorded("{\"id\": 1}\n{\"id\": \"x\"}\n{\"id\": 3}\n", as: .ndjson(Film.self, onFailure: .skip))
        #expect(skipping.values == [Film(id: 1), Film(id: 3)] && skipping.isFinished)
        session.enqueue(.status(500))
        let refused = await service.streamPublisher(endpoint, as: .lines()).recorded()
        #expect(refused.values.isEmpty && refused.error?.statusCode == 500)
    }

    @Test func `two subscribers start two streams, no subscriber starts no stream`() async {
        session.route(.text("1\n2"), for: "/a")
        let publisher = service.streamPublisher(endpoint, as: .lines())
        #expect(session.requests.isEmpty)
        for _ in 1...2 { #expect(await publisher.recorded().values == ["1", "2"]) }
        #expect(session.requests.count == 2)
    }

    @Test func `demand is met to the letter, and the end is found with the demand after the last value`() async {
        session.route(.text("1\n2\n3"), for: "/a")
        let subscriber = RecordingSubscriber<String, DataTransferError>(.none)
        service.streamPublisher(endpoint, as: .lines()).subscribe(subscriber)
        #expect(session.requests.isEmpty)
        subscriber.request(.max(2))
        await subscriber.waitForValues(2)
        subscriber.request(.max(1))
        await subscriber.waitForValues(3)
        #expect(subscriber.values == ["1", "2", "3"] && subscriber.completions.isEmpty)
        subscriber.request(.max(1))
        await subscriber.waitForEnd()
        #expect(subscriber.isFinished && session.requests.count == 1)
    }

    @Test func `a prefix closes the socket`() async throws {
        let server = try LoopbackServer { _ in LoopbackResponse.text("a\n").fault(.endlessBody) }
        let result = await DefaultDataTransferService.make(server.url).streamPublisher(endpoint, as: .lines()).prefix(3)
            .recorded()
        #expect(result.values.count == 3 && result.isFinished)
        #expect(await server.waitForOpenConnections(count: 0))
    }

    @Test func `a page is requested when it is demanded`() async {
        session.route { request in
            let page = request.url.query == "page=2" ? 2 : request.url.query == "page=3" ? 3 : 1
            return .json("[\(page)]")
        }
        let subscriber = RecordingSubscriber<DataTransferResponse<[Int]>, DataTransferError>(.max(1))
        let list = Endpoint<[Int]>(path: "list")
        service.pagesPublisher(of: list, by: .number("page") { $0 == [3] }).subscribe(subscriber)
        await subscriber.waitForValues(1)
        #expect(session.requests.count == 1)
        subscriber.request(.unlimited)
        await subscriber.waitForEnd()
        #expect(subscriber.values.map(\.value) == [[1], [2], [3]] && subscriber.isFinished)
        let limited = await service.pagesPublisher(of: list, by: .number("page") { _ in false }, maximumPages: 2).recorded()
        #expect(limited.values.count == 2 && limited.error != nil && limited.completions.count == 1)
    }

    @Test func `events go on across connections, until 204`() async throws {
        let clock = ManualClock()
        let server = try LoopbackServer { request in
            switch request.headers["Last-Event-ID"] {
            case nil: .data(Data("id: 1\ndata: a\n\n".utf8), contentType: "text/event-stream")
            default: .status(204)
            }
        }
        let subscriber = RecordingSubscriber<ServerSentEvent, DataTransferError>()
        DefaultDataTransferService.make(server.url)
            .eventsPublisher(endpoint, options: EventStreamOptions(clock: clock)).subscribe(subscriber)
        await clock.waitForSleepers(count: 1)
        #expect(subscriber.values.map(\.data) == ["a"] && subscriber.completions.isEmpty)
        clock.advance(by: .seconds(3))
        await subscriber.waitForEnd()
        #expect(subscriber.isFinished && server.requests.map { $0.headers["Last-Event-ID"] } == [nil, "1"])
    }

    @Test func `cancelling during a pause between two connections ends it`() async throws {
        let clock = ManualClock()
        let server = try LoopbackServer { _ in .data(Data("data: a\n\n".utf8), contentType: "text/event-stream") }
        let subscriber = RecordingSubscriber<ServerSentEvent, DataTransferError>()
        DefaultDataTransferService.make(server.url)
            .eventsPublisher(endpoint, options: EventStreamOptions(clock: clock)).subscribe(subscriber)
        await clock.waitForSleepers(count: 1)
        subscriber.cancel()
        clock.advance(by: .seconds(60))
        #expect(server.requestCount == 1 && subscriber.completions.isEmpty)
    }
}
