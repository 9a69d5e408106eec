import DataTransfer
import EndpointAPIs
import Foundation
import NetworkPipeline

struct Film: Codable, Sendable { let id: Int }
struct Filter: Encodable, Sendable { var genre: String? }

// Queries and bodies from variables, and from literals.
func parameters(
    fields: [String: String], filter: Filter, optional: Filter?, some: any Encodable & Sendable, untyped: [String: Any],
    mixed: [String: any Encodable & Sendable]
) {
    _ = [
        Endpoint<Film>(path: "a", queryParameters: fields), Endpoint(path: "a", queryParameters: filter, keyPath: "b"),
        Endpoint(path: "a", queryParameters: optional, body: .json(filter)),
        Endpoint(path: "a", queryParameters: some) { _ in Film(id: 1) },
        Endpoint(path: "a", queryParameters: ["a": 1, "b": "c", "d": nil, "e": filter], body: .json(["a": 1, "b": "c"])),
        Endpoint(path: "a", queryParameters: [:], body: .json([1, 2])), Endpoint(path: "a", queryParameters: ["a": fields["a"]]),
        Endpoint(path: "a", queryParameters: ParameterList(jsonObject: untyped), body: .form(fields)),
        Endpoint(path: "a", queryParameters: ParameterList(mixed), body: .json(ParameterList(["a": 1]))),
        RequestDescription.get("a", queryParameters: fields).as(Film.self),
        RequestDescription.post("a", queryParameters: filter).as(Film.self),
    ]
    _ = Endpoint<Void>(path: "a", method: .post, queryParameters: fields, body: .json(ParameterList(jsonObject: untyped)))
    let parameters: [RequestParameters] = [
        .query(fields), .query(["a": 1, "b": "c"]), .json(filter), .json(["a": 1, "b": "c"]), .form(fields),
        .form(["a": 1, "b": "c"]),
    ]
    print(parameters)
}

func decoders() {
    _ = Endpoint<Film>(path: "a", responseDecoder: JSONDecoder())
    _ = Endpoint<Film>(path: "a", responseDecoder: TransferJSONDecoder())
    _ = RequestDescription.get("a").as(Film.self, decoder: PropertyListDecoder())
}

// Whole URLs.
func urls(_ url: URL) async throws {
    let service = DefaultDataTransferService()
    let film = try await service.request(url, as: Film.self)
    let films = try await service.request(url, as: [Film].self, keyPath: "results") + service.request(url.as([Film].self))
    let added = try await service.request(Endpoint<Film>(url: url, method: .post, body: .json(film)))
    try await service.request(Endpoint<Void>(url: url, method: .delete))
    let file = try await service.download(url, to: URL(fileURLWithPath: "film.json"))
    print(films, added, file, APIConfiguration(url), try APIConfiguration("https://api.example.com"))
}

// Statuses, and errors whose type is not known.
func statuses(_ service: some DataTransferService, _ endpoint: Endpoint<Film>) async -> Int? {
    let task = Task { try await service.request(endpoint) }
    do {
        print(try await task.value)
    } catch {
        if error.isCancelled || error.isTimeout || error.statusCode == .notFound || error.statusCode == 404 { return nil }
        switch error.statusCode {
        case .gone: return 1
        case 409: return 2
        case .some(500...): return 3
        case nil: return nil
        default: return error.dataTransferError?.networkError?.response.map { [.ok, .created].contains($0.statusCode) ? 4 : 5 }
        }
    }
    switch await service.result(for: endpoint) {
    case .success(let film): return film.id
    case .failure(let error) where error.statusCode != .notFound: return error.isRetryable ? 6 : 7
    case .failure: return StatusCode.notFound
    }
}

final class Client: Sendable {
    let credentials = RefreshingCredentials { _ in .bearer("…") }
    let api: APIConfiguration
    let service: DefaultDataTransferService

    init(url: URL) {
        api = APIConfiguration(url)
        var pipeline = RequestPipeline()
        pipeline.authentication = .authentication(credentials, for: api)
        service = DefaultDataTransferService(configuration: api, interceptors: pipeline.interceptors)
    }
}
