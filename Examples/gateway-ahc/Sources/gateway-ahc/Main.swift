import AsyncHTTPClient
import Foundation
import Hummingbird
import Logging
import NIOCore
import NIOFoundationCompat
import NIOHTTP1

struct Movie: Codable, Sendable {
    let id: Int
    let title: String
    let year: Int
}

struct Review: Codable, Sendable {
    let author: String
    let stars: Int
    let text: String
}

struct MoviePage: Encodable, Sendable {
    let id: Int
    var title: String?
    var year: Int?
    var reviews: [Review]?
    var degraded: [String] = []
}

/// The two servers that the gateway aggregates: as in Examples/gateway, without retries, circuit breakers and limits, which async-http-client lacks.
struct Upstreams: Sendable {
    let client: HTTPClient
    let catalogue: String
    let critics: String

    func page(_ id: Int) async -> MoviePage {
        async let reviewed = try? get([Review].self, "\(critics)/reviews/\(id)")
        let movie = try? await get(Movie.self, "\(catalogue)/movies/\(id)")
        let reviews = await reviewed
        var page = MoviePage(id: id, title: movie?.title, year: movie?.year, reviews: reviews)
        if movie == nil { page.degraded.append("catalogue") }
        if reviews == nil { page.degraded.append("reviews") }
        return page
    }

    private struct Refused: Error {}

    private func get<Value: Decodable>(_ type: Value.Type, _ url: String) async throws -> Value {
        let response = try await client.execute(HTTPClientRequest(url: url), timeout: .seconds(2))
        guard response.status == .ok else { throw Refused() }
        return try JSONDecoder().decode(type, from: try await response.body.collect(upTo: 1 << 20))
    }
}

@main
enum Main {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 4, let port = Int(arguments[1]) else {
            FileHandle.standardError.write(Data("usage: gateway-ahc PORT CATALOGUE-URL REVIEWS-URL\n".utf8))
            exit(2)
        }
        var configuration = HTTPClient.Configuration.singletonConfiguration
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 256
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        let upstreams = Upstreams(client: client, catalogue: arguments[2], critics: arguments[3])
        let router = Router()
        router.get("movies/:id") { _, context in
            let page = await upstreams.page(try context.parameters.require("id", as: Int.self))
            return Response(
                status: .ok, headers: [.contentType: "application/json"],
                body: ResponseBody(byteBuffer: try JSONEncoder().encodeAsByteBuffer(page, allocator: ByteBufferAllocator())))
        }
        var logger = Logger(label: "gateway-ahc") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = .error
        let application = Application(
            router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)), logger: logger)
        try await application.runService()
        try await client.shutdown()
    }
}
