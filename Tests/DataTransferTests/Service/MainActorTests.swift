import DataTransfer
import Dispatch
import Foundation
import NetworkSupport
import NetworkTesting
import ResumableUploads
import Testing
import TransferTestSupport

/// Closures that are isolated to an actor run on it, and values whose conformance belongs to an actor are decoded on it.
@Suite(.timeLimit(.minutes(10)), .alsoOverURLSession) struct MainActorTests {
    private static let mainQueue = {
        let key = DispatchSpecificKey<Void>()
        DispatchQueue.main.setSpecific(key: key, value: ())
        return key
    }()
    private static var isOnMainQueue: Bool { DispatchQueue.getSpecific(key: mainQueue) != nil }

    /// Whether each call of its methods was on the main queue.
    private final class Calls: Sendable {
        private let (places, sink) = AsyncStream.makeStream(of: Bool.self)

        @MainActor func main<Value>(_: Value) { note() }
        func note() { sink.yield(MainActorTests.isOnMainQueue) }

        /// Waits for so many calls.
        func first(_ count: Int) async -> [Bool] {
            var found: [Bool] = []
            for await place in places.prefix(count) { found.append(place) }
            return found
        }
    }

    private typealias Start = @MainActor @Sendable (DefaultDataTransferService, URL, Calls) -> Void
    private static let film = Endpoint<[Int]>(path: "film")
    /// Each function with a completion, and how many calls of closures it makes.
    private static let functions: [(calls: Int, start: Start)] = [
        (1, { service, _, calls in service.request(film, completion: calls.main) }),
        (1, { service, _, calls in service.request(film, on: DispatchQueue.global()) { @MainActor in calls.main($0) } }),
        (1, { service, _, calls in (service as any DataTransferService).response(for: film, completion: calls.main) }),
        (1, { service, _, calls in service.response(for: film) { @MainActor in calls.main($0) } }),
        (1, { service, _, calls in TaskCancellable({ try await service.upload(.text("a"), to: film) }, completion: calls.main) }),
        (1, { service, file, calls in TaskCancellable({ try await service.download(film, to: file) }, completion: calls.main) }),
        (
            1,
            { service, _, calls in
                TaskCancellable(on: DispatchQueue.global()) {
                    await service.result(for: film)
                } completion: { @MainActor in
                    calls.main($0)
                }
            }
        ),
        (
            3,
            { service, _, calls in
                TaskCancellable({ service.results(of: [film, film]) }, onElement: calls.main, completion: calls.main)
            }
        ),
        (
            2,
            { service, _, calls in
                TaskCancellable {
                    try await service.stream(film, as: .elements(of: Int.self))
                } onElement: { @MainActor in
                    calls.main($0)
                } completion: { @MainActor in
                    calls.main($0)
                }
            }
        ),
        (2, { service, _, calls in TaskCancellable({ service.events(events) }, onElement: calls.main, completion: calls.main) }),
    ]
    private static let events = Endpoint<Void>(path: "events", method: .post)

    private let server: LoopbackServer
    private let service: DefaultDataTransferService
    private let logger = InMemoryLogger()

    init() throws {
        server = try LoopbackServer { request in
            request.path == "/events"
                ? .data(Data("data: a\n\n".utf8), contentType: "text/event-stream") : .json("[7]")
        }
        service = server.service(logger: logger)
    }

    @Test func `closures of the main actor run on it, and those without an actor do not`() async throws {
        let folder = try TemporaryFolder()
        for (index, function) in Self.functions.enumerated() {
            let calls = Calls()
            await function.start(service, folder.url.appendingPathComponent("\(index)"), calls)
            #expect(await calls.first(function.calls).allSatisfy(\.self), "function \(index)")
        }
        let calls = Calls()
        await MainActor.run {
            _ = service.request(Self.film) { _ in calls.note() }
            _ = service.response(for: Self.film) { _ in calls.note() }
            TaskCancellable {
                service.results(of: [Self.film])
            } onElement: { _ in
                calls.note()
            } completion: { _ in
                calls.note()
            }
        }
        #expect(await calls.first(4) == [false, false, false, false])
        service.request(Self.film, on: .main) { _ in calls.note() }
        #expect(await calls.first(1) == [true])
    }

    @Test func `progress is reported on the main actor before the call returns`() async throws {
        let states = Locked<[(isOnMain: Bool, isFinished: Bool)]>([])
        let monitor = ProgressMonitor { @MainActor state in
            states.withLock { $0.append((Self.isOnMainQueue, state.isFinished)) }
        }
        _ = try await service.download(Self.film, progress: monitor)
        #expect(states.withLock { $0.last?.isFinished == true && $0.allSatisfy(\.isOnMain) })
    }

    /// A value that is not `Sendable`, and can be decoded by the main actor only.
    @MainActor private final class Settings: @MainActor Decodable {
        let value: Int
        let isOnMainQueue = MainActorTests.isOnMainQueue

        init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(Int.self) }
    }

    private final class Plain: Decodable {
        let value: Int

        init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(Int.self) }
    }

    @Test func `a value is decoded on the actor of the caller`() async throws {
        let decoded = try await decodedOnMainActor()
        #expect(decoded.values == [7] && decoded.isOnMainQueue)
        #expect(try await service.request(Self.film, as: [Plain].self).map(\.value) == [7])
        let error = await #expect(throws: DataTransferError.self) { try await service.request(Self.film, as: Plain.self).value }
        guard case .parsing(let failure)? = error else { throw CancellationError() }
        #expect(failure.statusCode == 200 && failure.snippet == "[7]" && logger.dataTransferErrors.count == 1)
        var strict = Self.film.request
        strict.acceptedMediaTypes = ["text/plain"]
        await #expect(throws: DataTransferError.self) { try await service.request(strict, as: Plain.self).value }
        await #expect(throws: DataTransferError.self) {
            try await service.request(Self.film, as: Plain.self, decoder: .text).value
        }
    }

    @MainActor private func decodedOnMainActor() async throws -> (values: [Int], isOnMainQueue: Bool) {
        let settings = try await service.request(Self.film, as: [Settings].self)
        return (settings.map(\.value), settings.allSatisfy(\.isOnMainQueue))
    }
}
