import DataTransferMacros
import Foundation
import NetworkTesting
import Testing

@Suite struct CallTests {
    private func movies(
        @LoopbackRouteBuilder _ routes: () -> [LoopbackRoute]
    ) throws -> (movies: Movies, server: LoopbackServer) {
        let server = try LoopbackServer(routes: routes)
        return (Movies(DefaultDataTransferService(configuration: APIConfiguration(server.url))), server)
    }

    @Test func `all functions of the sample work with the server of the quickstart`() async throws {
        let server = try MovieServer.start()
        defer { server.stop() }
        let movies = Movies(DefaultDataTransferService(configuration: APIConfiguration(baseURL: server.url("/3"))))
        let popular = try await movies.popular(language: "en")
        #expect(popular.map(\.title) == ["Metropolis", "The General", "Sunrise"])
        #expect(try await movies.movie(id: 2) == popular[1])
        try await movies.add(Movie(id: 7, title: "Seven"))
        #expect(try await movies.poster(id: 1).starts(with: Data("<svg".utf8)))
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).mp4")
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(try await movies.download(id: 1, to: file).byteCount == 1 << 20)
        for try await event in try await movies.events(room: 3) {
            #expect(event.data == "/3/live?room=3")
            break
        }
        let error = await #expect(throws: DataTransferError.self) { try await movies.movie(id: 9) }
        #expect(error?.statusCode == 404)
    }

    @Test func `values are decoded, at a key path too`() async throws {
        let (movies, server) = try movies {
            LoopbackRoute(.get, "/movie/popular") { _ in .json(#"{"results": [{"id": 7, "title": "Seven"}]}"#) }
            LoopbackRoute(.get, "/movie/{id}") { _ in .json(#"{"id": 8, "title": "Eight"}"#) }
        }
        #expect(try await movies.popular(language: "en") == [Movie(id: 7, title: "Seven")])
        #expect(try await movies.movie(id: 8) == Movie(id: 8, title: "Eight"))
        #expect(server.requests.map(\.target) == ["/movie/popular?page=1", "/movie/8"])
        #expect(server.requests.first?.headers["Accept-Language"] == "en")
    }

    @Test func `a function without a result sends its body`() async throws {
        let (movies, server) = try movies { LoopbackRoute(.post, "/movie") { _ in .status(201) } }
        try await movies.add(Movie(id: 7, title: "Seven"))
        #expect(server.requests.map(\.text) == [#"{"id":7,"title":"Seven"}"#])
    }

    @Test func `Data is the bytes of the response`() async throws {
        let (movies, server) = try movies { LoopbackRoute(.get, "/movie/{id}/poster") { _ in .text("PNG") } }
        #expect(try await movies.poster(id: 7) == Data("PNG".utf8))
        #expect(server.requestCount == 1)
    }

    @Test func `a download is written to the file`() async throws {
        let (movies, server) = try movies { LoopbackRoute(.get, "/movie/{id}/file") { _ in .text("MP4") } }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).mp4")
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(try await movies.download(id: 7, to: file).byteCount == 3)
        #expect(try Data(contentsOf: file) == Data("MP4".utf8))
        #expect(server.requestCount == 1)
    }

    @Test func `events are a stream`() async throws {
        let (movies, server) = try movies {
            LoopbackRoute(.get, "/live") { _ in
                .data(Data("data: hello\n\n".utf8), contentType: "text/event-stream")
            }
        }
        for try await event in try await movies.events(room: 3) {
            #expect(event.data == "hello")
            break
        }
        #expect(server.requests.first?.target == "/live?room=3")
    }

    @Test func `an error is that of the service`() async throws {
        let (movies, server) = try movies {}
        let error = await #expect(throws: DataTransferError.self) { try await movies.movie(id: 7) }
        #expect(error?.statusCode == 404)
        #expect(server.requestCount == 1)
    }

    @Test func `a response has status and header fields, and a stream the values`() async throws {
        let session = StubSessionManager()
        let options = Options(
            DefaultDataTransferService(
                configuration: try APIConfiguration("https://api.example.com"), sessionManager: session))
        session.enqueue(.json("null", status: 404, headers: ["X-C": "1"]))
        let response = try await options.optional()
        #expect(response.statusCode == 404)
        #expect(response.headers["X-C"] == "1")
        session.enqueue(.text("{\"id\": 1, \"title\": \"One\"}\n{\"id\": 2, \"title\": \"Two\"}\n"))
        var ids: [Int] = []
        for try await movie in try await options.stream(prompt: "all") { ids.append(movie.id) }
        #expect(ids == [1, 2])
        #expect(session.requests.last?.body?.data == Data(#"{"prompt":"all"}"#.utf8))
    }

    @Test func `the form with a completion reports the same result`() async throws {
        let session = StubSessionManager()
        session.enqueue(.json(#"{"id": 7, "title": "Seven"}"#))
        let options = Options(
            DefaultDataTransferService(
                configuration: try APIConfiguration("https://api.example.com"), sessionManager: session))
        let movie = try await withCheckedThrowingContinuation { continuation in
            options.members(title: "Seven", year: nil) { continuation.resume(with: $0) }
        }
        #expect(movie.id == 7)
    }
}
