import DataTransfer
import Foundation
import NetworkPipeline
import NetworkTesting

// snippet.endpoint
struct Movie: Codable, Sendable { let id: Int; let title: String }

extension Endpoint where Response == Movie {
    static func movie(id: Int) -> Self {
        Endpoint(path: "movie/{id}", pathParameters: ["id": id])
    }
}
// snippet.end

// snippet.call
let api = try APIConfiguration("https://api.example.com/3")
let service = DefaultDataTransferService(configuration: api)
let movie = try await service.request(.movie(id: 7))
print(movie.title)
// snippet.end

// snippet.error
do {
    print(try await service.request(.movie(id: 8)).title)
} catch {
    if error.statusCode == .notFound {
        print("there is no such movie")
    } else {
        print(error)
    }
}
// snippet.end

// snippet.complete
let decoder = TransferJSONDecoder()
decoder.keyDecodingStrategy = .convertFromSnakeCase
let encoder = TransferJSONEncoder()
encoder.keyEncodingStrategy = .convertToSnakeCase
let complete = DefaultDataTransferService(
    configuration: api,
    sessionManager: DefaultSessionManager(
        configuration: SessionConfiguration { $0.idleTimeout = .seconds(15) }),
    interceptors: RequestPipeline().interceptors,
    networkLogger: .console(level: .error),
    errorResolver: .problemDetails,
    errorLogger: .console(level: .error),
    encoder: encoder,
    decoder: decoder)
// snippet.end
print(complete)

// snippet.test
let session = StubSessionManager()
session.enqueue(.json(#"{"id": 7, "title": "Seven"}"#), for: "/3/movie/7")
let tested = DefaultDataTransferService(
    configuration: api, sessionManager: session)

let stubbed = try await tested.request(.movie(id: 7))
assert(stubbed.title == "Seven")
assert(session.requests.count == 1)
// snippet.end
