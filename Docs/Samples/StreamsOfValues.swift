import DataTransfer
import Foundation

struct Movie: Decodable, Sendable { let id: Int; let title: String }
struct Trade: Decodable, Sendable { let price: Double }

let service = DefaultDataTransferService(
    configuration: try APIConfiguration("https://api.example.com"))
let catalogue = Endpoint<Void>(path: "catalogue")
let log = Endpoint<Void>(path: "log")
let ticker = Endpoint<Void>(path: "ticker")

// snippet.pages
let list = Endpoint<[Movie]>(path: "movies", queryParameters: ["per_page": 100])
for try await page in service.pages(of: list, by: .linkHeader) {
    print(page.value.count, page.url.path)
}

let numbered = service.pages(
    of: list, by: .number("page") { $0.count < 100 }, maximumPages: 50)
for try await page in numbered { print(page.value.count) }
// snippet.end

// snippet.elements
let movies = try await service.stream(
    catalogue, as: .elements(of: Movie.self, at: "data.items"))
for try await movie in movies { print(movies.statusCode, movie.title) }

let trades = try await service.stream(
    log, as: .ndjson(Trade.self, onFailure: .skip { print($0, $1) }))
for try await trade in trades { print(trade.price) }
// snippet.end

// snippet.completion
let handle = TaskCancellable(on: .main) {
    try await service.stream(log, as: .lines())
} onElement: { line in
    print(line)
} completion: { result in
    print(result)
}
handle.cancel()
// snippet.end

// snippet.events
let events = service.events(
    ticker,
    options: EventStreamOptions(
        maximumAttempts: 5, backoff: Backoff(base: .seconds(1))))
for try await event in events {
    print(event.type, event.data, event.lastEventID)
}
// snippet.end
