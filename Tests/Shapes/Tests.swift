// The ways in which tests of applications expect errors, each a shape that compiles in debug and in release builds.
import DataTransfer
import Foundation
import NetworkTesting
import Testing

struct Movie: Codable, Sendable, Equatable { var id = 7; var title = "" }
struct Refusal: Error, Decodable, Equatable { var code = 0 }

let endpoint = Endpoint<Movie>(path: "movie/7")

@Suite struct Shapes {
    let session = StubSessionManager()
    let service: any DataTransferService

    init() throws {
        let api = try APIConfiguration("https://api.example.com")
        service = DefaultDataTransferService(
            configuration: api, sessionManager: session, errorResolver: ErrorBodyResolver<Refusal>())
    }

    @Test func type() async throws {
        await #expect(throws: DataTransferError.self) { try await service.request(endpoint) }
    }
    @Test func question() async throws {
        let error = await #expect(throws: DataTransferError.self) { try await service.request(endpoint) }
        #expect(error?.statusCode == .notFound && error?.resolved(as: Refusal.self) == Refusal(code: 3))
    }
    @Test func required() async throws {
        let error = try await #require(throws: (any Error).self) { try await service.request(endpoint) }
        #expect(error.isTimeout)
    }
    @Test func closure() async throws {
        await #expect { try await service.request(endpoint) } throws: { error in
            error.statusCode == 404 && [3].contains { $0 == error.resolved(as: Refusal.self)?.code }
        }
    }
    @Test func pattern() async throws {
        do {
            _ = try await service.request(endpoint)
            Issue.record("no error")
        } catch DataTransferError.networkFailure(let failure) {
            #expect(failure.statusCode == 404)
        }
    }
    @Test func cast() async throws {
        do {
            _ = try await service.request(endpoint)
        } catch let error as DataTransferError {
            #expect(error.isTimeout)
            #expect([404].contains { $0 == error.statusCode })
        }
    }
    @Test func condition() async throws {
        do {
            #expect(try await service.request(endpoint) == Movie())
        } catch let error where error.isCancelled {
            Issue.record("cancelled: \(error)")
        }
    }
    @Test func value() async throws {
        #expect(try await service.request(endpoint).title == "")
        let movie = try #require(await service.result(for: endpoint).get() as Movie?)
        #expect(movie == Movie())
    }
    @Test func result() async throws {
        let result = await service.result(for: endpoint)
        #expect(throws: DataTransferError.self) { try result.get() }
        guard case .failure(.parsing(let failure)) = result else { return }
        #expect(failure.codingPath.isEmpty)
    }
    @Test func stream() async throws {
        do {
            for try await movie in try await service.stream(endpoint, as: .ndjson(Movie.self)) { #expect(movie.id == 7) }
        } catch DataTransferError.parsing(let failure) {
            #expect(failure.elementIndex == 1)
        }
    }
}
