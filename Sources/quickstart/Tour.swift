import DataTransfer
import Foundation
import NetworkObservation
import NetworkPipeline
import NetworkSupport
import NetworkTesting

/// A tour of the package: steps that each print the result of a request and its duration.
struct Tour {
    struct Movie: Decodable, Sendable {
        let id: Int
        let title: String
    }

    struct Receipt: Decodable, Sendable {
        let status_message: String
    }

    /// The error body of the movie API.
    struct APIError: Error, Decodable {
        let status_code: Int
        let status_message: String
    }

    enum Movies: Requestable {
        case popular(page: Int)
        case movie(id: String)

        var request: RequestDescription {
            switch self {
            case .popular(let page): .get("movie/popular", queryParameters: ["page": page])
            case .movie(let id): .get("movie/{id}", pathParameters: ["id": id])
            }
        }
    }

    /// The file to which a page of the requests is written.
    let waterfallFile: String?
    private let waterfall = Waterfall()

    init(waterfallFile: String?) {
        self.waterfallFile = waterfallFile
    }

    func run() async throws {
        let started = ContinuousClock.now
        let server = try MovieServer.start()
        defer { server.stop() }
        Terminal.waits(for: "the server at \(server.url.absoluteString)")
        Terminal.say("A movie server is listening on \(server.url.absoluteString). Lines after | are the code of a step.")

        let configuration = APIConfiguration(
            baseURL: server.url("/3"), headers: ["Authorization": "Bearer s3cr3t-t0ken", "Accept-Language": "en"])
        let observation = ObservationInterceptor(TourObserver(waterfall: waterfall))
        let service = DefaultDataTransferService(
            configuration: configuration, interceptors: [observation], errorResolver: ErrorBodyResolver<APIError>())

        try await typedGet(service)
        try await keyPath(service)
        try await post(service)
        await notFound(service)
        await cancel(service, server)
        try showCurl(configuration)
        try await swapSession(configuration)
        try await TransferTour(configuration: configuration, service: service, server: server, observation: observation).run()
        Terminal.say()
        if let waterfallFile {
            try waterfall.html(title: "The quickstart's tour").write(toFile: waterfallFile, atomically: true, encoding: .utf8)
            Terminal.say("Wrote a page of the requests to \(waterfallFile).")
        }
        Terminal.say("Done in \(Terminal.took(ContinuousClock.now - started)).")
        Self.showNext()
    }

    /// Says where to go next. The paths begin at the root of the repository.
    private static func showNext() {
        Terminal.say()
        Terminal.say("Next:", style: "1")
        for (what, place) in [
            ("All code of this tour:", "Sources/quickstart/Tour.swift"),
            ("Getting started:", "Sources/DataTransfer/DataTransfer.docc/GettingStarted.md"),
            ("Programs to copy:", "Examples/"),
            ("A request to GitHub:", "swift run quickstart --help"),
        ] {
            Terminal.say("\(what) \(place)", indent: "   ", hanging: "   ")
        }
    }

    private func typedGet(_ service: some DataTransferService) async throws {
        Terminal.step("1. A typed GET: an enum case as the endpoint, a Movie as the result")
        // snippet.typedGet
        let movie = Movies.movie(id: "1").as(Movie.self)
        let response = try await service.response(for: movie)
        // snippet.end
        Terminal.show("\(response.value.title) (id \(response.value.id))")
        Terminal.remark(Terminal.describe(response.statusCode, response.timings))
    }

    private func keyPath(_ service: some DataTransferService) async throws {
        Terminal.step("2. A key path: only what is at \"results\" is decoded")
        // snippet.keyPath
        let popular = Movies.popular(page: 1)
            .as([Movie].self, keyPath: "results")
        let response = try await service.response(for: popular)
        // snippet.end
        Terminal.show(response.value.map(\.title).joined(separator: ", "))
        Terminal.remark(Terminal.describe(response.statusCode, response.timings))
    }

    private func post(_ service: some DataTransferService) async throws {
        Terminal.step("3. A POST with a JSON body")
        // snippet.post
        let rate = Endpoint<Receipt>(
            path: "movie/{id}/rating", method: .post,
            pathParameters: ["id": 2],
            body: .json(["value": 8.5, "public": true]))
        let response = try await service.response(for: rate)
        // snippet.end
        Terminal.show(response.value.status_message)
        Terminal.remark(Terminal.describe(response.statusCode, response.timings))
    }

    private func notFound(_ service: some DataTransferService) async {
        Terminal.step("4. A 404, decoded as the API's error type")
        let started = ContinuousClock.now
        var apiError: APIError?
        var status: Int?
        // snippet.notFound
        let missing = Movies.movie(id: "99").as(Movie.self)
        do {
            _ = try await service.request(missing)
        } catch {
            apiError = error.resolved(as: APIError.self)
            status = error.statusCode
        }
        // snippet.end
        Terminal.show("APIError \(apiError?.status_code ?? 0): \(apiError?.status_message ?? "none")")
        Terminal.remark("\(status ?? 0) in \(Terminal.took(ContinuousClock.now - started))")
    }

    private func cancel(_ service: some DataTransferService, _ server: LoopbackServer) async {
        Terminal.step("5. A request that takes 30 seconds, cancelled")
        let (seen, connections) = (server.requestCount, server.openConnectionCount)
        // snippet.cancel
        let task = Task {
            try await service.request(Endpoint<Void>(path: "slow"))
        }
        // snippet.end
        _ = await server.waitForRequests(count: seen + 1)
        let started = ContinuousClock.now
        // snippet.cancel
        task.cancel()
        let result = await task.result
        // snippet.end
        let took = Terminal.took(ContinuousClock.now - started)
        let isClosed = await server.waitForOpenConnections(count: connections - 1)
        Terminal.show("isCancelled: \(result.error?.isCancelled ?? false)")
        Terminal.remark("the task returned \(took) after cancel(), and its connection is \(isClosed ? "closed" : "open")")
    }

    private func showCurl(_ configuration: APIConfiguration) throws {
        Terminal.step("6. The first request as cURL, its token redacted")
        // snippet.showCurl
        let request = try Movies.movie(id: "1")
            .networkRequest(with: configuration)
        let command = CurlCommand(request.logged).text
        // snippet.end
        Terminal.show(command: command)
    }

    private func swapSession(_ configuration: APIConfiguration) async throws {
        Terminal.step("7. In a test: the session manager replaced in one line")
        // snippet.swapSession
        let session = StubSessionManager()
        session.enqueue(
            .json(#"{"id": 4, "title": "Safety Last!"}"#), for: "/3/movie/4")
        let service = DefaultDataTransferService(
            configuration: configuration, sessionManager: session)
        // snippet.end
        let started = ContinuousClock.now
        let movie = try await service.request(Movies.movie(id: "4").as(Movie.self))
        Terminal.show("\(movie.title), without a network")
        Terminal.remark("in \(Terminal.took(ContinuousClock.now - started))")
    }
}

extension Result {
    /// The error of a call of a service; `nil` if it succeeded.
    var error: DataTransferError? {
        if case .failure(let error) = self { error as? DataTransferError } else { nil }
    }
}

/// An observer that prints retries with their reasons, and passes all events to the waterfall.
struct TourObserver: ExchangeObserver {
    let waterfall: Waterfall

    func exchangeDidProgress(_ event: ExchangeEvent) {
        waterfall.exchangeDidProgress(event)
        if case .retried(let pause, let reason) = event.kind {
            Terminal.show("\(reason); retrying in \(Terminal.took(pause))")
        }
    }
}
