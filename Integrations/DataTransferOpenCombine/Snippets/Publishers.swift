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

service.requestPublisher(popular)
    .map { movies in movies.map(\.title) }
    .sink { completion in
        print(completion)
    } receiveValue: { titles in
        print(titles)
    }
    .store(in: &subscriptions)

service.streamPublisher(catalogue, as: .elements(of: Movie.self, at: "items"))
    .prefix(10)
    .sink { completion in
        print(completion)
    } receiveValue: { movie in
        print(movie.title)
    }
    .store(in: &subscriptions)

service.uploadUpdatesPublisher(.file(file), to: trailer)
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
