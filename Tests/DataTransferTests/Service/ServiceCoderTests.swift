import DataTransfer
import EndpointAPIs
import Foundation
import NetworkTesting
import TransferTestSupport
import Testing

/// One encoder and one decoder for all endpoints of a service.
@Suite struct ServiceCoderTests {
    private struct Film: Codable, Sendable, Equatable {
        var firstShown: Int
    }

    private enum Films: Requestable {
        case first
        var request: RequestDescription { .get("films/1") }
    }

    private let session = StubSessionManager()
    private let snakeDecoder = TransferJSONDecoder()
    private let snakeEncoder = TransferJSONEncoder()

    init() {
        snakeDecoder.keyDecodingStrategy = .convertFromSnakeCase
        snakeEncoder.keyEncodingStrategy = .convertToSnakeCase
    }

    private func service(foundation: Bool = false) throws -> DefaultDataTransferService {
        let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
        encoder.keyEncodingStrategy = .convertToSnakeCase
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return DefaultDataTransferService(
            configuration: try APIConfiguration("http://api.example"), sessionManager: session,
            encoder: foundation ? encoder : snakeEncoder, decoder: foundation ? decoder : snakeDecoder)
    }

    private var sent: String? { session.requests.last?.body?.data.map { String(decoding: $0, as: UTF8.self) } }

    @Test(arguments: [false, true])
    func `JSON bodies are encoded by the encoder of the service, unless they have their own`(foundation: Bool) async throws {
        session.route { _ in .text("") }
        let service = try service(foundation: foundation)
        let film = Film(firstShown: 1927)
        for (body, text) in [
            (EndpointBody.json(film), #"{"first_shown":1927}"#), (.json(film, encoder: .json), #"{"firstShown":1927}"#),
            (.json(["filmName": 1]), #"{"film_name":1}"#),
            (.form(film), "firstShown=1927"), (.encoded(film, by: .json, contentType: "a/b"), #"{"firstShown":1927}"#),
        ] {
            let endpoint = Endpoint<Void>(path: "films", method: .post, body: body)
            try await service.request(endpoint)
            #expect(sent == text)
            await withCheckedContinuation { done in _ = service.request(endpoint) { _ in done.resume() } }
            #expect(sent == text)
            try await service.upload(body, to: Endpoint<Void>(path: "films", method: .put))
            #expect(sent == text)
            for try await _ in try await service.stream(for: endpoint) {}
            #expect(sent == text)
        }
    }

    @Test(arguments: [false, true])
    func `responses are decoded by the decoder of the service, unless the endpoint has its own`(foundation: Bool) async throws {
        let service = try service(foundation: foundation)
        let film = Film(firstShown: 1927)
        session.route { _ in .json(#"{"status": "ok", "data": {"first_shown": 1927}, "first_shown": 1927}"#) }
        #expect(try await service.request(Endpoint<Film>(path: "a")) == film)
        #expect(try await service.request(Endpoint<Film>(path: "a", keyPath: "data")) == film)
        #expect(try await service.request(Endpoint<Film>(path: "a", responseDecoder: .envelope())) == film)
        #expect(try await service.request(Films.first.as(Film.self)) == film)
        #expect(try await service.request(Films.first.as(Film.self, keyPath: "data")) == film)
        #expect(try await service.download(Films.first.as(Film.self)) == film)
        for decoder: any ResponseDecoder in [
            .json(TransferJSONDecoder()), .keyPath("data", decoder: TransferJSONDecoder()),
            .envelope(decoder: TransferJSONDecoder()),
        ] as [any ResponseDecoder] {
            let error = await #expect(throws: DataTransferError.self) {
                try await service.request(Films.first.as(Film.self, decoder: decoder))
            }
            guard case .parsing = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
    }

    @Test func `the values of streams are decoded by the decoder of the service, unless the format has its own`() async throws {
        let service = try service()
        session.enqueue(.text("{\"first_shown\":1}\n{\"first_shown\":2}\n"))
        var films: [Film] = []
        for try await film in try await service.stream(Films.first, as: .ndjson(Film.self)) { films.append(film) }
        #expect(films == [Film(firstShown: 1), Film(firstShown: 2)])
        let list = StubResponse.json(#"{"films":[{"first_shown":3}]}"#)
        session.enqueue(list)
        session.enqueue(list)
        for try await film in try await service.stream(Films.first, as: .elements(of: Film.self, at: "films")) {
            films.append(film)
        }
        #expect(films.last == Film(firstShown: 3))
        await #expect(throws: DataTransferError.self) {
            let own = StreamFormat.elements(of: Film.self, at: "films", decoder: TransferJSONDecoder())
            for try await _ in try await service.stream(Films.first, as: own) {}
        }
    }

    @Test func `the default encoder and decoder use one format of dates`() async throws {
        let service = DefaultDataTransferService(
            configuration: try APIConfiguration("http://api.example"), sessionManager: session)
        session.enqueue(.json(#"["2026-11-24T02:00:00Z"]"#))
        session.enqueue(.json(#"["2026-11-24T03:00:00.25+01:00"]"#))
        let date = Date(timeIntervalSinceReferenceDate: 817_178_400)
        let endpoint = Endpoint<[Date]>(path: "a", method: .post, queryParameters: ["at": date], body: .json([date]))
        #expect(try await service.request(endpoint) == [date])
        #expect(sent == #"["2026-11-24T02:00:00Z"]"#)
        #expect(
            session.requests.last?.url.query == "at=2026-11-24T02:00:00Z"
                || session.requests.last?.url.query == "at=2026-11-24T02%3A00%3A00Z")
        #expect(try await service.request(endpoint) == [date + 0.25])
    }
}
