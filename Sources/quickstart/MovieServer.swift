import Foundation
import NetworkTesting

/// A small movie catalogue on a free port of 127.0.0.1.
enum MovieServer {
    /// Of what `movie/{id}/reel` answers, in some two seconds.
    static let reelBytes = 12 << 20

    static func start() throws -> LoopbackServer {
        let sleepsLeft = Locked(2)
        // It would keep the films that are uploaded.
        let configuration = LoopbackServerConfiguration(maximumRecordedRequests: 0)
        return try LoopbackServer(configuration: configuration) {
            Route(.get, "/3/movie/popular") { _ in .json(popular) }
            Route(.get, "/3/movie/waking") { _ in
                let isAsleep = sleepsLeft.withLock { left in
                    defer { left -= 1 }
                    return left > 0
                }
                return isAsleep ? .status(503) : .json(#"{"id": 5, "title": "The Kid"}"#)
            }
            Route(.post, "/3/movie/{id}/film") { request in
                .json(
                    #"{"title": "\#(titles[request.pathParameters["id"] ?? ""] ?? "")", "bytes": \#(request.body.count)}"#,
                    status: 201)
            }
            Route(.get, "/3/movie/{id}/reel") { _ in
                LoopbackResponse.data(Data(count: reelBytes)).fault(.drip(bytes: 128 << 10, every: .milliseconds(20)))
            }
            Route(.get, "/3/movie/{id}") { request in
                let id = request.pathParameters["id"] ?? ""
                guard let title = titles[id] else {
                    return .json(#"{"status_code": 34, "status_message": "There is no movie \#(id)."}"#, status: 404)
                }
                return .json(#"{"id": \#(id), "title": "\#(title)"}"#)
            }
            Route(.post, "/3/movie/{id}/rating") { request in
                .json(#"{"status_message": "Thank you.", "received": \#(request.text)}"#, status: 201)
            }
            Route(.get, "/3/slow") { _ in LoopbackResponse.json("{}").delayed(by: .seconds(30)) }
        }
    }

    private static let titles = ["1": "Metropolis", "2": "The General", "3": "Sunrise"]

    private static let popular = """
        {"page": 1, "total_pages": 1, "results": [
            {"id": 1, "title": "Metropolis"}, {"id": 2, "title": "The General"}, {"id": 3, "title": "Sunrise"}
        ]}
        """
}
