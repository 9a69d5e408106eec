import DataTransfer
import Foundation
import NetworkTesting
import Testing
import TransferTestSupport

@Suite(.timeLimit(.minutes(10)), .alsoOverURLSession) struct DataTransferStreamTests {
    struct OwnError: Error {}

    struct OwnResolver: DataTransferErrorResolver {
        func resolve(error: NetworkError) -> any Error & Sendable { OwnError() }
    }

    struct Mock: MockEndpoint {
        var request: RequestDescription { .get("users") }
        var mockFileName: String { "users" }
    }

    private func collect(_ stream: DataTransferStream) async throws -> Data {
        var data = Data()
        for try await chunk in stream { data.append(chunk) }
        return data
    }

    @Test func `a stream has the status and headers, and returns the body in chunks`() async throws {
        let server = try LoopbackServer {
            LoopbackRoute(.get, "/a") { _ in LoopbackResponse.text("hello").header("1", for: "X-A") }
        }
        let service = server.service()
        let stream = try await service.stream(for: Endpoint<Void>(path: "a"))
        #expect(stream.statusCode == 200)
        #expect(stream.headers["x-a"] == "1")
        #expect(try await collect(stream) == Data("hello".utf8))
        #expect(stream.timings.bytesReceived == 5)
    }

    @Test func `a status error and an interrupted body are each resolved and logged once`() async throws {
        let server = try LoopbackServer {
            LoopbackRoute(.get, "/cut") { _ in LoopbackResponse.text("hello").fault(.truncateBody(after: 3)) }
        }
        let logger = InMemoryLogger()
        let service = DefaultDataTransferService(
            configuration: APIConfiguration(baseURL: server.url), errorResolver: OwnResolver(), errorLogger: logger)
        await #expect {
            _ = try await service.stream(for: Endpoint<Void>(path: "none"))
        } throws: {
            ($0 as? DataTransferError)?.resolved(as: OwnError.self) != nil
        }
        #expect(logger.dataTransferErrors.count == 1)
        let stream = try await service.stream(for: Endpoint<Void>(path: "cut"))
        var received = Data()
        do {
            for try await chunk in stream { received.append(chunk) }
            Issue.record("The body was complete.")
        } catch let error as DataTransferError {
            #expect(error.resolved(as: OwnError.self) != nil)
            #expect(error.networkError?.transportError?.code == .incompleteBody)
        }
        #expect(received == Data("hel".utf8))
        #expect(logger.dataTransferErrors.count == 2)
    }

    @Test func `a service that implements only the completion form streams the body without decoding it`() async throws {
        let session = StubSessionManager()
        session.enqueue(.text("no JSON"), for: "/users")
        let service = OneMethodService(
            base: DefaultDataTransferService(configuration: try APIConfiguration("https://api.test"), sessionManager: session))
        let stream = try await service.stream(for: Endpoint<[Int]>(path: "users"))
        #expect(stream.statusCode == 200)
        #expect(try await collect(stream) == Data("no JSON".utf8))
    }

    @Test func `a stub service streams the file of a mock endpoint`() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data("[1]".utf8).write(to: folder.appendingPathComponent("users.json"))
        let service = StubDataTransferService(fixtures: StubFixtures(folder: folder))
        #expect(try await collect(service.stream(for: Mock())) == Data("[1]".utf8))
    }

    @Test func `a cancelled reader receives a cancellation error immediately`() async throws {
        let server = try LoopbackServer {
            LoopbackRoute(.get, "/slow") { _ in LoopbackResponse.text("hello").fault(.stallBody(after: 3)) }
        }
        let service = server.service()
        let stream = try await service.stream(for: Endpoint<Void>(path: "slow"))
        let task = Task {
            await #expect(throws: DataTransferError.self) {
                for try await _ in stream { withUnsafeCurrentTask { $0?.cancel() } }
            }
        }
        #expect(await task.value?.isCancelled == true)
    }
}
