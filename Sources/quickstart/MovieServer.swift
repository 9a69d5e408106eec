import Foundation
import NetworkTesting

/// A server with a small movie catalogue on a free port of 127.0.0.1.
enum MovieServer {
    /// The size in bytes of the response of `movie/{id}/reel`, which takes about two seconds.
    static let reelBytes = 12 << 20

    static func start() throws -> LoopbackServer {
        // Recorded requests would keep the uploaded films in memory.
        let configuration = LoopbackServerConfiguration(maximumRecordedRequests: 0)
        return try LoopbackServer(configuration: configuration) {
            LoopbackRoute(.get, "/3/movie/popular") { _ in .json(popular) }
            LoopbackRoute(
                .get, "/3/movie/waking", inOrder: .status(503), .status(503), .json(#"{"id": 5, "title": "The Kid"}"#))
            LoopbackRoute(.post, "/3/movie") { _ in .status(201) }
            LoopbackRoute(.get, "/3/movie/{id}/poster") { _ in .data(poster, contentType: "image/svg+xml") }
            LoopbackRoute(.get, "/3/movie/{id}/file") { _ in .data(Data(count: 1 << 20), contentType: "video/mp4") }
            LoopbackRoute(.get, "/3/live") { request in
                .data(Data("data: \(request.target)\n\n".utf8), contentType: "text/event-stream")
            }
            LoopbackRoute(.post, "/3/movie/{id}/film") { request in
                .json(
                    #"{"title": "\#(titles[request.pathParameters["id"] ?? ""] ?? "")", "bytes": \#(request.body.count)}"#,
                    status: 201)
            }
            LoopbackRoute(.get, "/3/movie/{id}/reel") { request in reel(request) }
            LoopbackRoute(.get, "/3/movie/{id}") { request in
                let id = request.pathParameters["id"] ?? ""
                guard let title = titles[id] else {
                    return .json(#"{"status_code": 34, "status_message": "There is no movie \#(id)."}"#, status: 404)
                }
                return .json(#"{"id": \#(id), "title": "\#(title)"}"#)
            }
            LoopbackRoute(.post, "/3/movie/{id}/rating") { request in
                .json(#"{"status_message": "Thank you.", "received": \#(request.text)}"#, status: 201)
            }
            LoopbackRoute(.get, "/3/slow") { _ in LoopbackResponse.json("{}").delayed(by: .seconds(30)) }
        }
    }

    /// The reel, or the requested range of it (RFC 9110 §14).
    private static func reel(_ request: LoopbackRequest) -> LoopbackResponse {
        let tag = "\"reel-1\""
        var start = 0
        if request.headers["If-Range"] == tag, let range = request.headers["Range"], range.hasPrefix("bytes=") {
            start = Int(range.dropFirst(6).prefix { $0.isNumber }) ?? 0
        }
        start = min(start, reelBytes - 1)
        var response = LoopbackResponse.data(Data(count: reelBytes - start)).header(tag, for: "ETag")
        if start > 0 {
            response.status = 206
            response = response.header("bytes \(start)-\(reelBytes - 1)/\(reelBytes)", for: "Content-Range")
        }
        return response.fault(.drip(bytes: 128 << 10, every: .milliseconds(20)))
    }

    private static let poster = Data(
        #"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 2 3"><rect width="2" height="3"/></svg>"#.utf8)

    private static let titles = ["1": "Metropolis", "2": "The General", "3": "Sunrise"]

    private static let popular = """
        {"page": 1, "total_pages": 1, "results": [
            {"id": 1, "title": "Metropolis"}, {"id": 2, "title": "The General"}, {"id": 3, "title": "Sunrise"}
        ]}
        """
}
