import DataTransferOpenCombine
import Foundation
import NetworkTesting
import Testing

@Suite(.timeLimit(.minutes(10)))
struct RequestPublisherTests {
    let session = StubSessionManager()
    let film = Endpoint<Film>(path: "film")

    var service: DefaultDataTransferService { .make(session) }

    @Test func `a value is published, then the end`() async {
        session.route(.json(#"{"id": 7}"#), for: "/film")
        let result = await service.requestPublisher(film).recorded()
        #expect(result.values == [Film(id: 7)] && result.isFinished)
    }

    @Test func `nothing is a value, too`() async {
        session.route(.status(204), for: "/film")
        let result = await service.requestPublisher(Endpoint<Void>(path: "film")).recorded()
        #expect(result.values.count == 1 && result.isFinished)
    }

    @Test func `a value comes with status and headers`() async {
        session.route(.json(#"{"id": 7}"#, status: 201, headers: ["X-Page": "2"]), for: "/film")
        let result = await service.responsePublisher(for: film).recorded()
        let response = result.values.first
        #expect(response?.value == Film(id: 7) && response?.statusCode == 201 && response?.headers["X-Page"] == "2")
        #expect(result.isFinished)
    }

    @Test func `an error is the only thing published`() async {
        session.route(.status(404), for: "/film")
        let result = await service.requestPublisher(film).recorded()
        #expect(result.error?.statusCode == 404 && result.values.isEmpty && result.completions.count == 1)
        session.enqueue(.json("[]"), for: "/other")
        let other = await service.requestPublisher(Endpoint<Film>(path: "other")).recorded()
        guard case .parsing = other.error else { return #expect(other.error != nil) }
    }

    @Test func `two subscribers send two requests, no subscriber sends none`() async {
        session.route(.json(#"{"id": 7}"#), for: "/film")
        let publisher = service.requestPublisher(film)
        #expect(session.requests.isEmpty)
        _ = await publisher.recorded()
        _ = await publisher.recorded()
        #expect(session.requests.count == 2)
    }

    @Test func `a request begins with the first demand`() async {
        session.route(.json(#"{"id": 7}"#), for: "/film")
        let subscriber = RecordingSubscriber<Film, DataTransferError>(.none)
        service.requestPublisher(film).subscribe(subscriber)
        #expect(session.requests.isEmpty && subscriber.record.withLock { $0.subscription != nil })
        subscriber.request(.max(1))
        await subscriber.waitForEnd()
        #expect(subscriber.values == [Film(id: 7)] && subscriber.isFinished && session.requests.count == 1)
    }

    @Test func `cancelling ends the request, and nothing is published`() async throws {
        let server = try LoopbackServer { _ in LoopbackResponse.text("").fault(.stall) }
        let subscriber = RecordingSubscriber<Film, DataTransferError>()
        DefaultDataTransferService.make(server.url).requestPublisher(film).subscribe(subscriber)
        await server.waitForRequests(count: 1)
        subscriber.cancel()
        #expect(await server.waitForOpenConnections(count: 0))
        #expect(subscriber.values.isEmpty && subscriber.completions.isEmpty)
    }

    @Test func `releasing a sink cancels its request`() async throws {
        let server = try LoopbackServer { _ in LoopbackResponse.text("").fault(.stall) }
        var subscriptions: Set<AnyCancellable> = []
        DefaultDataTransferService.make(server.url).requestPublisher(film)
            .sink { _ in
                Issue.record("it has ended")
            } receiveValue: { _ in
                Issue.record("there is a value")
            }
            .store(in: &subscriptions)
        await server.waitForRequests(count: 1)
        subscriptions = []
        #expect(await server.waitForOpenConnections(count: 0))
    }

    @Test func `publishers compose with the operators there are`() async {
        session.route(.json(#"{"id": 7}"#), for: "/film")
        session.route(.json(#"{"id": 8}"#), for: "/7")
        let result = await service.requestPublisher(film)
            .flatMap { service.requestPublisher(Endpoint<Film>(path: "\($0.id)")) }
            .map(\.id).recorded()
        #expect(result.values == [8] && result.isFinished)
    }

    @Test func `a retry is another request`() async {
        session.enqueue(.status(503), for: "/film")
        session.enqueue(.json(#"{"id": 7}"#), for: "/film")
        let result = await service.requestPublisher(film).retry(1).recorded()
        #expect(result.values == [Film(id: 7)] && result.isFinished && session.requests.count == 2)
    }

    // MARK: Several at once

    private func films(_ ids: ClosedRange<Int>) -> [Endpoint<Film>] {
        for id in ids { session.route(.json(#"{"id": \#(id)}"#), for: "/\(id)") }
        return ids.map { Endpoint<Film>(path: "\($0)") }
    }

    @Test func `several at once are one value in their order`() async {
        let result = await service.concurrentlyPublisher(films(1...20), maximumConcurrency: 3).recorded()
        #expect(result.values.first?.map(\.id) == Array(1...20) && result.isFinished)
    }

    @Test func `the first failure is that of all`() async {
        let result = await service.concurrentlyPublisher(films(1...3) + [Endpoint(path: "missing")]).recorded()
        #expect(result.values.isEmpty && result.error?.networkError?.transportError?.code == .notStubbed)
    }

    @Test func `collecting tells what became of each`() async {
        let result = await service.concurrentlyPublisher(collecting: films(1...2) + [Endpoint(path: "missing")]).recorded()
        #expect(result.values.first?.map { (try? $0.get())?.id } == [1, 2, nil] && result.isFinished)
    }

    @Test func `different types at once are a tuple`() async {
        session.route(.json(#""ada""#), for: "/name")
        let result = await service.concurrentlyPublisher(films(1...1)[0], Endpoint<String>(path: "name")).recorded()
        #expect(result.values.first?.0 == Film(id: 1) && result.values.first?.1 == "ada" && result.isFinished)
    }

    @Test func `results come one by one, as many as endpoints`() async {
        let subscriber = RecordingSubscriber<(index: Int, result: Result<Film, DataTransferError>), Never>(.max(2))
        service.resultsPublisher(of: films(1...5), maximumConcurrency: 1).subscribe(subscriber)
        await subscriber.waitForValues(2)
        #expect(subscriber.values.map(\.index) == [0, 1] && subscriber.completions.isEmpty && session.requests.count <= 3)
        subscriber.request(.unlimited)
        await subscriber.waitForEnd()
        #expect(subscriber.values.map { (try? $0.result.get())?.id } == [1, 2, 3, 4, 5] && subscriber.isFinished)
    }
}
