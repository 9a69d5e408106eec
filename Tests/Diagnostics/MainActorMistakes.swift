// swiftc: -default-isolation MainActor
import DataTransfer

// The conformances of this type belong to the main actor: see "In an app". `Sendable` values are decoded and encoded on any thread.
struct Movie: Codable, Sendable { var title = "" }
nonisolated struct Film: Codable, Sendable { var title = "" }

final class Model {
    var films: [Film] = []

    func calls(_ service: any DataTransferService, _ request: RequestDescription) async throws {
        _ = Endpoint<Movie>(path: "a")  // error: main actor-isolated conformance of 'Movie' to 'Decodable' cannot
        _ = EndpointBody.json(Movie())  // error: main actor-isolated conformance of 'Movie' to 'Encodable' cannot
        _ = try await service.request(request, as: Movie.self)
        service.request(request.as([Film].self)) { @MainActor in self.films = (try? $0.get()) ?? [] }
    }
}

actor Store {
    func movie(_ service: any DataTransferService, _ request: RequestDescription) async throws {
        _ = try await service.request(request, as: Film.self)
        _ = try await service.request(request, as: Movie.self)  // error: cannot be used in actor-isolated context
    }
}
