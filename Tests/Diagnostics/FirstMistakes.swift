import DataTransfer
import Foundation
import NetworkPipeline
import NetworkTesting

struct Film: Codable, Sendable { let id: Int }
struct Opaque: Sendable {}

func endpoints(_ film: Film, _ untyped: [String: Any], _ fields: [String: String], _ url: URL) throws {
    _ = Endpoint<Film>("film/7")  // error: write `path:`
    _ = Endpoint<Film>(url: "https://api.example.com/film/7")  // error: `path: text, isFullPath: true`
    _ = Endpoint<Film>(path: "film", method: .post, body: film)  // error: write `body: .json(value)`
    _ = Endpoint<Film>(path: "film", method: .post, body: ["id": 7])  // error: write `body: .json(value)`
    _ = Endpoint<Film>(path: "film", queryParameters: untyped)  // error: `ParameterList(jsonObject: …)`
    _ = Endpoint<Film>(path: "film", headerParameters: fields)  // error: HeaderFields(dictionary)
    _ = Endpoint<Film>(path: "film", headers: ["A": "b"], query: ["id": 7])  // error: write `headerParameters:`
    _ = Endpoint<Film>(path: "film", parameters: ["id": 7, "a": "b"])  // error: write `queryParameters:`
    _ = Endpoint<Film>(path: "film", query: ["id": 7, "a": "b"])  // error: write `queryParameters:`
    _ = Endpoint<Film>(path: "film", decoder: JSONDecoder())  // error: write `responseDecoder:`
    _ = Endpoint<Opaque>(path: "film", queryParameters: fields)  // error: the response type must be Decodable or Void
    _ = RequestDescription.get("film", headers: ["A": "b"])  // error: write `headerParameters:`
    _ = RequestDescription.get("film", query: ["id": 7, "a": "b"])  // error: write `queryParameters:`
    _ = RequestDescription.put("film", body: ["id": 7])  // error: write `body: .json(value)`
    _ = RequestDescription.get("film", queryParameters: untyped)  // error: `ParameterList(jsonObject: …)`
    _ = RequestDescription.post("film", body: film)  // error: write `body: .json(value)`
    _ = ParameterList(untyped)  // error: `ParameterList(jsonObject: …)`
    _ = EndpointBody.json(untyped)  // error: `ParameterList(jsonObject: …)`
    _ = EndpointBody.form(untyped)  // error: `ParameterList(jsonObject: …)`
    _ = APIConfiguration(baseURL: "https://api.example.com")  // error: try APIConfiguration("https://…")
    _ = try APIConfiguration("https://api.example.com", headers: fields)  // error: HeaderFields(dictionary)
}

func calls(_ service: DefaultDataTransferService, _ url: URL, _ endpoint: Endpoint<Film>) async throws {
    _ = DefaultDataTransferService(baseURL: url)  // error: configuration: try APIConfiguration
    _ = DefaultDataTransferService("https://api.example.com")  // error: configuration: try APIConfiguration
    _ = DefaultDataTransferService(configuration: "https://api.example.com")  // error: configuration: try APIConfiguration
    _ = DefaultDataTransferService(interceptors: [.retry(3)])  // error: write `.retry(RetryOptions(maximumAttempts: 3))`
    try await service.request(url)  // error: pass `as: T.self`
    let other: Film = try await service.request(url)  // error: pass `as: T.self`
    _ = try await service.response(for: url)  // error: use `.as(…)`
    _ = try await service.request(endpoint, headers: ["A": "b"])  // error: headerParameters: …
    try await service.upload(other, to: endpoint)  // error: write `upload(.json(value), to: …)`
    _ = try await service.stream(url, as: Film.self)  // error: write `as: .ndjson(T.self)`
    try await service.request("film/7")  // error: a text is no endpoint
    _ = try await service.request("film/7", as: Film.self)  // error: a text is no endpoint
    _ = try await service.request(url, method: .post, parameters: ["id": 7])  // error: Endpoint<T>(path: …, method: …
    _ = try await service.get(url, as: Film.self)  // error: write `request(url, as: T.self)`
    let film: Film = try await service.get("film/7")  // error: write `request(url, as: T.self)`
    _ = try await service.post("film", body: film, as: Film.self)  // error: method: .post, body: .json(…)
    _ = try await service.send(endpoint)  // error: renamed to 'request(_:)'
    _ = try await service.data(from: url)  // error: decoder: .rawData
    _ = try await service.data(for: endpoint)  // error: describe the request by an `Endpoint`
    try await service.download(url, to: "film.mp4")  // error: to: URL(fileURLWithPath: path)
}

func stubs(_ session: StubSessionManager, _ film: Film) {
    session.enqueue(.json(#"{"id": 7}"#, status: .created))
    session.enqueue(.json(film))  // error: write `try .json(encoding: value)`
    session.enqueue(.json(["id": 7]))  // error: write `try .json(encoding: value)`
}

func errors(_ error: DataTransferError) {
    print(error.response as Any)  // error: networkError?.response
}
