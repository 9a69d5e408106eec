import DataTransferOpenCombine
import Foundation

struct Movie: Codable, Sendable { let id: Int; let title: String }

let service = DefaultDataTransferService(
    configuration: try APIConfiguration("https://api.example.com"))
let popular = Endpoint<[Movie]>(path: "movie/popular", keyPath: "results")
let catalogue = Endpoint<Void>(path: "catalogue")
let trailer = Endpoint<Void>(path: "trailer", method: .put)
let file = URL(fileURLWithPath: "trailer.mp4")

// snippet.publishers
var subscriptions: Set<AnyCancellable> = []

service.requestPublisher(popular, on: .main)
    .map { movies in movies.map(\.title) }
    .sink { completion in
        print(completion)
    } receiveValue: { titles in
        print(titles)
    }
    .store(in: &subscriptions)

service.streamPublisher(
    catalogue, as: .elements(of: Movie.self, at: "items"), on: .main
)
.prefix(10)
.sink { completion in
    print(completion)
} receiveValue: { movie in
    print(movie.title)
}
.store(in: &subscriptions)

service.uploadUpdatesPublisher(.file(file), to: trailer, on: .main)
    .sink { completion in
        print(completion)
    } receiveValue: { update in
        switch update {
        case .progress(let state): print(state.fractionSent ?? 0)
        case .value: print("complete")
        }
    }
    .store(in: &subscriptions)
// snippet.end

// snippet.viewModel
@MainActor
final class TitlesModel {
    private(set) var titles: [String] = []
    private var subscriptions: Set<AnyCancellable> = []

    func load(from service: any DataTransferService) {
        service.requestPublisher(popular, on: .main)
            .map { movies in movies.map(\.title) }
            .replaceError(with: [])
            .sink { [weak self] titles in self?.titles = titles }
            .store(in: &subscriptions)
    }
}
// snippet.end
