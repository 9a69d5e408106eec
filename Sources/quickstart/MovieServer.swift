import Foundation
import NetworkTesting

/// A small movie catalogue on a free port of 127.0.0.1.
enum MovieServer {
    static func start() throws -> LoopbackServer {
        try LoopbackServer {
            Route(.get, "/3/movie/popular") { _ in .json(popular) }
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
