// Each line of the README, in a program.
import CoreMetrics
import DataTransferServerKit
import Foundation
import Logging
import ServiceLifecycle
import Tracing

struct Movie: Decodable, Sendable { let id: Int; let title: String }

let logger = Logger(label: "movies")
let api = try APIConfiguration("https://api.example.com/3")
let session = DefaultSessionManager()

func one() throws {
    // snippet.all
    let service = DefaultDataTransferService(
        configuration: api, sessionManager: session,
        serverKit: ServerKit(logger: logger))
    // snippet.end
    _ = service
}

func pipeline() {
    // snippet.pipeline
    let pipeline = RequestPipeline {
        $0.retry = .retry(RetryOptions(maximumAttempts: 4))
    }
    let service = DefaultDataTransferService(
        configuration: api, sessionManager: session, pipeline: pipeline,
        serverKit: ServerKit(logger: logger))
    // snippet.end
    _ = service
}

func logs() {
    // snippet.logs
    let service = DefaultDataTransferService(
        configuration: api, networkLogger: .swiftLog(logger),
        errorLogger: .swiftLog(logger))
    // snippet.end
    _ = service
}

func instruments() {
    // snippet.instruments
    let pipeline = RequestPipeline {
        $0.instruments = [.tracing(), .metrics()]
    }
    let service = DefaultDataTransferService(
        configuration: api, interceptors: pipeline.interceptors)
    // snippet.end
    _ = service
}

func names() {
    // snippet.names
    let movie = Endpoint<Movie>(path: "movie/{id}", pathParameters: ["id": 7])
    var popular = Endpoint<[Movie]>(path: "movie/popular")
    popular.name = "movie/popular"
    // snippet.end
    _ = (movie, popular)
}

func shutdown(server: any Service, kit: ServerKit) async throws {
    // snippet.shutdown
    let services: [any Service] = [kit.sessionService(for: session), server]
    try await ServiceGroup(
        services: services, gracefulShutdownSignals: [.sigterm], logger: logger
    ).run()
    // snippet.end
}

try one()
pipeline()
logs()
instruments()
names()
