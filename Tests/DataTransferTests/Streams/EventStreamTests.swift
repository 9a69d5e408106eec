import DataTransfer
import Foundation
import NetworkTesting
import TransferTestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct EventStreamTests {
    let clock = ManualClock()
    let session = StubSessionManager()
    let endpoint = Endpoint<Void>(path: "events")

    private func service(logger: InMemoryLogger? = nil) throws -> DefaultDataTransferService {
        DefaultDataTransferService(
            configuration: try APIConfiguration("https://h.test", headers: ["Accept": "application/json", "X-A": "1"]),
            sessionManager: session, errorLogger: logger)
    }

    private func enqueue(_ text: String, status: Int = 200, type: String = "text/event-stream") {
        session.enqueue(.data(Data(text.utf8), contentType: type, status: status))
    }

    private var lastEventIDs: [String?] { session.requests.map { $0.headers["Last-Event-ID"] } }

    /// Reads to the end, advances the clock by each expected pause, and checks that no pause is shorter or longer.
    private func read(
        _ events: EventStream, pauses: [Duration]
    ) async -> Reading<ServerSentEvent> {
        let task = Task { await Reading(events) }
        for pause in pauses {
            await clock.waitForSleepers(count: 1)
            // The pause has not ended one nanosecond earlier.
            clock.advance(by: pause - .nanoseconds(1))
            #expect(clock.sleeperCount == 1, "\(pause) is longer than the pause")
            // A sleeper that does not wake now would be counted as the next pause, and a check of the sleeper count would fail.
            clock.advance(by: .nanoseconds(1))
        }
        return await task.value
    }

    @Test func `the request has the header fields of an event source`() async throws {
        enqueue("", status: 204)
        let reading = await read(try service().events(endpoint), pauses: [])
        #expect(reading.elements.isEmpty && reading.error == nil)
        let headers = try #require(session.requests.first).headers
        #expect(headers["Accept"] == "text/event-stream" && headers["Cache-Control"] == "no-store" && headers["X-A"] == "1")
        #expect(headers["Accept-Encoding"] == "identity" && !headers.contains("Last-Event-ID"))
    }

    @Test func `the header fields of the endpoint replace the default ones`() async throws {
        enqueue("", status: 204)
        let custom = Endpoint<Void>(path: "events", headerParameters: ["accept": "text/event-stream, */*"])
        _ = await read(try service().events(custom, lastEventID: "77"), pauses: [])
        #expect(session.requests.first?.headers["Accept"] == "text/event-stream, */*" && lastEventIDs == ["77"])
    }

    @Test func `no request is sent before the first event is read`() async throws {
        let events = try service().events(endpoint)
        _ = events.makeAsyncIterator()
        #expect(session.requests.isEmpty)
    }

    @Test func `when a connection ends, the stream reconnects with the last event ID`() async throws {
        enqueue("id: 1\ndata: a\n\ndata: b\n\nid: lost\ndata: cut")
        enqueue(": hello\n\nid\ndata: c\n\n")
        enqueue("", status: 204)
        let events = try service().events(endpoint, options: EventStreamOptions(clock: clock))
        let reading = await read(events, pauses: [.seconds(3), .seconds(3)])
        #expect(reading.elements.map(\.data) == ["a", "b", "c"] && reading.error == nil)
        #expect(reading.elements.map(\.lastEventID) == ["1", "1", ""])
        #expect(lastEventIDs == [nil, "1", nil])
    }

    @Test func `the server sets the pause before a reconnection, within the limits`() async throws {
        enqueue("retry: 1500\ndata: a\n\n")
        enqueue("data: b\n\n")
        enqueue("retry: 0\ndata: c\n\n")
        enqueue("retry: 99999999999999\ndata: d\n\n")
        enqueue("", status: 204)
        let reconnection = EventStreamOptions(
            backoff: Backoff(base: .seconds(1), maximumDelay: .seconds(20), isRandom: false), clock: clock)
        let reading = await read(
            try service().events(endpoint, options: reconnection),
            pauses: [.milliseconds(1500), .milliseconds(1500), .milliseconds(100), .seconds(20)])
        #expect(reading.elements.map(\.data) == ["a", "b", "c", "d"] && reading.error == nil)
    }

    @Test func `each consecutive failure doubles the pause, and an event resets it`() async throws {
        session.enqueue(.failure(.connectionLost))
        session.enqueue(.failure(.cannotConnect))
        session.enqueue(.status(503))
        session.enqueue(.failure(.timedOut))
        enqueue("data: a\n\n")
        session.enqueue(.failure(.connectionLost))
        enqueue("", status: 204)
        let reconnection = EventStreamOptions(
            maximumAttempts: 5, backoff: Backoff(base: .seconds(1), maximumDelay: .seconds(6), isRandom: false), clock: clock)
        let logger = InMemoryLogger()
        let reading = await read(
            try service(logger: logger).events(endpoint, options: reconnection),
            pauses: [1, 2, 4, 6, 1, 1].map { .seconds($0) })
        #expect(reading.elements.map(\.data) == ["a"] && reading.error == nil)
        #expect(logger.dataTransferErrors.count == 5)
    }

    @Test func `too many consecutive failures end the stream with the last error`() async throws {
        for code in [.connectionLost, .connectionLost, .cannotConnect] as [TransportError.Code] {
            session.enqueue(.failure(code))
        }
        let reconnection = EventStreamOptions(
            maximumAttempts: 3, backoff: Backoff(base: .seconds(1), maximumDelay: .seconds(60), isRandom: false), clock: clock)
        let reading = await read(try service().events(endpoint, options: reconnection), pauses: [.seconds(1), .seconds(2)])
        #expect(reading.error?.networkError?.transportError?.code == .cannotConnect)
        #expect(session.requests.count == 3)
    }

    @Test func `a connection without an event or a comment counts as a failure`() async throws {
        for text in ["", ":\n", "id: 1\n\n", ""] { enqueue(text) }
        let reconnection = EventStreamOptions(
            maximumAttempts: 2, backoff: Backoff(base: .seconds(1), maximumDelay: .seconds(60), isRandom: false), clock: clock)
        let reading = await read(
            try service().events(endpoint, options: reconnection), pauses: [.seconds(1), .seconds(1), .seconds(1)])
        #expect(reading.error?.networkError?.transportError?.code == .connectionLost)
        #expect("\(reading.error.map(String.init(describing:)) ?? "")".contains("without an event, 2 times in a row"))
        #expect(lastEventIDs == [nil, nil, nil, "1"])
    }

    @Test(arguments: [408, 425, 429, 500, 502, 503, 504])
    func `a temporary error status is retried after its Retry-After`(status: Int) async throws {
        session.enqueue(.status(status, headers: ["Retry-After": "7"]))
        enqueue("data: a\n\n")
        enqueue("", status: 204)
        let reading = await read(
            try service().events(endpoint, options: EventStreamOptions(clock: clock)), pauses: [.seconds(7), .seconds(3)])
        #expect(reading.elements.map(\.data) == ["a"] && reading.error == nil)
    }

    @Test(arguments: [
        ("99999999999", 60), ("+7", 7), ("-7", 3), ("\u{661}", 3), ("4.0", 4), ("8s", 8), ("Sun, 06 Nov 2094 08:49:37 UTC", 60),
    ])
    func `a Retry-After in any form makes the pause longer up to the limit, and other text leaves it`(field: String, pause: Int)
        async throws
    {
        session.enqueue(.status(503, headers: ["Retry-After": field]))
        enqueue("", status: 204)
        let options = EventStreamOptions(
            backoff: Backoff(base: .seconds(3), maximumDelay: .seconds(60), isRandom: false), clock: clock)
        let reading = await read(try service().events(endpoint, options: options), pauses: [.seconds(pause)])
        #expect(reading.elements.isEmpty && reading.error == nil)
    }

    @Test(arguments: [400, 401, 403, 404, 410, 501])
    func `an error status that is not temporary ends the event stream`(status: Int) async throws {
        session.enqueue(.status(status))
        let reading = await read(try service().events(endpoint, options: EventStreamOptions(clock: clock)), pauses: [])
        #expect(reading.error?.statusCode == status && session.requests.count == 1)
    }

    @Test(arguments: ["text/html", "text/event-streams", "application/json; text/event-stream"])
    func `a response with a different content type ends the event stream with an error`(type: String) async throws {
        enqueue("data: a\n\n", type: type)
        let logger = InMemoryLogger()
        let reading = await read(try service(logger: logger).events(endpoint), pauses: [])
        #expect(reading.elements.isEmpty && reading.failure?.reason == "the content type is \"\(type)\", not text/event-stream")
        #expect(session.requests.count == 1 && logger.dataTransferErrors.count == 1)
    }

    @Test(arguments: ["text/event-stream", "Text/Event-Stream ; charset=utf-8", "text/event-stream;charset=UTF-8"])
    func `parameters and case of the content type do not matter`(type: String) async throws {
        enqueue("data: a\n\n", type: type)
        var events = try service().events(endpoint).makeAsyncIterator()
        #expect(try await events.next()?.data == "a")
    }

    @Test func `an event longer than the limit ends the stream without a reconnection`() async throws {
        enqueue("data: a\n\ndata: 12345678901\n\n")
        let logger = InMemoryLogger()
        let reading = await read(try service(logger: logger).events(endpoint, maximumEventBytes: 16), pauses: [])
        #expect(reading.elements.map(\.data) == ["a"])
        #expect(
            reading.failure?.reason == "the event is longer than 16 bytes (maximumEventBytes)"
                && reading.failure?.elementIndex == 1)
        #expect(session.requests.count == 1 && logger.dataTransferErrors.count == 1)
    }

    /// WHATWG HTML §9.2.3: the last event ID is sent as UTF-8. RFC 9110 §5.5: no field contains a control character.
    @Test func `an event ID that is no field value is returned, and neither it nor an older ID is sent`() async throws {
        enqueue("id: 7\ndata: a\n\n")
        enqueue("id: a\u{1}b\ndata: b\n\n")
        enqueue("data: c\n\nid: \(String(repeating: "x", count: 65_537))\ndata: d\n\n")
        enqueue("id: ñ\tb\ndata: e\n\n")
        enqueue("", status: 204)
        let source = Endpoint<Void>(path: "events", headerParameters: ["last-event-id": "0"])
        let reading = await read(
            try service().events(source, options: EventStreamOptions(clock: clock)),
            pauses: Array(repeating: .seconds(3), count: 4))
        #expect(reading.error == nil && reading.elements.map(\.data) == ["a", "b", "c", "d", "e"])
        #expect(reading.elements.map { $0.lastEventID.prefix(4) } == ["7", "a\u{1}b", "a\u{1}b", "xxxx", "ñ\tb"])
        #expect(lastEventIDs == ["0", "7", nil, nil, "ñ\tb"])
    }

    @Test func `random event IDs are returned and sent as the standard requires`() async throws {
        var random = SeededGenerator(seed: 0x1D)
        let pieces: [[UInt8]] = [
            [0x00], [0x01], [0x09], [0x1F], [0x7F], [0x80], [0xC3, 0xA9], [0xCC, 0x81], [0xEF, 0xB8, 0x8F], [0xFF],
            Array(" ".utf8),
            Array("a".utf8), Array(":".utf8), Array("é".utf8), Array("7".utf8),
        ]
        for _ in 0..<60 {
            let id = (0..<random.below(6)).flatMap { _ in random.pick(random.chance(70) ? Array(pieces.suffix(5)) : pieces) }
            let body = Data("id: ".utf8) + id + Data("\ndata: a\n\n".utf8)
            session.enqueue(.data(body, contentType: "text/event-stream"))
            enqueue("", status: 204)
            let reading = await read(
                try service().events(endpoint, options: EventStreamOptions(clock: clock)), pauses: [.seconds(3)])
            let kept = id.contains(0) ? [] : Array(String(decoding: id, as: UTF8.self).utf8)
            #expect(reading.error == nil && reading.elements.map { Array($0.lastEventID.utf8) } == [kept])
            let isSendable = !kept.isEmpty && kept.allSatisfy { $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) }
            #expect(lastEventIDs.last??.utf8.map { $0 } == (isSendable ? kept : nil))
        }
    }

    @Test func `cancelling ends the pause before a reconnection`() async throws {
        session.enqueue(.failure(.connectionLost))
        let events = try service().events(endpoint, options: EventStreamOptions(clock: clock))
        let task = Task { await Reading(events) }
        await clock.waitForSleepers(count: 1)
        task.cancel()
        #expect(await task.value.error?.isCancelled == true && session.requests.count == 1)
    }

    @Test func `each loop over an event stream opens a new connection`() async throws {
        enqueue("data: a\n\n")
        enqueue("data: b\n\n")
        let events = try service().events(endpoint)
        for expected in ["a", "b"] {
            for try await event in events {
                #expect(event.data == expected)
                break
            }
        }
    }
}
