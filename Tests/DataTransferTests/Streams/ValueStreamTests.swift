import DataTransfer
import Foundation
import NetworkSupport
import NetworkTesting
import Testing
import TransferTestSupport

@Suite(.timeLimit(.minutes(10)), .alsoOverURLSession)
struct ValueStreamTests {
    let logger = InMemoryLogger()
    let endpoint = Endpoint<Void>(path: "a")

    private func service(_ server: LoopbackServer) -> DefaultDataTransferService {
        server.service(logger: logger)
    }

    private func server(_ body: String, _ faults: LoopbackFault...) throws -> LoopbackServer {
        let response = faults.reduce(LoopbackResponse.json(body)) { $0.fault($1) }
        return try LoopbackServer { _ in response }
    }

    @Test func `an element is returned before the body has ended`() async throws {
        let body = #"{"results": [{"id": 1}, {"id": 2}], "page": 1}"#
        let server = try server(body, .stallBody(after: 24))
        let movies = try await service(server).stream(endpoint, as: .elements(of: Film.self, at: "results"))
        #expect(movies.statusCode == 200 && movies.headers["content-type"] == "application/json" && movies.url.path == "/a")
        var iterator = movies.makeAsyncIterator()
        #expect(try await iterator.next() == Film(id: 1))
    }

    @Test(arguments: [1, 3, 1000])
    func `the elements do not depend on how the body is split into chunks`(bytes: Int) async throws {
        let server = try server(
            #"{"x": "é😀", "a": {"b": [{"id": 1}, {"id": 22}, {"id": 333}]}, "y": null}"#,
            .drip(bytes: bytes, every: .milliseconds(1)))
        let service = service(server)
        let movies = await Reading(try await service.stream(endpoint, as: .elements(of: Film.self, at: "/a/b")))
        #expect(movies.elements.map(\.id) == [1, 22, 333] && movies.error == nil)
    }

    @Test func `every format can be streamed, also from a service that implements only the completion form`() async throws {
        let session = StubSessionManager()
        let body: [String: String] = [
            "/text": "a\nb", "/nd": "{\"id\":1}\n{\"id\":2}\n", "/seq": "\u{1E}{\"id\":1}\n\u{1E}{\"id\":2}\n",
            "/array": "[{\"id\":1},{\"id\":2}]",
            "/events": "data: a\n\n",
        ]
        for (path, text) in body { session.route(.text(text), for: path) }
        let base = DefaultDataTransferService(configuration: try APIConfiguration("https://h.test"), sessionManager: session)
        for service in [base, OneMethodService(base: base)] as [any DataTransferService] {
            let chunks = try await Reading(service.stream(Endpoint<Void>(path: "text"), as: .chunks))
            #expect(chunks.elements == [Data("a\nb".utf8)] && chunks.error == nil)
            #expect(try await Reading(service.stream(Endpoint<Void>(path: "text"), as: .lines())).elements == ["a", "b"])
            let films = [Film(id: 1), Film(id: 2)]
            #expect(try await Reading(service.stream(Endpoint<Void>(path: "nd"), as: .ndjson(Film.self))).elements == films)
            #expect(
                try await Reading(service.stream(Endpoint<Void>(path: "seq"), as: .jsonSequence(Film.self))).elements == films)
            #expect(
                try await Reading(service.stream(Endpoint<Void>(path: "array"), as: .elements(of: Film.self))).elements == films)
            let events = try await Reading(service.stream(Endpoint<Void>(path: "events"), as: .serverSentEvents()))
            #expect(events.elements == [ServerSentEvent(data: "a")])
        }
    }

    @Test(.notOverURLSession(.trailers))
    func `trailers and timings are set when the stream ends`() async throws {
        let server = try LoopbackServer { _ in .chunked([Data("1\n".utf8), Data("2\n".utf8)], trailers: ["X-Sum": "3"]) }
        let numbers = try await service(server).stream(endpoint, as: .ndjson(Int.self))
        #expect(await Reading(numbers).elements == [1, 2])
        #expect(numbers.trailers["x-sum"] == "3" && numbers.timings.bytesReceived == 4)
        // A stream that has ended returns no more elements.
        #expect(await Reading(numbers).elements == [])
    }

    @Test func `a second loop continues where the first one stopped`() async throws {
        let server = try server("1\n2\n3\n")
        let numbers = try await service(server).stream(endpoint, as: .ndjson(Int.self))
        for try await number in numbers {
            #expect(number == 1)
            break
        }
        #expect(await Reading(numbers).elements == [2, 3])
    }

    @Test func `a truncated body throws an error after its complete elements`() async throws {
        let server = try server(#"[{"id": 1}, {"id": 2}, {"id": 3}]"#, .truncateBody(after: 28))
        let movies = try await service(server).stream(endpoint, as: .elements(of: Film.self))
        let reading = await Reading(movies)
        #expect(reading.elements.map(\.id) == [1, 2])
        #expect(reading.error?.networkError?.transportError?.code == .incompleteBody)
        // The next read throws the same error, which is logged only once.
        #expect(await Reading(movies).error?.networkError?.transportError?.code == .incompleteBody)
        #expect(logger.dataTransferErrors.count == 1)
    }

    @Test func `a JSON document that ends too early is an error even if the transfer is complete`() async throws {
        let server = try server(#"[{"id": 1}, {"id""#)
        let reading = await Reading(try await service(server).stream(endpoint, as: .elements(of: Film.self)))
        #expect(reading.elements.map(\.id) == [1])
        #expect(reading.failure?.reason.contains("it ends too early") == true && reading.failure?.elementIndex == 1)
    }

    @Test(.notOverURLSession(.floods))
    func `a line longer than the limit is an error and closes the socket`() async throws {
        let server = try server(String(repeating: "x", count: 4096), .endlessBody)
        let lines = try await service(server).stream(endpoint, as: .lines())
        let reading = await Reading(lines)
        #expect(reading.elements.isEmpty)
        #expect(reading.failure?.reason == "the line is longer than 1048576 bytes (maximumLineBytes)")
        #expect(await server.waitForOpenConnections(count: 0))
        #expect(logger.dataTransferErrors.count == 1)
        withExtendedLifetime(lines) {}
    }

    @Test(.notOverURLSession(.floods))
    func `an endless stream is read in constant memory`() async throws {
        let server = try server(String(repeating: "{\"id\": 7}\n", count: 1000), .endlessBody)
        var count = 0
        for try await movie in try await service(server).stream(endpoint, as: .ndjson(Film.self, onFailure: .skip)) {
            count += movie.id == 7 ? 1 : 0
            if count == 20_000 { break }
        }
        #expect(count == 20_000)
        #expect(await server.waitForOpenConnections(count: 0))
    }

    @Test(.notOverURLSession(.floods))
    func `an element of the wrong type ends the stream with an error that names its index, path and cause`() async throws {
        let server = try server(
            #"{"data": [{"id": 1}, {"id": "x", "token": "s3cret"}, {"id": 3}], "rest": "#, .endlessBody)
        let movies = try await service(server).stream(endpoint, as: .elements(of: Film.self, at: "data"))
        let reading = await Reading(movies)
        #expect(reading.elements.map(\.id) == [1])
        let failure = try #require(reading.failure)
        #expect(failure.elementIndex == 1 && failure.codingPath == "data[1].id" && failure.statusCode == 200)
        #expect(failure.request == "GET \(server.url)/a" && failure.reason == "not Int" && failure.underlying is DecodingError)
        #expect(failure.snippet.contains(#""id": "x""#) && !"\(failure)".contains("s3cret"))
        #expect("\(failure)".contains("[200] element 1 at data[1].id: not Int; body: {"))
        #expect(await server.waitForOpenConnections(count: 0))
        #expect(logger.dataTransferErrors.count == 1)
    }

    @Test func `an element of the wrong type is skipped if the format is set to skip failures`() async throws {
        let received = Locked<[Int]>([])
        let format = StreamFormat.ndjson(Film.self, onFailure: .skip { index, _ in received.withLock { $0.append(index) } })
        let server = try server("{\"id\":1}\n{}\n[\n{\"id\":2}\n")
        let reading = await Reading(try await service(server).stream(endpoint, as: format))
        #expect(reading.elements.map(\.id) == [1, 2] && reading.error == nil)
        #expect(received.withLock { $0 } == [1, 2])
        #expect(logger.dataTransferErrors.isEmpty)
    }

    @Test func `an error status and a path to a value that is not an array are errors`() async throws {
        let server = try LoopbackServer {
            LoopbackRoute(.get, "/a") { _ in .json(#"{"results": {}}"#) }
        }
        let service = service(server)
        await #expect {
            _ = try await service.stream(Endpoint<Void>(path: "none"), as: .lines())
        } throws: {
            ($0 as? DataTransferError)?.statusCode == 404
        }
        let reading = await Reading(try await service.stream(endpoint, as: .elements(of: Film.self, at: "results")))
        #expect(reading.failure?.reason.contains("expected array but found object") == true)
    }

    @Test func `the description of a stream contains no secrets from the URL or the body`() async throws {
        let server = try server("s3cret")
        let lines = try await service(server).stream(Endpoint<Void>(path: "a?token=s3cret"), as: .lines())
        #expect(!String(reflecting: lines).contains("s3cret") && "\(lines)".contains("ValueStream<String>(200 from"))
    }
}
