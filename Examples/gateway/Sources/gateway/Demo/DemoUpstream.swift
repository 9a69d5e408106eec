import DataTransferServerKit
import Foundation
import Hummingbird
import Logging
import NIOCore

/// The two upstreams of the demonstration in one server: a catalogue of movies, and their reviews.
enum DemoUpstream {
    static func application(port: Int, logger: Logger) -> some ApplicationProtocol {
        let router = Router()
        router.get("movies/:id") { _, context in
            let id = try context.parameters.require("id", as: Int.self)
            guard id < 1_000_000 else { throw HTTPError(.notFound) }
            return try response(Movie(id: id, title: "Movie \(id)", year: 1950 + id % 75), id)
        }
        router.get("reviews/:id") { request, context in
            let id = try context.parameters.require("id", as: Int.self)
            // Movies with such a number have slow critics, so that shutdown can be tried: those of 999 need a second, those of 1999 two.
            if id % 1000 == 999 { try await Task.sleep(for: .seconds(id / 1000 + 1)) }
            let reviews = (1...3).map { Review(author: "critic \($0)", stars: (id + $0) % 5 + 1, text: "Movie \(id) again.") }
            return try response(reviews, id)
        }
        return Application(
            router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
            onServerRunning: { channel in announce("upstream", channel) }, logger: logger)
    }

    private static func response(_ value: some Encodable, _ id: Int) throws -> Response {
        Response(
            status: .ok, headers: [.contentType: "application/json", .cacheControl: "max-age=60"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: try TransferJSONEncoder().encode(value))))
    }
}
